import { aBound, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Processor, TurnBlock } from '../../contracts/conversations/processor.ts';

/** Options of {@link summariseOlder}. */
export interface SummariseOlderOptions {
  /**
   * The cut moves by this number of turns at once: a summary is not made at each step, and caches stay valid. Default:
   * half of `keep`.
   */
  readonly stride?: number | undefined;
}

/**
 * Shows the last `keep` turns (and up to a stride more), and a summary of earlier ones.
 *
 * A summary is made by an effect ({@link compact}); until there is one, or if it failed, older turns are dropped, as by
 * `keepLast`.
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const summariseOlder = (keep: number, options: SummariseOlderOptions = {}): Processor => {
  const stride = Math.max(1, check(options).stride ?? Math.floor(keep / 2));
  return {
    name: `summariseOlder(${keep})`,
    *project(blocks, { length, summary, note }) {
      const edge = Math.max(0, Math.floor((length - keep) / stride) * stride, summary?.upTo ?? 0);
      let oldest = length;
      let left: TurnBlock | undefined;
      for (const block of blocks) {
        // The newest block is shown in any case.
        if (oldest < length && block.index < edge) {
          if (block.isPinned) continue;
          left = block;
          break;
        }
        oldest = block.index;
        yield block;
      }
      if (left === undefined) return;
      const covered = summary?.upTo ?? 0;
      if (oldest > covered) note({ kind: 'wants-summary', from: covered, to: oldest });
      if (summary !== undefined && summary.text !== '')
        yield { turns: [summaryTurn(summary.text)], index: left.index, isPinned: false };
    },
  };
};

const check = optionsCheck<SummariseOlderOptions>(
  { code: 'agent.invalid', owner: 'a summariser of older turns' },
  () => ({
    stride: optional(aBound(0)),
  }),
);

const summaryTurn = (() => {
  const known = new Map<string, { readonly role: 'user'; readonly from: string; readonly text: string }>();
  return (text: string) => {
    const turn = known.get(text) ?? ({ role: 'user', from: 'runtime', text: `${OPENING}\n${text}` } as const);
    // A run uses one summary at a time; a few are kept so that the same turn is counted once.
    if (known.size > 64) known.clear();
    known.set(text, turn);
    return turn;
  };
})();

const OPENING = 'What happened earlier, in short:';
