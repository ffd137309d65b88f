import { inputText } from '../drawing/input-text.ts';
import type { Role } from '../recording/entry.ts';
import type { Named } from '../recording/member-name.ts';
import { memberName } from '../recording/member-name.ts';
import type { ActorView, Tableau } from '../recording/tableau.ts';
import { brief, oneLine } from '../drawing/plain-text.ts';
import { countOf } from './figures.ts';

/** Filter of the actor list. */
export interface ActorFilter {
  readonly text: string;
  readonly run: string | undefined;
  /** Finished calls, questions and waits are many: they are shown only on demand. */
  readonly withEffects: 'open' | 'all' | 'none';
  readonly onlyActive: boolean;
  readonly collapsed: ReadonlySet<string>;
}

/** A line of the tree of actors. */
export interface ActorRow {
  readonly view: ActorView;
  readonly depth: number;
  /** The number of actors below it that are shown when it is open. */
  readonly below: number;
  readonly isOpen: boolean;
}

const effects: ReadonlySet<Role> = new Set(['model', 'tool', 'person', 'wait']);

/** An effect of an agent, which a recording shows as an actor. */
export const isEffect = ({ role }: { readonly role: Role }): boolean => effects.has(role);

/** The lines of the tree of actors. Who is sought is shown with those above it. */
export const actorRows = (tableau: Tableau, filter: ActorFilter): readonly ActorRow[] => {
  const below = childrenIn(tableau, filter);
  const rows: ActorRow[] = [];
  const add = (view: ActorView, depth: number): void => {
    const children = below.get(view.actor) ?? [];
    const isOpen = children.length > 0 && (filter.text !== '' || !filter.collapsed.has(view.actor));
    rows.push({ view, depth, below: children.length, isOpen });
    if (isOpen) for (const child of children) add(child, depth + 1);
  };
  for (const view of below.get('') ?? []) add(view, 0);
  return rows;
};

/** Groups the shown actors by parent; `''` for roots. */
const childrenIn = (tableau: Tableau, filter: ActorFilter): ReadonlyMap<string, readonly ActorView[]> => {
  const shown = new Set<string>();
  const show = (view: ActorView | undefined): void => {
    if (view === undefined || shown.has(view.actor)) return;
    shown.add(view.actor);
    if (view.parent !== undefined) show(tableau.actors.get(view.parent));
  };
  for (const view of tableau.actors.values()) if (isWanted(view, filter)) show(view);
  const below = new Map<string, ActorView[]>();
  for (const view of tableau.actors.values()) {
    if (!shown.has(view.actor)) continue;
    const above = view.parent !== undefined && tableau.actors.has(view.parent) ? view.parent : '';
    const siblings = below.get(above);
    if (siblings === undefined) below.set(above, [view]);
    else siblings.push(view);
  }
  return below;
};

const isWanted = (view: ActorView, { text, run, withEffects, onlyActive }: ActorFilter): boolean => {
  if (run !== undefined && view.run !== run) return false;
  if (onlyActive && view.status !== 'active') return false;
  if (isEffect(view) && (withEffects === 'none' || (withEffects === 'open' && view.status !== 'active')))
    return false;
  if (text === '') return true;
  const sought = text.toLowerCase();
  return (
    nameOf(view).toLowerCase().includes(sought) ||
    view.actor.toLowerCase().includes(sought) ||
    (taskOf(view)?.toLowerCase().includes(sought) ?? false) ||
    view.states.some((state) => state.toLowerCase().includes(sought))
  );
};

/** Returns the names of an actor's states, without the prefix common to its chart. */
export const stateNames = ({ states }: Pick<ActorView, 'states'>): string =>
  states.map((state) => state.split('.').slice(-1).join('')).join(' · ');

/** Returns an actor's display name. The actor of a call has its agent's name: it is named after the callee instead. */
export const nameOf = (view: Named & Pick<ActorView, 'context'>): string => {
  if (view.role !== 'call') return memberName(view);
  const called = partOf(partOf(view.context['of'], 'call'), 'name');
  return typeof called === 'string' ? `call of ${called}` : 'call of a model';
};

/** The task of an agent or a team, the arguments of a tool's call; undefined for all others. */
export const taskOf = ({ role, context }: Pick<ActorView, 'role' | 'context'>): string | undefined => {
  const input = context['input'];
  if (!hasTask.has(role) || input === undefined || input === null) return undefined;
  return brief(inputText(input), 200);
};

const hasTask: ReadonlySet<Role> = new Set(['agent', 'team', 'tool']);

/** Says for whom an actor waits: `waits for a person`, `waits for ann, ben and 3 more`; undefined where it works itself. */
export const waitWords = (view: ActorView, open: readonly ActorView[] = []): string | undefined => {
  if (view.status !== 'active' || isEffect(view)) return undefined;
  const working = open.filter(({ role }) => role === 'agent' || role === 'team').map(nameOf);
  const isAsked = open.some(({ role }) => role === 'person');
  const names = isAsked ? ['a person', ...working] : working;
  if (names.length === 0) return undefined;
  const more = names.length > FEW ? ` and ${countOf(names.length - FEW)} more` : '';
  return `waits for ${oneLine(names.slice(0, FEW).join(', '), 60)}${more}`;
};

/** The most for whom an actor waits that are named. */
const FEW = 2;

/** The actors right below each that are not over. */
export const openBelow = ({ actors }: Tableau): ReadonlyMap<string, readonly ActorView[]> => {
  const below = new Map<string, ActorView[]>();
  for (const view of actors.values()) {
    if (view.status !== 'active' || view.parent === undefined) continue;
    const siblings = below.get(view.parent);
    if (siblings === undefined) below.set(view.parent, [view]);
    else siblings.push(view);
  }
  return below;
};

/** States in which an agent waits for a message. */
const IDLE = /\.(?:waiting|awaitingApproval|ambiguous)$|^tool(?:Call)?\.asked$/;

/** Checks whether a run cannot continue before a person has answered. */
export const waitsForPerson = (tableau: Tableau, run: string): boolean => {
  const active = [...tableau.actors.values()].filter((view) => view.run === run && view.status === 'active');
  const above = new Set(active.map(({ parent }) => parent));
  const leaves = active.filter(({ actor }) => !above.has(actor));
  const isIdle = ({ role, states }: ActorView): boolean =>
    role === 'person' || role === 'wait' || states.some((state) => IDLE.test(state));
  return leaves.some(({ role }) => role === 'person') && leaves.every(isIdle);
};

/** A limit of an actor, and how much of it is used. */
export interface Gauge {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly fraction: number;
}

/** Returns an actor's budgets, the tightest first. */
export const budgetsOf = ({ context }: Pick<ActorView, 'context'>): readonly Gauge[] => {
  const budget = partOf(context['tally'], 'budget');
  if (typeof budget !== 'object' || budget === null) return [];
  const gauges = Object.entries(budget).flatMap(([name, line]: readonly [string, unknown]): Gauge[] => {
    const [used, limit, fraction] = [partOf(line, 'used'), partOf(line, 'limit'), partOf(line, 'fraction')];
    return typeof used === 'number' && typeof limit === 'number' && typeof fraction === 'number'
      ? [{ name, used, limit, fraction }]
      : [];
  });
  return gauges.toSorted((one, other) => other.fraction - one.fraction);
};

/** The number of messages that wait for an actor; undefined where it has no mailbox. */
export const mailboxOf = ({ context }: Pick<ActorView, 'context'>): number | undefined => {
  const inbox = context['inbox'];
  if (Array.isArray(inbox)) return inbox.length;
  const length = partOf(inbox, 'length');
  return typeof length === 'number' ? length : undefined;
};

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
