import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import type { Breakpoint } from './breakpoint.ts';
import type { NewEntry, StateShape } from './entry.ts';
import type { Tableau } from './tableau.ts';

/** The usage of a run. */
export interface Spent {
  readonly usd: number;
  readonly tokens: number;
}

/** An entry about an actor, with what it takes to judge it. */
export interface Sight {
  readonly entry: Exclude<NewEntry, { kind: 'chart' }>;
  /** The actor's name and address. */
  readonly name: string;
  readonly path: string;
  /** The states that it has entered by this, and those above them. */
  readonly entered: readonly string[];
  /** The run's usage before the entry, and with it. */
  readonly before: Spent;
  readonly spent: Spent;
}

/** The reason to pause a run at an entry, in words; undefined for none. Pure. */
const reasonToBreak = (breakpoint: Breakpoint, sight: Sight): string | undefined => {
  const { entry, name, before, spent } = sight;
  if ('actor' in breakpoint && breakpoint.actor !== undefined && !isAbout(breakpoint.actor, sight))
    return undefined;
  const { value } = breakpoint;
  switch (breakpoint.kind) {
    case 'actor':
      return entry.kind === 'actor' && isAbout(breakpoint.value, sight) ? `'${name}' has come` : undefined;
    case 'state': {
      const isIn = sight.entered.some((id) => id === value || id.endsWith(`.${value}`));
      return isIn ? `'${name}' has entered ${value}` : undefined;
    }
    case 'event':
      if ((entry.kind !== 'published' && entry.kind !== 'received') || entry.event.type !== value)
        return undefined;
      return `'${name}' ${entry.kind === 'published' ? 'published' : 'received'} ${value}`;
    case 'guard':
      return isTaken(entry, (id) => id.endsWith(`[${value}]`))
        ? `'${name}' went on as ${value} held`
        : undefined;
    case 'arrow':
      return isTaken(entry, (id) => id === value) ? `'${name}' took ${value}` : undefined;
    case 'cost':
      return before.usd <= breakpoint.value && spent.usd > breakpoint.value
        ? `the run has cost more than ${value} US dollars`
        : undefined;
    case 'tokens':
      return before.tokens <= breakpoint.value && spent.tokens > breakpoint.value
        ? `the run has used more than ${value} tokens`
        : undefined;
  }
};

const isAbout = (actor: string, { name, path, entry }: Sight): boolean =>
  actor === name || actor === path || actor === entry.actor;

const isTaken = (entry: Sight['entry'], isIt: (arrow: string) => boolean): boolean =>
  entry.kind === 'moved' && entry.arrows.some(isIt);

/** An entry at which a run is to be paused. */
export interface Hit {
  readonly run: string;
  readonly actor: string;
  readonly breakpoint: Breakpoint;
  readonly why: string;
}

interface Seen {
  readonly run: string;
  readonly name: string;
  readonly chart: string | undefined;
  states: readonly string[];
}

const NOTHING: Spent = { usd: 0, tokens: 0 };

/** Looks for breakpoints in entries, one after the other. */
export class Breakpoints {
  #ofAll: readonly Breakpoint[] = [];
  readonly #ofRuns = new Map<string, readonly Breakpoint[]>();
  readonly #actors = new Map<string, Seen>();
  readonly #spent = new Map<string, Spent>();
  /** The targets of arrows, by chart and arrow. */
  readonly #targets = new Map<string, ReadonlyMap<string, readonly string[]>>();

  /** Those of one run, or those of all. */
  of(run?: string): readonly Breakpoint[] {
    return run === undefined ? this.#ofAll : (this.#ofRuns.get(run) ?? []);
  }

  /** In place of those before: of one run, or of all. */
  set(breakpoints: readonly Breakpoint[], run?: string): void {
    if (run === undefined) this.#ofAll = breakpoints;
    else if (breakpoints.length === 0) this.#ofRuns.delete(run);
    else this.#ofRuns.set(run, breakpoints);
  }

  /** Begins with actors as they are, before the next entry is taken in. */
  begin({ charts, actors }: Pick<Tableau, 'charts' | 'actors'>): void {
    for (const [chart, shape] of charts) this.#targets.set(chart, targetsIn(shape));
    for (const { actor, run, name, chart, states, goneAt } of actors.values())
      // Events may follow the end of an agent; none follows that of an effect.
      if (goneAt === undefined || !actor.includes('#')) this.#actors.set(actor, { run, name, chart, states });
  }

  /** Counts what a run has used by an event that is not taken in as an entry. */
  spend(run: string, event: EventBody): void {
    if (event.type === 'run.ended') this.#spent.delete(run);
    else if ('usage' in event) this.#spent.set(run, addUsage(this.#spent.get(run) ?? NOTHING, event));
  }

  /** Takes in the next entry: gives the first reason to stop at it. */
  take(entry: NewEntry): Hit | undefined {
    if (entry.kind === 'chart') {
      this.#targets.set(entry.chart, targetsIn(entry.shape));
      return undefined;
    }
    if (entry.kind === 'break' || entry.kind === 'resumed') return undefined;
    if (entry.kind === 'actor') {
      const { run, name, chart } = entry;
      this.#actors.set(entry.actor, { run, name, chart, states: [] });
    }
    const seen = this.#actors.get(entry.actor);
    if (seen === undefined) return undefined;
    const { run } = seen;
    const before = this.#spent.get(run) ?? NOTHING;
    const spent = entry.kind === 'published' ? addUsage(before, entry.event) : before;
    if (spent !== before) this.#spent.set(run, spent);
    const hit = this.#hit(entry, seen, before, spent);
    if (entry.kind === 'moved') seen.states = entry.states;
    // Events may follow the end of an agent; none follows that of an effect.
    if (entry.kind === 'gone' && entry.actor.includes('#')) this.#actors.delete(entry.actor);
    if (entry.kind === 'published' && entry.event.type === 'run.ended') this.#forget(run);
    return hit;
  }

  #hit(entry: Sight['entry'], { run, name, chart, states }: Seen, before: Spent, spent: Spent) {
    const own = this.#ofRuns.get(run) ?? [];
    if (own.length === 0 && this.#ofAll.length === 0) return undefined;
    const { actor } = entry;
    const targets = this.#targets.get(chart ?? '');
    const entered = entry.kind === 'moved' ? statesEntered(states, entry, targets) : [];
    const sight = { entry, name, path: actor.slice(run.length + 1), entered, before, spent };
    for (const breakpoint of [...own, ...this.#ofAll]) {
      const why = reasonToBreak(breakpoint, sight);
      if (why !== undefined) return { run, actor, breakpoint, why };
    }
    return undefined;
  }

  #forget(run: string): void {
    for (const [actor, seen] of this.#actors) if (seen.run === run) this.#actors.delete(actor);
    this.#spent.delete(run);
    this.#ofRuns.delete(run);
  }
}

/** The states that an actor has entered by a move, and those above them; one that it left and came back to, too. */
const statesEntered = (
  before: readonly string[],
  { states, arrows }: Extract<NewEntry, { kind: 'moved' }>,
  targets: ReadonlyMap<string, readonly string[]> | undefined,
): readonly string[] => {
  const active = new Set(before.flatMap(withAbove));
  const entered = states.flatMap(withAbove).filter((id) => !active.has(id));
  return [...entered, ...arrows.flatMap((arrow) => targets?.get(arrow) ?? [])];
};

/** A state and those that it is in, by how ids are made. */
const withAbove = (id: string): readonly string[] =>
  id.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.'));

const targetsIn = (shape: StateShape): ReadonlyMap<string, readonly string[]> => {
  const targets = new Map<string, readonly string[]>();
  const add = ({ arrows, states }: StateShape): void => {
    for (const { id, targets: to } of arrows) targets.set(id, to);
    states.forEach(add);
  };
  add(shape);
  return targets;
};

/** The usage, with that of an event. */
const addUsage = (
  spent: Spent,
  event: EventBody | RuntimeEvent | { readonly type: 'model.delta' },
): Spent => {
  if (!('usage' in event) || event.usage === undefined) return spent;
  const { input, output } = event.usage;
  return {
    usd: spent.usd + (event.costUsd ?? 0),
    tokens: spent.tokens + input + output,
  };
};
