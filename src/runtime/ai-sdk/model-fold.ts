import type { Json } from '../../base/json/json.ts';
import { toError, TroupeError } from '../../contracts/errors/error.ts';
import type { DeltaEvent, EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { ModelFinish, StreamedPart } from './model-part.ts';

/** A text that streams, or reasoning. */
interface Block {
  readonly kind: 'text' | 'reasoning';
  readonly id: string;
  readonly key: string;
  sent: string;
}

type ModelEnd = EventOf<'model.answered' | 'model.discarded' | 'model.interrupted' | 'model.failed'>;
type Called = EventOf<'tool.requested' | 'tool.started' | 'tool.finished'>;

/**
 * Converts the events of a run to the parts of one answer of a language model: what its root says, thinks and calls.
 *
 * I1 Each block is ended, each call has one result, and the last part is the end of the run.
 * I2 The last block of text is the run's output.
 */
export class ModelFold {
  readonly #root: string;
  readonly #streamsText: boolean;
  #open: Block | undefined;
  #blocks = 0;
  /** The block of text that was ended last. */
  #last: { readonly text: string; readonly isKept: boolean } | undefined;
  /** The last answer of the root's model: what a run comes to that a limit ended. */
  #answered = '';
  /** By id, the tools of the calls without a result. */
  readonly #calls = new Map<string, string>();

  /** With `streamsText`, texts are sent as they come; without it, the output alone, whole. */
  constructor(root: string, streamsText: boolean) {
    this.#root = root;
    this.#streamsText = streamsText;
  }

  take(event: LiveEvent): readonly StreamedPart[] {
    if (event.path !== this.#root) return [];
    switch (event.type) {
      case 'run.started':
        return [
          {
            type: 'response-metadata',
            id: event.runId,
            modelId: event.agent,
            timestamp: new Date(event.at),
          },
        ];
      case 'model.delta':
        return this.#delta(event);
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
      case 'model.failed':
        return this.#modelEnd(event);
      case 'tool.requested':
      case 'tool.started':
        return this.#call(event, event.input);
      case 'tool.finished':
        return this.#result(event);
      case 'run.ended':
        return this.#end(event);
      default:
        return [];
    }
  }

  #delta({ key, offset, delta }: DeltaEvent): readonly StreamedPart[] {
    if ((delta.type !== 'text' && delta.type !== 'reasoning') || delta.text === '') return [];
    const { type, text } = delta;
    if (type === 'text' && !this.#streamsText) return [];
    const open = this.#open?.key === key && this.#open.kind === type ? this.#open : undefined;
    // A slow reader has missed a piece: the rest comes with the whole answer.
    if (offset !== undefined && offset !== (open?.sent.length ?? 0)) return [];
    return this.#say(type, key, text);
  }

  #modelEnd(event: ModelEnd): readonly StreamedPart[] {
    // Of an answer that broke off, nothing is one.
    if (event.type !== 'model.answered') return this.#close(DISCARDED);
    const { key, text, reasoning = '' } = event;
    if (text !== '') this.#answered = text;
    return [
      ...this.#rest('reasoning', key, reasoning),
      ...(this.#streamsText ? this.#rest('text', key, text) : []),
      ...this.#close(),
    ];
  }

  /** The unsent rest of a text that is whole by now; all of it in a block of its own if another text was sent. */
  #rest(kind: Block['kind'], key: string, whole: string): readonly StreamedPart[] {
    const open = this.#open;
    const sent = open?.kind === kind && open.key === key ? open.sent : '';
    if (whole.startsWith(sent)) return whole === sent ? [] : this.#say(kind, key, whole.slice(sent.length));
    return [...this.#close(DISCARDED), ...this.#say(kind, key, whole)];
  }

  #say(kind: Block['kind'], key: string, delta: string): readonly StreamedPart[] {
    const open = this.#open;
    if (open?.kind === kind && open.key === key) {
      open.sent += delta;
      return [{ type: `${kind}-delta`, id: open.id, delta }];
    }
    const ended = this.#close();
    this.#blocks += 1;
    const block: Block = { kind, id: String(this.#blocks), key, sent: delta };
    this.#open = block;
    const { id } = block;
    return [...ended, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }

  #close(facts: { readonly discarded?: true } = {}): readonly StreamedPart[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    const { kind, id, sent } = open;
    const isKept = facts.discarded !== true;
    if (kind === 'text') this.#last = { text: sent, isKept };
    return [
      {
        type: `${kind}-end`,
        id,
        ...(isKept ? {} : { providerMetadata: { troupe: { discarded: true } } }),
      },
    ];
  }

  /** A call is sent once, however often it is tried. */
  #call(event: Called, input: Json): readonly StreamedPart[] {
    const toolCallId = callIdOf(event);
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.set(toolCallId, event.tool);
    return [
      ...this.#close(),
      {
        type: 'tool-call',
        toolCallId,
        toolName: event.tool,
        input: JSON.stringify(input),
        providerExecuted: true,
        dynamic: true,
      },
    ];
  }

  #result(event: EventOf<'tool.finished'>): readonly StreamedPart[] {
    const { tool: toolName, text: result, ok } = event;
    const toolCallId = callIdOf(event);
    const call = this.#call(event, {});
    this.#calls.delete(toolCallId);
    return [...call, { type: 'tool-result', toolCallId, toolName, result, isError: !ok, dynamic: true }];
  }

  #end(event: EventOf<'run.ended'>): readonly StreamedPart[] {
    const { status, error, output } = event;
    if (status === 'failed' && error !== undefined) return this.fail(toError(error), finishOf(event));
    if (status === 'aborted') return this.fail(abortedError(event), finishOf(event));
    const parts = [...this.#close(), ...this.#unanswered('The run ended before the call was finished.')];
    const text = output === undefined ? this.#answered : outputText(output);
    const isSaid = this.#last?.isKept === true && this.#last.text === text;
    if (text !== '' && !isSaid) parts.push(...this.#say('text', '', text), ...this.#close());
    return [...parts, { type: 'finish', ...finishOf(event) }];
  }

  /** The end of an answer whose run failed, or was left. */
  fail(error: TroupeError, finish: ModelFinish = unknownFinish(error)): readonly StreamedPart[] {
    return [
      ...this.#close(),
      ...this.#unanswered(error.message),
      { type: 'error', error },
      { type: 'finish', ...finish },
    ];
  }

  #unanswered(result: string): readonly StreamedPart[] {
    const calls = [...this.#calls];
    this.#calls.clear();
    return calls.map(([toolCallId, toolName]) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      result,
      isError: true,
      dynamic: true,
    }));
  }
}

const abortedError = ({ runId, agent, stopReason }: EventOf<'run.ended'>): TroupeError => {
  const { reason } = stopReason;
  const why = typeof reason === 'string' ? reason : stopReason.kind;
  return new TroupeError('run.aborted', `Cannot answer as the run of '${agent}' was aborted: ${why}`, {
    runId,
  });
};

const DISCARDED = { discarded: true } as const;

const outputText = (output: Json): string => (typeof output === 'string' ? output : JSON.stringify(output));

/** A run that did not end has no totals. */
const unknownFinish = ({ code, runId }: TroupeError): ModelFinish => ({
  finishReason: { unified: 'error', raw: code },
  usage: {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  },
  providerMetadata: { troupe: { ...(runId === undefined ? {} : { runId }), status: code } },
});

const finishOf = ({ status, stopReason, totals, runId }: EventOf<'run.ended'>): ModelFinish => {
  const { inputTokens, cachedTokens, outputTokens, steps, costUsd } = totals;
  return {
    finishReason: { unified: REASONS[stopReason.kind] ?? 'other', raw: stopReason.kind },
    usage: {
      inputTokens: {
        total: inputTokens,
        noCache: inputTokens - cachedTokens,
        cacheRead: cachedTokens,
        cacheWrite: undefined,
      },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
    providerMetadata: {
      troupe: {
        runId,
        status,
        stopReason: stopReason.kind,
        steps,
        ...(costUsd === undefined ? {} : { costUsd }),
      },
    },
  };
};

const REASONS: Readonly<Record<string, ModelFinish['finishReason']['unified'] | undefined>> = {
  answered: 'stop',
  handedOff: 'stop',
  refused: 'content-filter',
  failed: 'error',
  budget: 'length',
  maxSteps: 'length',
  maxTime: 'length',
  maxTokens: 'length',
  maxToolCalls: 'length',
  maxRounds: 'length',
};

/** Ids of calls are unique within a run only, and an app keeps those of all. */
const callIdOf = ({ runId, callId }: Called): string => `${runId}_${callId}`;
