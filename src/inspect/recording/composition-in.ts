import type { Composition, CompositionPart } from '../../machines/diagrams/composition.ts';
import { groupParts } from '../../machines/diagrams/composition.ts';
import type { ActorView, Tableau } from './tableau.ts';

const ends: readonly CompositionPart[] = (['input', 'output'] as const).map((kind) => ({
  id: `${kind}:`,
  kind,
  title: kind,
  description: '',
  lines: [],
}));

/**
 * The composition of a run: that of its recording, else, as a recording of events has none, what its actors tell: who works for whom.
 * `tableau` is that of the end, so that it stays the same wherever the recording is looked at.
 */
export const compositionIn = (root: ActorView, tableau: Tableau): Composition =>
  root.composition ?? deriveFrom(root, [...tableau.actors.values()]);

const deriveFrom = (above: ActorView, actors: readonly ActorView[]): Composition => {
  const parts = new Map<string, CompositionPart>();
  for (const view of actors) {
    const part = view.parent === above.actor ? partOf(view, actors) : undefined;
    if (part !== undefined) parts.set(part.id, parts.get(part.id) ?? part);
  }
  const self: CompositionPart = {
    id: `agent:${above.name}`,
    kind: above.role === 'team' ? 'team' : 'agent',
    title: above.name,
    description: '',
    lines: [],
  };
  const [input, output] = ends;
  return groupParts({
    name: above.name,
    description: '',
    parts: [
      ...(input === undefined ? [] : [input]),
      self,
      ...parts.values(),
      ...(output === undefined ? [] : [output]),
    ],
    arrows: [
      { from: 'input:', to: self.id, text: '', isTwoWay: false },
      ...[...parts.keys()].map((to) => ({ from: self.id, to, text: '', isTwoWay: true })),
      { from: self.id, to: 'output:', text: '', isTwoWay: false },
    ],
  });
};

const partOf = (view: ActorView, actors: readonly ActorView[]): CompositionPart | undefined => {
  const { role, name, actor } = view;
  if (role === 'tool') return { id: `tool:${name}`, kind: 'tool', title: name, description: '', lines: [] };
  if (role !== 'agent' && role !== 'team') return undefined;
  const id = actor.slice(actor.lastIndexOf('/') + 1).replace(/-\d+$/, '');
  const hasMembers = actors.some(
    ({ parent, role: of }) => parent === actor && (of === 'agent' || of === 'team'),
  );
  return {
    id,
    kind: role,
    title: id,
    description: '',
    lines: name === id ? [] : [name],
    inside: hasMembers ? deriveFrom(view, actors) : undefined,
  };
};
