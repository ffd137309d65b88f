import { TroupeError } from '../../contracts/errors/error.ts';
import type {
  Processor,
  ProjectionFacts,
  ProjectionNote,
  TurnBlock,
} from '../../contracts/conversations/processor.ts';
import { keepLast } from './keep-last.ts';
import { summariseOlder } from './summarise-older.ts';
import { truncateTools } from './truncate-tools.ts';

/** Mildest first: cut tool results, summarise, summarise more, remove. */
export const defaultRungs = (): readonly Processor[] => [
  truncateTools(2_000),
  summariseOlder(8),
  summariseOlder(4, { stride: 1 }),
  keepLast(4),
];

/**
 * Reduces the conversation below the budget's hard limit, rung by rung, if it exceeds it.
 *
 * Each rung is tried once, on top of the ones before, and is undone if it does not make the request shorter. If all
 * rungs together do not suffice, the call fails.
 *
 * @throws `model.context-overflow` where even the last rung does not suffice.
 */
export const budgetLadder = (rungs: readonly Processor[] = defaultRungs()): Processor => ({
  name: 'budgetLadder',
  *project(blocks, facts) {
    const { budget, overhead } = facts;
    if (budget === undefined) {
      yield* blocks;
      return;
    }
    const most = budget.hard - budget.reserve - overhead;
    let current = new Replay(blocks);
    const whole = measure(current, most, facts);
    if (whole <= most) {
      if (whole + overhead > budget.soft)
        facts.note({ kind: 'near-limit', tokens: whole + overhead, soft: budget.soft });
      yield* current;
      return;
    }
    let before = measure(current, most * 2, facts);
    for (const rung of rungs) {
      const notes: ProjectionNote[] = [];
      const note = (said: ProjectionNote): void => {
        notes.push(said);
      };
      const tried = new Replay(rung.project(current, { ...facts, note }));
      const after = measure(tried, most * 2, facts);
      // Past twice the budget the size is unknown: the next rung shows whether this one helped.
      const helped = after < before || after > most * 2;
      facts.note({ kind: 'rung', rung: rung.name, before, after, helped });
      if (!helped) continue;
      for (const said of notes) facts.note(said);
      current = tried;
      before = after;
      if (after > most) continue;
      yield* current;
      return;
    }
    throw new TroupeError(
      'model.context-overflow',
      `Cannot fit the conversation into ${most} tokens as nothing more can be omitted: ${before} tokens`,
      { details: { tokens: before, most, overhead, rungs: rungs.map(({ name }) => name) } },
    );
  },
});

/** Estimates the tokens of `blocks` with everything pinned; stops just past `limit`. */
const measure = (blocks: Iterable<TurnBlock>, limit: number, { count, pinned }: ProjectionFacts): number => {
  const sizeOf = ({ turns }: TurnBlock): number => turns.reduce((all, turn) => all + count(turn), 0);
  let tokens = pinned.reduce((all, pin) => all + sizeOf(pin), 0);
  if (tokens > limit) return tokens;
  for (const block of blocks) {
    if (!block.isPinned) tokens += sizeOf(block);
    if (tokens > limit) return tokens;
  }
  return tokens;
};

/** Buffers a one-time source, so that it can be iterated repeatedly. */
class Replay implements Iterable<TurnBlock> {
  readonly #source: Iterator<TurnBlock>;
  readonly #taken: TurnBlock[] = [];
  #isDone = false;

  constructor(blocks: Iterable<TurnBlock>) {
    this.#source = blocks[Symbol.iterator]();
  }

  *[Symbol.iterator](): Iterator<TurnBlock> {
    for (let at = 0; ; at += 1) {
      if (at === this.#taken.length) {
        if (this.#isDone) return;
        const next = this.#source.next();
        if (next.done === true) {
          this.#isDone = true;
          return;
        }
        this.#taken.push(next.value);
      }
      const block = this.#taken[at];
      if (block !== undefined) yield block;
    }
  }
}
