import type { Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import type { EffectChoice, MiddleView, SideView, ThreadChoice } from '../page-state.ts';
import type { RunsQuery } from '../home/runs-query.ts';
import { queryOf, queryText } from '../home/runs-query.ts';
import type { MonitorQuery } from '../monitor/monitor-query.ts';
import { monitorOf, monitorText } from '../monitor/monitor-query.ts';

/** The table of all runs. */
export interface RunsRoute extends RunsQuery {
  readonly screen: 'runs';
}

/** The work of all runs, added up. */
export interface MonitorRoute extends MonitorQuery {
  readonly screen: 'monitor';
}

/** The schedules of stores. */
export interface SchedulesRoute {
  readonly screen: 'schedules';
}

/** A run by its address: one of the server, or of a file that was opened in the page. */
export interface RunKey {
  readonly run: string;
  readonly isFile: boolean;
}

/** Two runs side by side. */
export interface CompareRoute extends Sides<RunKey> {
  readonly screen: 'compare';
}

/** A run, or all live ones, and how it is looked at. */
export interface RunRoute {
  readonly screen: 'run';
  /** Undefined: all live runs. */
  readonly run: string | undefined;
  /** True for the run of a file that was opened in the page. */
  readonly isFile: boolean;
  /** The other process whose live runs are shown; undefined: the server's, or that of the run. */
  readonly process?: string | undefined;
  readonly view: MiddleView;
  readonly side: SideView;
  readonly thread: ThreadChoice;
  readonly isVerbatim: boolean;
  readonly actor: string | undefined;
  /** Number of entries of the run that are shown; undefined: all, live. */
  readonly n: number | undefined;
  /** The number of the event of the run that is gone to; it becomes a number of entries. */
  readonly event?: number | undefined;
  /** Filter of the list of actors. */
  readonly find: string;
  readonly effects: EffectChoice;
  readonly onlyActive: boolean;
}

/** The part of the page's state that its address holds, so that a link leads there, and a reload loses nothing. */
export type Route = RunsRoute | MonitorRoute | SchedulesRoute | CompareRoute | RunRoute;

const middleViews: Readonly<Record<MiddleView, true>> = {
  work: true,
  chart: true,
  sequence: true,
  events: true,
  time: true,
  cost: true,
  errors: true,
};
const sideViews: Readonly<Record<SideView, true>> = {
  transcript: true,
  context: true,
  breakpoints: true,
  run: true,
};
const threadChoices: Readonly<Record<ThreadChoice, true>> = { team: true, agent: true };
const effectChoices: Readonly<Record<EffectChoice, true>> = { open: true, all: true, none: true };

/** The view of a run as it opens. */
export const openingRoute: RunRoute = {
  screen: 'run',
  run: undefined,
  isFile: false,
  view: 'chart',
  side: 'transcript',
  thread: 'team',
  isVerbatim: false,
  actor: undefined,
  n: undefined,
  find: '',
  effects: 'open',
  onlyActive: false,
};

/** Reads the part of an address after `#`; undefined if it names nothing of the page. Never throws. */
export const routeOf = (hash: string): Route | undefined => {
  const [path = '', ...rest] = hash.replace(/^#/, '').split('?');
  const said = new URLSearchParams(rest.join('?'));
  const [, place, ...parts] = path.split('/');
  if (place === 'runs') return { screen: 'runs', ...queryOf(said) };
  if (place === 'monitor') return { screen: 'monitor', ...monitorOf(said) };
  if (place === 'schedules') return { screen: 'schedules' };
  if (place === 'compare') return compareRouteOf(parts);
  if (place !== 'live' && place !== 'run' && place !== 'file') return undefined;
  const run = place === 'live' ? undefined : decode(parts.shift());
  if (place !== 'live' && run === undefined) return undefined;
  const actor = said.get('actor') ?? undefined;
  const process = run === undefined ? (said.get('process') ?? undefined) : undefined;
  return {
    screen: 'run',
    run,
    process: process !== undefined && /^[\w-]{1,40}$/.test(process) ? process : undefined,
    isFile: place === 'file',
    view: choiceOf(middleViews, parts[0], openingRoute.view),
    side: choiceOf(sideViews, said.get('side'), openingRoute.side),
    thread: choiceOf(threadChoices, said.get('thread'), openingRoute.thread),
    isVerbatim: said.has('verbatim'),
    // Actors of a run are named by their address in it.
    actor: run === undefined || actor === undefined ? actor : `${run}/${actor}`,
    n: countIn(said.get('n')),
    event: countIn(said.get('event')),
    find: said.get('find') ?? '',
    effects: choiceOf(effectChoices, said.get('effects'), openingRoute.effects),
    onlyActive: said.has('active'),
  };
};

/** The part of the address after `#`, from which {@link routeOf} reads the same. */
export const hashOf = (route: Route): string => {
  if (route.screen === 'runs') return `#/runs${queryOfFields(queryText(route))}`;
  if (route.screen === 'monitor') return `#/monitor${queryOfFields(monitorText(route))}`;
  if (route.screen === 'schedules') return '#/schedules';
  if (route.screen === 'compare') return `#/compare/${keyText(route.left)}/${keyText(route.right)}`;
  const { run, isFile, view, side, thread, isVerbatim, actor, n, event, find, effects, onlyActive } = route;
  const place = run === undefined ? 'live' : keyText({ run, isFile });
  const named = actor !== undefined && run !== undefined ? withinRun(actor, run) : actor;
  return `#/${place}/${view}${queryOfFields([
    ['process', run === undefined ? route.process : undefined],
    ['actor', named],
    ['n', n === undefined ? undefined : String(n)],
    ['event', event === undefined ? undefined : String(event)],
    ['side', side === openingRoute.side ? undefined : side],
    ['thread', thread === openingRoute.thread ? undefined : thread],
    ['verbatim', isVerbatim ? '1' : undefined],
    ['find', find === '' ? undefined : find],
    ['effects', effects === openingRoute.effects ? undefined : effects],
    ['active', onlyActive ? '1' : undefined],
  ])}`;
};

/** Checks whether the way back leads from one to the other: it does not stop at each place in time, and each letter of a filter. */
export const isStep = (before: Route, after: Route): boolean => {
  if (before.screen === 'compare' && after.screen === 'compare') return hashOf(before) !== hashOf(after);
  if (before.screen !== 'run' || after.screen !== 'run') return before.screen !== after.screen;
  return (
    before.run !== after.run ||
    before.process !== after.process ||
    before.isFile !== after.isFile ||
    before.view !== after.view ||
    before.side !== after.side ||
    before.thread !== after.thread ||
    // The first actor is chosen by the page itself.
    (before.actor !== undefined && after.actor !== undefined && before.actor !== after.actor)
  );
};

const compareRouteOf = (parts: readonly string[]): CompareRoute | undefined => {
  const [left, right] = [keyIn(parts[0], parts[1]), keyIn(parts[2], parts[3])];
  return left === undefined || right === undefined ? undefined : { screen: 'compare', left, right };
};

const keyIn = (place: string | undefined, name: string | undefined): RunKey | undefined => {
  const run = decode(name);
  return run === undefined || (place !== 'run' && place !== 'file')
    ? undefined
    : { run, isFile: place === 'file' };
};

/** A run as a part of an address; it tells runs apart. */
export const keyText = ({ run, isFile }: RunKey): string => `${isFile ? 'file' : 'run'}/${encode(run)}`;

/** The address of an actor in its run; undefined for one of another. */
const withinRun = (actor: string, run: string): string | undefined =>
  actor.startsWith(`${run}/`) ? actor.slice(run.length + 1) : undefined;

const queryOfFields = (fields: readonly (readonly [string, string | undefined])[]): string => {
  const said = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encode(value).replaceAll('%2F', '/')}`],
  );
  return said.length === 0 ? '' : `?${said.join('&')}`;
};

const choiceOf = <Name extends string>(
  names: Readonly<Record<Name, true>>,
  given: string | null | undefined,
  otherwise: Name,
): Name => (isOneOf(names, given) ? given : otherwise);

const isOneOf = <Name extends string>(
  names: Readonly<Record<Name, true>>,
  given: string | null | undefined,
): given is Name => typeof given === 'string' && Object.hasOwn(names, given);

const countIn = (given: string | null): number | undefined =>
  given !== null && /^\d{1,15}$/.test(given) ? Number(given) : undefined;

/** Half of a character cannot be in an address. */
const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'));

const decode = (text: string | undefined): string | undefined => {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
