import { reasonAgainstTurn } from '../../contracts/conversations/check-turn.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, isTroupeError, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { History } from '../../base/collections/history.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import type {
  Processor,
  ProjectionFacts,
  ProjectionNote,
  Summary,
  TokenBudget,
  TurnBlock,
} from '../../contracts/conversations/processor.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { TurnCounter } from '../tokens/count-tokens.ts';
import { blocksOf, firstUserIndex } from './turn-blocks.ts';

/** Options of a projection. */
export interface ProjectOptions {
  /** Keep one per agent: it caches its counts. */
  readonly counter?: TurnCounter | undefined;
  readonly budget?: TokenBudget | undefined;
  /** Tokens of instructions and tools. Default 0. */
  readonly overhead?: number | undefined;
  readonly summary?: Summary | undefined;
  /** Indices of turns that are never lost, beside the first user message: the prompt of this run, in a longer thread. */
  readonly pins?: readonly number[] | undefined;
}

/** The part of a history that the model is shown. */
export interface Projection {
  readonly history: History<Turn>;
  /** Estimated tokens of it, without the overhead. */
  readonly tokens: number;
  readonly notes: readonly ProjectionNote[];
  /** Blocks of the history that were looked at. */
  readonly touched: number;
}

/**
 * Applies processors to a history, left to right.
 *
 * I1  A call and its result are never separated.
 * I2  The first user message, and every pinned turn, is in the result, unchanged.
 * I3  The estimated size of the result is at most that of the input.
 * I4  No more of the history is read than the result needs.
 *
 * @throws `agent.threw` if a processor throws or makes an invalid turn, with its name; `model.context-overflow` if a
 * ladder finds no way.
 *
 * @example
 * project(history, [truncateTools(4_000), keepLast(40)]).history.length // => at most 41
 */
export const project = (
  history: History<Turn>,
  processors: readonly Processor[],
  options: ProjectOptions = {},
): Projection => {
  const { counter = new TurnCounter(), pins = [], overhead = 0, budget, summary } = options;
  const view = new HistoryView(history);
  const pinned = new Set([firstUserIndex(view), ...pins]);
  const notes: ProjectionNote[] = [];
  let touched = 0;
  const facts: ProjectionFacts = {
    length: history.length,
    pinned: pinnedBlocks(view, pinned),
    budget,
    overhead,
    summary,
    count: counter.count,
    note: (note) => {
      notes.push(note);
    },
  };
  let blocks: Iterable<TurnBlock> = blocksOf(view, pinned, () => {
    touched += 1;
  });
  for (const processor of processors) blocks = guardBlocks(processor, blocks, facts, view);
  const turns = inOrder(blocks, facts);
  const isWhole = turns.length === history.length && turns.every((turn, index) => turn === view.at(index));
  return {
    history: isWhole ? history : append(emptyHistory<Turn>(), ...turns),
    tokens: turns.reduce((all, turn) => all + counter.count(turn), 0),
    notes,
    touched,
  };
};

const pinnedBlocks = (view: HistoryView<Turn>, pins: ReadonlySet<number>): readonly TurnBlock[] =>
  [...pins]
    .sort((a, b) => a - b)
    .flatMap((index) => {
      const turn = view.at(index);
      return index < 0 || turn === undefined ? [] : [{ turns: [turn], index, isPinned: true }];
    });

/** The innermost processor reports the error, once. */
function* guardBlocks(
  processor: Processor,
  blocks: Iterable<TurnBlock>,
  facts: ProjectionFacts,
  view: HistoryView<Turn>,
): Generator<TurnBlock> {
  try {
    const projected: unknown = processor.project(blocks, facts);
    // A promise is not a conversation: its later rejection is ignored.
    if (isThenable(projected)) Promise.resolve(projected).catch(() => undefined);
    for (const block of projected as Iterable<TurnBlock>) {
      checkMade(block, view, processor);
      yield block;
    }
  } catch (thrown) {
    if (isTroupeError(thrown)) throw thrown;
    const message = `Cannot show the conversation to the model as the processor '${processor.name}' threw`;
    const data: ErrorData = errorData(thrown, 'agent.threw', { message });
    throw toError(data);
  }
}

/** Validates turns made by a processor; turns of the history are valid already. */
const checkMade = ({ turns, index }: TurnBlock, view: HistoryView<Turn>, { name }: Processor): void => {
  for (const [offset, turn] of turns.entries()) {
    const reason = turn === view.at(index + offset) ? undefined : reasonAgainstTurn(turn);
    if (reason === undefined) continue;
    throw new TroupeError(
      'agent.threw',
      `Cannot show the conversation to the model as a turn that the processor '${name}' made ${reason}`,
    );
  }
};

/** Oldest first; pinned turns that were not taken come first. */
const inOrder = (blocks: Iterable<TurnBlock>, { pinned }: ProjectionFacts): readonly Turn[] => {
  const taken = [...blocks].reverse();
  const has = (pin: TurnBlock): boolean =>
    taken.some(({ turns }) => pin.turns.every((turn) => turns.includes(turn)));
  return [...pinned.filter((pin) => !has(pin)), ...taken].flatMap(({ turns }) => turns);
};
