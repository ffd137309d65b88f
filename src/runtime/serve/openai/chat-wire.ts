import { printableJson } from '../../../base/text/printable.ts';
import type { AnswerEnd, AnswerPiece, AnswerUsage } from './answer-piece.ts';
import { AnswerError, answerError, wireErrorOf } from './wire-error.ts';

/** The facts that each part of a completion has. */
export interface ChatFacts {
  readonly id: string;
  readonly model: string;
  readonly runId: string;
}

/** A whole completion. @throws {AnswerError} for a run that ended without an answer, or waits for a person */
export const chatCompletion = ({ id, model, runId }: ChatFacts, end: AnswerEnd): unknown => {
  const { text, calls, kind, usage, at } = assertAnswer(end, runId);
  const isRefused = kind === 'refused';
  return {
    id,
    object: 'chat.completion',
    created: Math.floor(at / 1_000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: isRefused || (text === '' && calls.length > 0) ? null : text,
          refusal: isRefused ? text : null,
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
        },
        logprobs: null,
        finish_reason: finishOf(end),
      },
    ],
    usage: usageOf(usage),
  };
};

/** Refuses an end that is no answer. @throws {AnswerError} */
const assertAnswer = (end: AnswerEnd, runId: string): AnswerEnd => {
  const { kind, requests, calls } = end;
  if (kind === 'failed' || kind === 'aborted') throw answerError(end);
  if (kind === 'left')
    throw new AnswerError({
      status: 503,
      code: 'run.suspended',
      message: 'The server is shutting down, and left the run to be resumed',
    });
  // A client of this API cannot answer people's requests; the run goes on when somebody does.
  if (kind === 'waiting' && calls.length === 0)
    throw new AnswerError({
      status: 409,
      code: 'request_pending',
      message: `Run '${runId}' waits for a person: ${requests.map(({ text }) => text).join('; ')}`,
    });
  return end;
};

/** Writes a completion as chunks, by server-sent events. */
export class ChatChunks {
  readonly #facts: ChatFacts;
  readonly #includesUsage: boolean;
  #created = 0;
  #block: number | undefined;

  constructor(facts: ChatFacts, includesUsage: boolean) {
    this.#facts = facts;
    this.#includesUsage = includesUsage;
  }

  /** The text of a piece; `''` for one that shows nothing. */
  textOf(piece: AnswerPiece): string {
    switch (piece.type) {
      case 'began':
        this.#created = Math.floor(piece.at / 1_000);
        return this.#chunk({ role: 'assistant', content: '', refusal: null });
      case 'text': {
        // What was said on the way to the answer cannot be taken back: a blank line divides it.
        const isNext = this.#block !== undefined && this.#block !== piece.block;
        this.#block = piece.block;
        return this.#chunk({ content: `${isNext ? '\n\n' : ''}${piece.delta}` });
      }
      case 'said':
        return '';
      case 'ended':
        return this.#ended(piece.end);
    }
  }

  #ended(end: AnswerEnd): string {
    try {
      const { kind, text, calls, usage } = assertAnswer(end, this.#facts.runId);
      const refusal = kind === 'refused' ? this.#chunk({ refusal: text }) : '';
      const called = calls
        .map((call, index) => this.#chunk({ tool_calls: [{ index, ...callOf(call) }] }))
        .join('');
      const totals = this.#includesUsage ? this.#data([], usageOf(usage)) : '';
      return `${refusal}${called}${this.#chunk({}, finishOf(end))}${totals}data: [DONE]\n\n`;
    } catch (thrown) {
      return chatFailure(thrown);
    }
  }

  #chunk(delta: object, finish: string | null = null): string {
    return this.#data([{ index: 0, delta, logprobs: null, finish_reason: finish }], null);
  }

  #data(choices: readonly object[], usage: object | null): string {
    const { id, model } = this.#facts;
    const chunk = { id, object: 'chat.completion.chunk', created: this.#created, model, choices };
    return `data: ${printableJson(this.#includesUsage ? { ...chunk, usage } : chunk)}\n\n`;
  }
}

/** An error within a stream of chunks. The stream's own status is that of its beginning: the error has the one that it would have had. */
export const chatFailure = (thrown: unknown): string => {
  const { status, error } = wireErrorOf(thrown);
  return `data: ${printableJson({ error: { ...error, status } })}\n\n`;
};

const callOf = ({ id, name, arguments: text }: AnswerEnd['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

const finishOf = ({ kind, calls }: AnswerEnd): string => {
  if (calls.length > 0) return 'tool_calls';
  if (kind === 'limited') return 'length';
  return kind === 'withheld' ? 'content_filter' : 'stop';
};

const usageOf = ({ input, cached, output }: AnswerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});
