import type { Model } from '../../contracts/models/model.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { SkippedFile } from '../../tools/built-in/documents/documents-toolset.ts';
import { several, withThousands } from '../../base/text/number-words.ts';

/** Number of reasons listed; the others are counted together. */
const NAMED = 3;

/** Describes the model; one that is not a language model says so. */
export const modelLine = ({ provider, id, isLanguageModel }: Model): string =>
  isLanguageModel === false
    ? `${provider} model: no language model, it finds and quotes (for one, set OPENAI_API_KEY or ANTHROPIC_API_KEY)`
    : `${oneLine(provider)}:${oneLine(id)}`;

/** Describes skipped files, with the reasons: ` · skipped 3 (2 not text, 1 empty)`. Empty if there are none. */
export const skippedLine = (all: readonly SkippedFile[]): string => {
  // Skipped folders (`.git/`, `node_modules/`) are expected.
  const skipped = all.filter(({ path }) => !path.endsWith('/'));
  if (skipped.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { reason } of skipped) {
    const kind = reason.split(':', 1).join('');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].toSorted(([, a], [, b]) => b - a);
  const named = kinds.slice(0, NAMED).map(([kind, count]) => `${withThousands(count)} ${oneLine(kind, 60)}`);
  const others = kinds.slice(NAMED).reduce((sum, [, count]) => sum + count, 0);
  return ` · ${several(skipped.length, 'file')} skipped (${[...named, ...(others > 0 ? [`${withThousands(others)} others`] : [])].join(', ')})`;
};
