import { fitContent } from '../../../actors/deciding/fit-content.ts';
import { answerLength, estimatedUsage, isUnreported } from '../../../actors/deciding/call-cost.ts';
import { checkAnswer } from '../../../actors/deciding/check-answer.ts';
import { nameOf } from '../../../actors/deciding/model-events.ts';
import { HistoryView } from '../../../base/collections/history.ts';
import { LazyAbort } from '../../../base/promises/lazy-abort.ts';
import { randomId } from '../../../base/random-id.ts';
import type { MediaPart, Part } from '../../../contracts/content/part.ts';
import { contentText } from '../../../contracts/content/part.ts';
import { readParts } from '../../../contracts/content/read-content.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ModelAsker } from '../../../contracts/events/inspection.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from '../../../contracts/models/model.ts';
import type { Usage } from '../../../contracts/models/usage.ts';
import { TurnCounter } from '../../../memory/tokens/count-tokens.ts';
import { attemptModel } from '../../../models/retry/attempt.ts';

/** The answer to a request that was sent apart from any run. */
export interface ApartAnswer {
  /** The model that answered, as its provider names it. */
  readonly model: string;
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** The calls that it asks for: none is made. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly refusal?: string | undefined;
  readonly finish: string;
  readonly tokens: Usage;
  readonly costUsd?: number | undefined;
  /** The time in ms to the first piece of the answer; absent where it came as one. */
  readonly firstMs?: number | undefined;
  readonly durationMs: number;
  readonly omitted?: ModelAnswer['omitted'];
}

/** The circumstances of a request that is sent apart from any run. */
export interface ApartCall {
  /** The call that it repeats. */
  readonly key: string;
  readonly asker: ModelAsker;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly bytesOf: (part: MediaPart) => Promise<Uint8Array>;
  /** Called with each piece of the answer, as the model gives it. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
}

/**
 * Sends a request to a model, once: nothing is recorded, charged or executed, and media of the answer are only named.
 *
 * @throws (rejects with) the error of the model; `model.timeout`; `run.aborted` where it is cancelled; `model.malformed`;
 * `model.content-refused`, `content.missing` for media that the model does not take, or that are not there.
 */
export const askApart = async (
  model: Model,
  request: ModelRequest,
  call: ApartCall,
): Promise<ApartAnswer> => {
  const { asker, key, timeMs, signal, onDelta } = call;
  const media = new ApartMedia(call);
  const { clock } = asker;
  const abort = new LazyAbort();
  const cancel = (): void => {
    abort.abort(new TroupeError('run.aborted', `Cannot finish asking ${nameOf(model)} as it was cancelled`));
  };
  const timer = clock.setTimeout(() => {
    abort.abort(lateError(model, timeMs));
  }, timeMs);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    const fitted = await whileWanted(abort, media.fit(request, model));
    const startedAt = clock.now();
    let firstAt: number | undefined;
    const given = await attemptModel(model, fitted, {
      // A provider that knows the key of the run's call would repeat its answer.
      key: `${key}/again-${randomId()}`,
      clock,
      abort,
      attemptTimeoutMs: Infinity,
      idleTimeoutMs: Infinity,
      isWatched: true,
      bytesOf: (part) => media.bytesOf(part),
      onDelta: (delta) => {
        if (delta.type !== 'progress') firstAt ??= clock.now();
        onDelta?.(delta);
      },
    });
    const endedAt = clock.now();
    const answer = checkAnswer(given, nameOf(model));
    const tokens = usageOf(answer, model, fitted);
    const costUsd = await asker.costOf(model, tokens, answer.model);
    const { text, reasoning, calls, refusal, finish, omitted, media: made = [] } = answer;
    return {
      model: answer.model ?? nameOf(model),
      text: text.trim() === '' && made.length > 0 ? contentText(media.take(made)) : text,
      ...(reasoning === undefined ? {} : { reasoning }),
      calls: calls.map(({ name, input }) => ({ name, input })),
      ...(refusal === undefined ? {} : { refusal }),
      finish,
      tokens,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(firstAt === undefined ? {} : { firstMs: firstAt - startedAt }),
      durationMs: endedAt - startedAt,
      ...(omitted === undefined ? {} : { omitted }),
    };
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
};

/** A converter of an app may never return. */
const whileWanted = async <Value>(abort: LazyAbort, value: Promise<Value>): Promise<Value> => {
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = abort.onAbort(reject);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    leave();
  }
};

/** The media of one request, with those that were converted for its model: they are in no store. */
class ApartMedia {
  readonly convert: ModelAsker['convert'];
  readonly #bytesOf: ApartCall['bytesOf'];
  readonly #made = new Map<string, Uint8Array>();

  constructor({ asker: { convert }, bytesOf }: Pick<ApartCall, 'asker' | 'bytesOf'>) {
    this.convert = convert;
    this.#bytesOf = bytesOf;
  }

  async fit(request: ModelRequest, model: Model): Promise<ModelRequest> {
    const { history } = await fitContent({ history: request.messages.history }, model, { content: this });
    return { ...request, messages: new HistoryView(history) };
  }

  async bytesOf(part: MediaPart): Promise<Uint8Array> {
    return this.#made.get(part.hash) ?? this.#bytesOf(part);
  }

  take(parts: readonly unknown[]): readonly Part[] {
    return readParts(parts, (hash, bytes) => {
      if (bytes !== undefined) this.#made.set(hash, bytes);
    });
  }

  fittedTo(): WeakMap<Turn, Turn> {
    return new WeakMap();
  }
}

const usageOf = (answer: ModelAnswer, model: Model, { instructions, messages, tools }: ModelRequest): Usage =>
  isUnreported(answer, model)
    ? estimatedUsage(messages.history, tools, answerLength(answer), {
        counter: new TurnCounter(),
        systemPrompt: instructions,
      })
    : answer.usage;

const lateError = (model: Model, timeMs: number): TroupeError =>
  new TroupeError(
    'model.timeout',
    `Cannot wait longer for ${nameOf(model)} as it did not answer in ${timeMs} ms: give it more time, or ask another model`,
    { retryable: 'yes' },
  );
