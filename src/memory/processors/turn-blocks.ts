import type { HistoryView } from '../../base/collections/history.ts';
import type { TurnBlock } from '../../contracts/conversations/processor.ts';
import type { AssistantTurn, ToolTurn, Turn } from '../../contracts/conversations/transcript.ts';

/** Returns the assistant turn and results of a tool cycle; undefined for any other turns. */
export const cycleOf = (
  turns: readonly Turn[],
): { readonly said: AssistantTurn; readonly results: readonly ToolTurn[] } | undefined => {
  const [said, ...rest] = turns;
  if (said?.role !== 'assistant' || said.calls === undefined || said.calls.length === 0) return undefined;
  return { said, results: rest.filter((turn) => turn.role === 'tool') };
};

/** Yields the blocks of a history, newest first, made on demand. */
export function* blocksOf(
  view: HistoryView<Turn>,
  pins: ReadonlySet<number>,
  onTouch?: () => void,
): Generator<TurnBlock> {
  let end = view.length - 1;
  while (end >= 0) {
    const start = startOf(view, end);
    const turns: Turn[] = [];
    let isPinned = false;
    for (let index = start; index <= end; index += 1) {
      const turn = view.at(index);
      if (turn !== undefined) turns.push(turn);
      isPinned ||= pins.has(index);
    }
    onTouch?.();
    yield { turns, index: start, isPinned };
    end = start - 1;
  }
}

/** Results belong to the assistant turn with calls that they follow; one without stands alone. */
const startOf = (view: HistoryView<Turn>, end: number): number => {
  let start = end;
  while (start > 0 && view.at(start)?.role === 'tool') start -= 1;
  return cycleOf([view.at(start)].filter((turn) => turn !== undefined)) === undefined ? end : start;
};

/** Returns the index of the first user message, or -1. */
export const firstUserIndex = (view: HistoryView<Turn>): number => {
  for (let index = 0; index < view.length; index += 1) if (view.at(index)?.role === 'user') return index;
  return -1;
};

/** Copies a block with other turns; undefined if none are left. */
export const withTurns = (block: TurnBlock, turns: readonly Turn[]): TurnBlock | undefined =>
  turns.length === 0 ? undefined : { ...block, turns };
