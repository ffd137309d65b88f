import { TroupeError } from '../contracts/errors/error.ts';
import { foundText } from '../contracts/errors/found-text.ts';
import type { Json } from '../base/json/json.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../contracts/models/model.ts';
import { modelAnswer } from '../contracts/models/model.ts';
import { isObject } from '../base/schemas/option-schemas.ts';
import { isThenable } from '../base/promises/thenable.ts';
import type { Usage } from '../contracts/models/usage.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';

/** One reply of a script: text, calls, an error to fail with, or a function of the request. */
export type ScriptedReply =
  | string
  | Partial<ModelAnswer>
  | Error
  | ((request: ScriptedRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>);

/** A request to a scripted model, copied at the time: later turns do not change it. */
export interface ScriptedRequest extends Omit<ModelRequest, 'messages'> {
  readonly messages: readonly Turn[];
  readonly key: string;
}

/** A model that follows a script; see {@link scriptedModel}. */
export interface ScriptedModel extends Model {
  /** Every request so far, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Throws `script.unconsumed` unless every reply of the script was used. */
  assertConsumed(): void;
}

/**
 * A model for tests: answers with the replies of a script, in order, and records its requests.
 *
 * A reply without a `usage` has what is estimated of any model that reports none: the instructions, tools and conversation that were sent,
 * and the answer. It costs nothing unless its `usage` has `billedUsd`. The model is strict: a request past the end of the script fails with `script.exhausted`, and `assertConsumed()` throws for
 * unused replies. Several agents may share one only if their order is fixed; prefer one for each.
 *
 * @example
 * const model = scriptedModel([calls({ name: 'add', input: { a: 1, b: 2 } }), 'It is 3.']);
 * await agent({ name: 'a', model, tools: [add] }).run('1 + 2?');
 * model.assertConsumed();
 *
 * @throws {TroupeError} `input.invalid` unless the script is a list of replies; `script.exhausted` (as a failed model call),
 * `script.unconsumed` from `assertConsumed()`.
 */
export const scriptedModel = (script: readonly ScriptedReply[], id = 'script'): ScriptedModel => {
  assertList(script);
  const requests: ScriptedRequest[] = [];
  return {
    provider: 'scripted',
    id,
    isLanguageModel: false,
    takes: { media: ['*'], links: ['*'] },
    requests,
    answer: (request, call) => {
      const asked: ScriptedRequest = { ...request, messages: request.messages.toArray(), key: call.key };
      const reply = script[requests.length];
      requests.push(asked);
      if (reply === undefined) {
        const found = `request ${requests.length} of a script of ${script.length}`;
        throw new TroupeError('script.exhausted', `Cannot answer as the script is at its end: ${found}`);
      }
      return answerBy(reply, asked, call);
    },
    assertConsumed: () => {
      const left = script.length - requests.length;
      if (left > 0)
        throw new TroupeError(
          'script.unconsumed',
          `Cannot finish the script as replies are unused: ${left} of ${script.length}`,
        );
    },
  };
};

/** A reply that calls tools: `calls({ name: 'add', input: { a: 1, b: 2 } })`. */
export const calls = (
  ...wanted: readonly { readonly name: string; readonly input: Json; readonly id?: string }[]
): Partial<ModelAnswer> => ({
  calls: wanted.map(({ name, input, id }, index) => ({ id: id ?? `scripted_${index}`, name, input })),
});

/** A function has a length, too, and would pass for a list. */
const assertList = (script: unknown): void => {
  if (Array.isArray(script)) {
    const index = script.findIndex((reply: unknown) => !isReply(reply));
    if (index < 0) return;
    throw new TroupeError(
      'input.invalid',
      `Cannot make a scripted model as its reply ${index + 1} is none: write a text, calls(…), an Error or a function, found ${foundText(script[index])}`,
    );
  }
  throw new TroupeError(
    'input.invalid',
    `Cannot make a scripted model as its script is not a list of replies: write scriptedModel([ … ]), found ${foundText(script)}`,
  );
};

const isReply = (reply: unknown): boolean =>
  typeof reply === 'string' || typeof reply === 'function' || isObject(reply);

const answerBy = (
  reply: ScriptedReply,
  request: ScriptedRequest,
  call: ModelCall,
): ModelAnswer | Promise<ModelAnswer> => {
  if (reply instanceof Error) throw reply;
  if (typeof reply === 'string') return answerOf({ text: reply }, call);
  if (typeof reply !== 'function') return answerOf(reply, call);
  const next = reply(request, call);
  return isThenable(next)
    ? next.then((settled) => answerBy(settled, request, call))
    : answerBy(next, request, call);
};

/** Without a `usage` of its own, as of a model that reports none: the runtime estimates it, from all that was sent. */
const answerOf = (parts: Partial<ModelAnswer>, call: ModelCall): ModelAnswer => {
  if (call.isWatched && parts.text) call.delta({ type: 'text', text: parts.text });
  return modelAnswer({ usage: UNREPORTED, ...parts });
};

const UNREPORTED: Usage = { input: 0, output: 0, isEstimate: true };
