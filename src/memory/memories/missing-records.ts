import type { Memory, MemoryRecord } from '../../contracts/conversations/memory.ts';

/** Number of records requested: the one searched for is among the best, or the newest. */
const ASKED = 1_000;

/**
 * Returns the records that a memory lacks after an interrupted write. They were written in order: all before one that
 * it holds are stored, or were summarised.
 */
export const missingRecords = async (
  memory: Memory,
  records: readonly MemoryRecord[],
): Promise<readonly MemoryRecord[]> => {
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (record === undefined || record.text.trim() === '') continue;
    const held = await memory.recall(record.text, ASKED);
    const count = held.filter((each) => isSame(each, record)).length;
    // Two that are equal have to be there twice.
    const equal = records.slice(0, index + 1).filter((each) => isSame(each, record)).length;
    if (count >= equal) return records.slice(index + 1);
  }
  return records;
};

/** Not every kind of memory keeps whole records, or their text alone; the time is kept by all. */
const isSame = (held: MemoryRecord, { text, at, agent, runId }: MemoryRecord): boolean =>
  held.at === at &&
  (held.agent ?? agent) === agent &&
  (held.runId ?? runId) === runId &&
  normalise(held.text).endsWith(normalise(text));

const normalise = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
