import { messageOf } from '../../contracts/errors/error.ts';
import type { Memory, MemoryBlock, MemoryRecord } from '../../contracts/conversations/memory.ts';
import { memoryText } from './memory-text.ts';

/** Options of a recall. */
export interface RecallOptions {
  /** Records at most. Default 8. */
  readonly k?: number | undefined;
  /** Selects recalled records: the agent's own decisions, for example, are in the conversation anyway. */
  readonly isWanted?: ((record: MemoryRecord) => boolean) | undefined;
}

/** Recalls from a memory. If it throws, returns an empty block with the reason: the run continues. */
export const recall = async (
  memory: Memory | undefined,
  query: string,
  { k = 8, isWanted = () => true }: RecallOptions = {},
): Promise<MemoryBlock> => {
  if (memory === undefined) return { isEnabled: false, query, records: [], summary: '' };
  try {
    const records = (await memory.recall(query, k)).filter(isWanted).slice(-k);
    return { isEnabled: true, query, records, summary: memoryText(records) };
  } catch (thrown) {
    return { isEnabled: true, query, records: [], summary: '', problem: messageOf(thrown) };
  }
};
