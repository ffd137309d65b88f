import type { Json } from '../../base/json/json.ts';
import type { Composition } from '../../machines/diagrams/composition.ts';
import type { ActorEntry, Entry, GoneStatus, MovedEntry, NewEntry, Role, StateShape } from './entry.ts';

/** An actor as it stands at some point of a recording. */
export interface ActorView {
  readonly actor: string;
  readonly run: string;
  readonly parent?: string | undefined;
  readonly name: string;
  readonly role: Role;
  readonly chart?: string | undefined;
  readonly composition?: Composition | undefined;
  /** The place at which it came, and those at which it last moved and at which it went. */
  readonly cameAt: number;
  movedAt: number;
  goneAt?: number | undefined;
  status: 'active' | GoneStatus;
  /** The innermost active states, and the arrows by which it got there. */
  states: readonly string[];
  arrows: readonly string[];
  context: Readonly<Record<string, unknown>>;
  output?: Json | undefined;
  /** The number of times that each of its arrows was taken. */
  readonly taken: Map<string, number>;
}

/**
 * All actors of a recording at one of its places: the fold of its entries up to there.
 *
 * @example
 * const tableau = new Tableau();
 * for (const entry of entries) tableau.apply(entry);
 * tableau.actors.get('run-17/clerk')?.states; // ['agent.running.DECIDE']
 */
export class Tableau {
  readonly charts = new Map<string, StateShape>();
  readonly actors = new Map<string, ActorView>();
  /** The number of entries that were taken in. */
  length = 0;

  /** Takes in the next entry. One about an unknown actor changes nothing. */
  apply(entry: Entry): void {
    this.take(entry, entry.n);
  }

  /** The same for an entry at a place. */
  take(entry: NewEntry, n: number): void {
    this.length = n + 1;
    if (entry.kind === 'chart') this.charts.set(entry.chart, entry.shape);
    else if (entry.kind === 'actor') this.actors.set(entry.actor, viewOf(entry, n));
    else if (entry.kind === 'moved') this.moves(entry.actor, entry, n);
    else if (entry.kind === 'gone') {
      const view = this.actors.get(entry.actor);
      if (view === undefined) return;
      view.goneAt = n;
      view.status = entry.status;
      view.output = entry.output;
    }
  }

  /** An actor moves, by the entry at a place. */
  moves(
    actor: string,
    { states, arrows, patch }: Pick<MovedEntry, 'states' | 'arrows' | 'patch'>,
    n: number,
  ): void {
    const view = this.actors.get(actor);
    if (view === undefined) return;
    view.movedAt = n;
    view.states = states;
    view.arrows = arrows;
    for (const arrow of arrows) view.taken.set(arrow, (view.taken.get(arrow) ?? 0) + 1);
    if (patch !== undefined) view.context = { ...view.context, ...patch };
  }

  /** A copy: entries that one takes in later do not reach the other. */
  copy(): Tableau {
    const copy = new Tableau();
    copy.length = this.length;
    for (const [chart, shape] of this.charts) copy.charts.set(chart, shape);
    for (const [actor, view] of this.actors) copy.actors.set(actor, { ...view, taken: new Map(view.taken) });
    return copy;
  }

  /** As plain JSON, for {@link Tableau.from}. */
  toJSON(): TableauData {
    return {
      length: this.length,
      charts: [...this.charts],
      actors: [...this.actors.values()].map((view) => ({ ...view, taken: [...view.taken] })),
    };
  }

  static from({ length, charts, actors }: TableauData): Tableau {
    const tableau = new Tableau();
    tableau.length = length;
    for (const [chart, shape] of charts) tableau.charts.set(chart, shape);
    for (const view of actors) tableau.actors.set(view.actor, { ...view, taken: new Map(view.taken) });
    return tableau;
  }
}

/** A tableau as plain JSON. */
export interface TableauData {
  readonly length: number;
  readonly charts: readonly (readonly [string, StateShape])[];
  readonly actors: readonly (Omit<ActorView, 'taken'> & {
    readonly taken: readonly (readonly [string, number])[];
  })[];
}

const viewOf = (
  { actor, run, parent, name, role, chart, composition }: Omit<ActorEntry, 'n'>,
  n: number,
): ActorView => ({
  actor,
  run,
  parent,
  name,
  role,
  chart,
  ...(composition === undefined ? {} : { composition }),
  cameAt: n,
  movedAt: n,
  status: 'active',
  states: [],
  arrows: [],
  context: {},
  taken: new Map(),
});
