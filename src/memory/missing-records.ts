import type { Memory, MemoryRecord } from '../contracts/memory.ts';

/** So many are asked for: the one that is looked for is among the best, or the newest. */
const ASKED = 1_000;

/**
 * Which of some records a memory does not hold, where a write of them may have been cut off. They were written in order: all before
 * one that it holds are there, or were summed up.
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

/** Not every kind of memory keeps all of a record, or nothing beside its text; when it was is kept by all. */
const isSame = (held: MemoryRecord, { text, at, agent, runId }: MemoryRecord): boolean =>
  held.at === at &&
  (held.agent ?? agent) === agent &&
  (held.runId ?? runId) === runId &&
  plain(held.text).endsWith(plain(text));

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
