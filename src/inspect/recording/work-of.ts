import type { Composition, CompositionPart } from '../../machines/diagrams/composition.ts';
import { isEndPart, placeOfPart } from '../drawing/composition-drawing.ts';
import type { ActorView, Tableau } from './tableau.ts';

/** The status of a part of a run. A part that was not engaged yet is `idle`. */
export type WorkStatus = 'idle' | 'active' | 'waits' | 'done' | 'failed' | 'stopped' | 'skipped';

/** A part of a run at some place of its recording. */
export interface Work {
  readonly status: WorkStatus;
  /** Its actors, in the order in which they came: a member may be engaged several times. */
  readonly actors: readonly ActorView[];
  /** Present for equal members in one box: the work of each, by its role. */
  readonly members?: ReadonlyMap<string, Work> | undefined;
}

/** The clock of a recording: when an entry was added, if that is still known, and the time at the place that is shown. */
export interface RecordedTimes {
  readonly at: (n: number) => number | undefined;
  readonly now: number;
}

/** Sums the time that actors were at work, in ms; undefined where that is not known. */
export const timeOf = ({ actors }: Work, { at, now }: RecordedTimes): number | undefined => {
  let sum: number | undefined;
  for (const { cameAt, goneAt } of actors) {
    const begun = at(cameAt);
    const ended = goneAt === undefined ? now : at(goneAt);
    if (begun !== undefined && ended !== undefined) sum = (sum ?? 0) + Math.max(0, ended - begun);
  }
  return sum;
};

/** Joins a composition with the actors of a run: the work of each part, by its place in the drawing. */
export const workOf = (
  composition: Composition,
  root: ActorView,
  tableau: Tableau,
): ReadonlyMap<string, Work> => {
  const below = childrenIn(tableau, root.run);
  const found = new Map<string, Work>();
  const join = ({ parts }: Composition, above: readonly ActorView[], around: string): void => {
    for (const part of parts) {
      const place = placeOfPart(around, part);
      const { inside } = part;
      if (part.kind === 'group' && inside !== undefined) {
        const members = new Map(inside.parts.map((each) => [each.id, workOfPart(each, above, root, below)]));
        found.set(place, sumUp(members));
      } else {
        const work = workOfPart(part, above, root, below);
        found.set(place, work);
        if (inside !== undefined) join(inside, work.actors, place);
      }
    }
  };
  join(composition, [root], '');
  return found;
};

type Children = ReadonlyMap<string, readonly ActorView[]>;

/** The actors of a run by those above them; calls are passed over, as they work for the caller. */
const childrenIn = ({ actors }: Tableau, run: string): Children => {
  const below = new Map<string, ActorView[]>();
  const aboveOf = (view: ActorView): string | undefined => {
    const above = actors.get(view.parent ?? '');
    return above?.role === 'call' ? aboveOf(above) : above?.actor;
  };
  for (const view of actors.values()) {
    const above = view.run === run && view.role !== 'call' ? aboveOf(view) : undefined;
    if (above === undefined) continue;
    const known = below.get(above);
    if (known === undefined) below.set(above, [view]);
    else known.push(view);
  }
  return below;
};

const workOfPart = (
  part: CompositionPart,
  above: readonly ActorView[],
  root: ActorView,
  below: Children,
): Work => {
  if (isEndPart(part)) return workOfEnd(part, above);
  // A step of the team itself is no actor: it is done when the team is.
  if (part.kind === 'step') return workOfEnd(part, above);
  const isItself = part.id.startsWith('agent:');
  const actors = isItself
    ? above
    : above.flatMap(({ actor }) => below.get(actor) ?? []).filter((view) => isOf(part, view));
  const told = above.map((team) => nodeStatus(team, part.id)).findLast((status) => status !== undefined);
  return { actors, status: told !== undefined && actors.length === 0 ? told : statusOf(actors, below) };
};

/** The input is there from the start, and the output when the team ends. */
const workOfEnd = ({ kind }: CompositionPart, above: readonly ActorView[]): Work => {
  const [first] = above;
  if (first === undefined) return { actors: [], status: 'idle' };
  if (kind === 'input') return { actors: [], status: 'done' };
  return { actors: [], status: first.status === 'active' ? 'idle' : first.status };
};

/** Checks whether an actor is engaged as a part: the last part of its address is the role, and a number as several may have it. */
const isOf = (part: CompositionPart, { actor, role, name }: ActorView): boolean => {
  const { id, kind, description, lines } = part;
  // A toolset, which has no description, names what is in it.
  if (kind === 'tool')
    return role === 'tool' && (id === `tool:${name}` || (description === '' && lines.includes(name)));
  if (role !== 'agent' && role !== 'team') return false;
  const own = actor.slice(actor.lastIndexOf('/') + 1);
  return own === id || own.replace(/-\d+$/, '') === id;
};

const statusOf = (actors: readonly ActorView[], below: Children): WorkStatus => {
  const active = actors.filter(({ status }) => status === 'active');
  if (active.some((view) => waits(view, below))) return 'waits';
  if (active.length > 0) return 'active';
  const last = actors.at(-1)?.status;
  return last === undefined ? 'idle' : last === 'active' ? 'active' : last;
};

/** Checks whether an actor, or one that works for it, waits for a person. */
const waits = ({ actor }: ActorView, below: Children): boolean =>
  (below.get(actor) ?? []).some(
    (view) => view.status === 'active' && (view.role === 'person' || waits(view, below)),
  );

const nodeStatuses: Readonly<Record<string, WorkStatus>> = {
  pending: 'idle',
  ready: 'idle',
  held: 'idle',
  running: 'active',
  waiting: 'active',
  completed: 'done',
  failed: 'failed',
  skipped: 'skipped',
};

/** The status of a workflow's node, as the team's context has it: nobody is engaged for one that is skipped. */
const nodeStatus = ({ context }: ActorView, id: string): WorkStatus | undefined => {
  const status = fieldOf(fieldOf(fieldOf(context['own'], 'nodes'), id), 'status');
  return typeof status === 'string' ? nodeStatuses[status] : undefined;
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/** The work of equal members as one. */
const sumUp = (members: ReadonlyMap<string, Work>): Work => {
  const all = [...members.values()];
  const has = (status: WorkStatus): boolean => all.some((each) => each.status === status);
  const status = (['waits', 'active', 'failed', 'stopped', 'done', 'skipped'] as const).find(has) ?? 'idle';
  return { status, actors: all.flatMap(({ actors }) => actors), members };
};

/** The places in which a composition has those that were engaged and wait, are at work, or came last. */
export const busiestPlace = (works: ReadonlyMap<string, Work>): string | undefined => {
  const places = [...works].filter(([, { actors }]) => actors.length > 0);
  // Inner ones come after those around them.
  const [found] = places.findLast(([, { status }]) => status === 'waits' || status === 'active') ?? [];
  return found;
};
