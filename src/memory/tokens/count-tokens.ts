import type { TokenCounter } from '../../contracts/conversations/processor.ts';
import type { History } from '../../base/collections/history.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { partText } from '../../contracts/content/part.ts';
import { mediaTokens } from './media-tokens.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/**
 * Tokens without a tokenizer: a quarter of the characters, a sixth of the blanks on top, and at least 1.
 *
 * @example
 * estimatingCounter.count('hello world') // => 3
 */
export const estimatingCounter: TokenCounter = {
  name: 'estimate',
  count: (text) => Math.max(1, Math.ceil(text.length / 4 + blanksOf(text) / 6)),
};

const blanksOf = (text: string): number => {
  let blanks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) blanks += 1;
  }
  return blanks;
};

const PER_MESSAGE = 4;
const PER_TOOL = 10;

/** Counts turns by a counter, each turn and each full chunk of a history once: both never change. */
export class TurnCounter {
  readonly #counter: TokenCounter;
  readonly #turns = new WeakMap<Turn, number>();
  readonly #chunks = new WeakMap<readonly Turn[], number>();
  readonly #sums = new WeakMap<readonly (readonly Turn[])[], number>();
  /** Turns that were really counted: for tests and measurements. */
  counted = 0;

  constructor(counter: TokenCounter = estimatingCounter) {
    this.#counter = counter;
  }

  /** An arrow function, as it is passed on. */
  readonly count = (turn: Turn): number => {
    const known = this.#turns.get(turn);
    if (known !== undefined) return known;
    const tokens = this.size(turn);
    this.#turns.set(turn, tokens);
    return tokens;
  };

  /** Counts without caching, for a single use. */
  size(turn: Turn): number {
    this.counted += 1;
    return PER_MESSAGE + this.#content(turn) + this.#besideText(turn);
  }

  /** The whole history; costs no more than what has been added since the last time. */
  history({ full, tail }: History<Turn>): number {
    let sum = this.#sums.get(full);
    if (sum === undefined) {
      sum = full.reduce((all, chunk) => all + this.#chunk(chunk), 0);
      this.#sums.set(full, sum);
    }
    return tail.reduce((all, turn) => all + this.count(turn), sum);
  }

  /** Counts the tokens of a request outside its turns. */
  overhead(instructions: string, tools: readonly ToolSpec[]): number {
    const said = instructions === '' ? 0 : PER_MESSAGE + this.#counter.count(instructions);
    return tools.reduce((all, spec) => all + PER_TOOL + this.#counter.count(JSON.stringify(spec)), said);
  }

  #chunk(chunk: readonly Turn[]): number {
    const known = this.#chunks.get(chunk);
    if (known !== undefined) return known;
    const sum = chunk.reduce((all, turn) => all + this.count(turn), 0);
    this.#chunks.set(chunk, sum);
    return sum;
  }

  /** Parts take the place of the text; what a model made itself is sent as text. */
  #content({ role, text, parts }: Turn): number {
    if (parts === undefined || role === 'assistant') return this.#counter.count(text);
    return parts.reduce((all, part) => all + (mediaTokens(part) ?? this.#counter.count(partText(part))), 0);
  }

  /** Reasoning is not sent back; replay data is. */
  #besideText(turn: Turn): number {
    if (turn.role !== 'assistant') return 0;
    const { calls = [], replay } = turn;
    const echoed = replay === undefined ? 0 : this.#counter.count(JSON.stringify(replay.content));
    return calls.reduce(
      (all, { name, input }) => all + this.#counter.count(name) + this.#counter.count(JSON.stringify(input)),
      echoed,
    );
  }
}
