import { withThousands } from '../../base/text/number-words.ts';
import type { Composition } from '../../machines/diagrams/composition.ts';

/** A composition with equal members as one box each, whose members are listed elsewhere. */
export const withClosedGroups = (composition: Composition): Composition => ({
  ...composition,
  parts: composition.parts.map((part) => {
    const { inside, kind } = part;
    if (inside === undefined) return part;
    if (kind !== 'group') return { ...part, inside: withClosedGroups(inside) };
    const kinds = new Set(inside.parts.map((each) => each.kind));
    const [only] = kinds.size === 1 ? kinds : ['member'];
    const title = `${withThousands(inside.parts.length)} ${only ?? 'member'}s`;
    return { ...part, title, inside: undefined };
  }),
});
