import { aBound, aFunction, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
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

/**
 * Recalls from a memory. If it throws, returns an empty block with the reason: the run continues.
 *
 * @example
 * const memory = await notesMemory().open({ runId: 'r', agent: 'ada' });
 * const { records, problem } = await recall(memory, 'favourite colour', { k: 3 });
 *
 * @throws {TroupeError} (rejects with) `agent.invalid` for an option that is unknown or of another type.
 */
export const recall = async (
  memory: Memory | undefined,
  query: string,
  options: RecallOptions = {},
): Promise<MemoryBlock> => {
  const { k = 8, isWanted = () => true } = check(options);
  if (memory === undefined) return { isEnabled: false, query, records: [], summary: '' };
  try {
    const records = (await memory.recall(query, k)).filter(isWanted).slice(-k);
    return { isEnabled: true, query, records, summary: memoryText(records) };
  } catch (thrown) {
    return { isEnabled: true, query, records: [], summary: '', problem: messageOf(thrown) };
  }
};

const check = optionsCheck<RecallOptions>({ code: 'agent.invalid', owner: 'a recall' }, () => ({
  k: optional(aBound(0)),
  isWanted: optional(aFunction()),
}));
