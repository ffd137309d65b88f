import type { CompactionPreset, Processor } from '../../contracts/conversations/processor.ts';
import { budgetLadder } from './budget-ladder.ts';
import { dropOldToolCycles } from './drop-old-tool-cycles.ts';
import { summariseOlder } from './summarise-older.ts';
import { truncateTools } from './truncate-tools.ts';

/** The meaning of the presets. */
export const compactionPresets: Readonly<
  Record<CompactionPreset, { readonly truncate: number; readonly cycles: number; readonly keep: number }>
> = {
  conservative: { truncate: 8_000, cycles: 20, keep: 80 },
  balanced: { truncate: 4_000, cycles: 10, keep: 40 },
  aggressive: { truncate: 2_000, cycles: 3, keep: 12 },
};

/** The processors of a preset, to be used or added to. */
export const presetProcessors = (preset: CompactionPreset = 'balanced'): readonly Processor[] => {
  const { truncate, cycles, keep } = compactionPresets[preset];
  return [truncateTools(truncate), dropOldToolCycles(cycles), summariseOlder(keep), budgetLadder()];
};
