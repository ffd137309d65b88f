/**
 * A way that work takes in a team: from whom, to whom, and in a word or two what is handed over. Lists stand for arrows from each to each.
 *
 * `[*]` is the team's own input and output, as in Mermaid. A name that no member has is a step of the team itself: `'the votes'`.
 */
export type FlowArrow = readonly [
  from: string | readonly string[],
  to: string | readonly string[],
  text?: string | undefined,
];

/** The subject of a diagram: the statechart, or the composition. */
export type DiagramSubject = 'chart' | 'composition';

/** The ways that work takes through a team, as its pattern knows them. */
export interface Flow {
  readonly arrows: readonly FlowArrow[];
  /** More of a member than its name and tools, by role: `for each item`, `optional`. */
  readonly notes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The input and the output of a team, among the names of its members. */
export const OUTSIDE = '[*]';

/** One of those of whom something is made up. */
export interface CompositionPart {
  readonly id: string;
  readonly kind: 'agent' | 'team' | 'tool' | 'step' | 'group' | 'input' | 'output';
  readonly title: string;
  readonly description: string;
  /** More of it, a line each. */
  readonly lines: readonly string[];
  /** Present where it is made up of others itself. */
  readonly inside?: Composition | undefined;
}

/** All that leads from one part to another and back, as one line. */
export interface CompositionArrow {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly isTwoWay: boolean;
}

/** The members of a team, or the tools of an agent, and how work flows between them. */
export interface Composition {
  readonly name: string;
  readonly description: string;
  readonly parts: readonly CompositionPart[];
  readonly arrows: readonly CompositionArrow[];
}

/** The largest number of parts in a row. */
const MOST_IN_A_ROW = 5;

/** Those that everything leads to and from alike, in one box once they would be a long row: one arrow for all of them. */
export const groupParts = ({ parts, arrows, ...rest }: Composition): Composition => {
  const alike = new Map<string, CompositionPart[]>();
  for (const part of parts) {
    const near = arrows.flatMap(({ from, to, text }) =>
      from === part.id ? [`to ${to} ${text}`] : to === part.id ? [`from ${from} ${text}`] : [],
    );
    const key = near.toSorted().join('\n');
    alike.set(key, [...(alike.get(key) ?? []), part]);
  }
  const groups = new Map<string, CompositionPart>();
  for (const members of alike.values()) {
    const [first] = members;
    if (first === undefined || members.length <= MOST_IN_A_ROW) continue;
    const inside = { ...rest, parts: members, arrows: [] };
    const id = `${first.id} …`;
    for (const member of members)
      groups.set(member.id, { id, kind: 'group', title: '', description: '', lines: [], inside });
  }
  const idIn = (id: string): string => groups.get(id)?.id ?? id;
  const shown = new Map(parts.map((part) => [idIn(part.id), groups.get(part.id) ?? part]));
  const ways = arrows.map((arrow) => ({ ...arrow, from: idIn(arrow.from), to: idIn(arrow.to) }));
  return {
    ...rest,
    parts: [...shown.values()],
    arrows: [...new Map(ways.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow])).values()],
  };
};

/** Pairs of a group of which the second is drawn below the first: its members in rows. */
export const rowPairs = ({ parts, arrows }: Composition): readonly (readonly [string, string])[] => {
  if (arrows.length > 0) return [];
  const length = Math.ceil(parts.length / Math.ceil(parts.length / MOST_IN_A_ROW));
  return parts.slice(length).flatMap(({ id }, index) => {
    const above = parts[index];
    return above === undefined ? [] : [[above.id, id] as const];
  });
};
