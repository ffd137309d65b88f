import { isEndPhase } from '../../../events/progress/agent-progress.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { ArrowShape, StateShape } from '../../recording/entry.ts';

/** The states that actors of one name entered, in that order, and where each led to. */
type Walk = Map<string, Set<string>>;

/**
 * The charts of actors whose machines a trace does not hold, by the names that `nameAt` gives their addresses: the states that they entered, and the arrows that they took. What
 * no actor of the name went through is not in it.
 */
export const walkedCharts = (
  events: readonly RuntimeEvent[],
  nameAt: (path: string) => string | undefined,
): ReadonlyMap<string, StateShape> => {
  const walks = new Map<string, Walk>();
  const at = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'phase.entered') continue;
    const { path, phase } = event;
    const name = nameAt(path);
    if (name === undefined) continue;
    const walk: Walk = walks.get(name) ?? new Map<string, Set<string>>();
    walks.set(name, walk);
    if (!walk.has(phase)) walk.set(phase, new Set());
    const from = at.get(path);
    if (from !== undefined && from !== phase) walk.get(from)?.add(phase);
    at.set(path, phase);
  }
  return new Map([...walks].map(([name, walk]) => [name, shapeOf(name, walk)]));
};

const shapeOf = (name: string, walk: Walk): StateShape => {
  const states = [...walk].map(([phase, targets]): StateShape => {
    const arrows = [...targets].map((to): ArrowShape => ({
      id: walkedArrow(name, phase, to),
      // Of what led there, a trace has no record.
      event: '',
      targets: [walkedState(name, to)],
      actions: [],
    }));
    const type = arrows.length === 0 && isEndPhase(phase) ? 'final' : 'atomic';
    return { id: walkedState(name, phase), key: phase, type, initial: [], states: [], arrows };
  });
  const [first] = states;
  return {
    id: name,
    key: name,
    type: 'compound',
    description: 'As far as its runs went through it: of other states and arrows, a trace has no record.',
    initial: first === undefined ? [] : [first.id],
    states,
    arrows: [],
  };
};

/** The id of a state of such a chart. */
export const walkedState = (name: string, phase: string): string => `${name}.${phase}`;

/** The id of an arrow of such a chart. */
export const walkedArrow = (name: string, from: string, to: string): string =>
  `${walkedState(name, from)}: ${to} #0`;
