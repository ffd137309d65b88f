import { computed, effect } from '@preact/signals';
import { arriveAt, follow, loadSession, showFile } from '../feed.ts';
import {
  chooseRun,
  connection,
  filter,
  goLive,
  isExported,
  isVerbatim,
  middleTab,
  place,
  selected,
  session,
  shown,
  shownFile,
  shownProcess,
  sideTab,
  storedRun,
  thread,
  wantedEvent,
  wantedPlace,
} from '../page-state.ts';
import { scope } from '../run-scope.ts';
import type { SessionRun } from '../session.ts';
import { comparedPair, homeView, isHome, monitorQuery, runsQuery } from './home.ts';
import { arriveAtEvent } from './wanted-event.ts';
import type { Route, RunRoute } from './route.ts';
import { hashOf, isStep, openingRoute, routeOf } from './route.ts';

/** Pause between places or filters that are written, as a browser refuses many changes of the address at once. */
const REST_MS = 150;

/** The route of what the page shows. */
const shownRoute = computed((): Route => {
  if (isHome.value && homeView.value === 'monitor') return { screen: 'monitor', ...monitorQuery.value };
  if (isHome.value && homeView.value === 'schedules') return { screen: 'schedules' };
  if (isHome.value) return { screen: 'runs', ...runsQuery.value };
  if (comparedPair.value !== undefined) return { screen: 'compare', ...comparedPair.value };
  const { run, text, withEffects, onlyActive } = filter.value;
  const isPast = place.value !== undefined;
  return {
    screen: 'run',
    run: storedRun.value ?? run,
    process: storedRun.value === undefined && run === undefined ? shownProcess.value : undefined,
    isFile: shownFile.value !== undefined,
    view: middleTab.value,
    side: sideTab.value,
    thread: thread.value,
    isVerbatim: isVerbatim.value,
    actor: selected.value,
    event: wantedEvent.value,
    n: wantedPlace.value ?? (isPast ? scope.value.placeOf(shown.value.length) : undefined),
    find: text,
    effects: withEffects,
    onlyActive,
  };
});

let written: Route = openingRoute;
let timer: ReturnType<typeof setTimeout> | undefined;
let isStepDue = false;

/** Takes the token out of the address: the cookie that came with the page has it, also for a reload. */
export const hideToken = (): void => {
  const address = new URL(location.href);
  if (!address.searchParams.has('token')) return;
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
};

/** Shows what the address says, and keeps it up to date. */
export const openAddress = async (): Promise<void> => {
  const { hash } = location;
  const route = routeOf(hash);
  if (!isExported.peek()) await openRuns(route);
  if (route !== undefined) showRest(route);
  // A link that was followed meanwhile leads where it says.
  if (location.hash !== hash) await goBack();
  written = shownRoute.peek();
  write();
  effect(() => {
    void shownRoute.value;
    keep();
  });
  addEventListener('popstate', () => {
    void goBack();
  });
  addEventListener('pagehide', write);
  for (const gesture of ['pointerdown', 'keydown'] as const) addEventListener(gesture, catchUp, true);
};

/** Opens the run that is wanted; without one, what there is. */
const openRuns = async (route: Route | undefined): Promise<void> => {
  const isThere = await loadSession(isFile(route) ? undefined : runOf(route));
  if (connection.peek() === 'refused') return;
  if (route !== undefined) {
    openRun(route);
    return;
  }
  const runs = session.peek()?.runs ?? [];
  const processes = new Set(runs.filter(({ source }) => source === 'live').map((each) => each.process?.id));
  if (processes.size > 0) {
    const [first] = processes;
    // Those of the server itself come first.
    isHome.value = processes.size > 1 && !processes.has(undefined);
    follow(undefined, processes.size > 1 ? undefined : first);
    return;
  }
  const [only, ...others] = runs;
  const isOver = isThere && only?.source === 'stored';
  isHome.value = isOver && others.length > 0;
  follow(isOver && others.length === 0 ? only.run : undefined);
};

const isFile = (route: Route | undefined): boolean => route?.screen === 'run' && route.isFile;

const runOf = (route: Route | undefined): string | undefined =>
  route?.screen === 'run' ? route.run : undefined;

/** The runs of a route that the server may have. */
const runsOf = (route: Route): readonly string[] => {
  if (route.screen !== 'run' && route.screen !== 'compare') return [];
  const keys = route.screen === 'compare' ? [route.left, route.right] : [route];
  return keys.flatMap(({ run, isFile }) => (run === undefined || isFile ? [] : [run]));
};

/** A run of the list of runs. */
export const listedRun = (run: string | undefined): SessionRun | undefined =>
  session.peek()?.runs.find((each) => each.run === run);

/** The recording that a run is in, as far as the list of runs says it. */
const sourceOf = (run: string | undefined): SessionRun['source'] | undefined => listedRun(run)?.source;

/** Follows the recording that has the run of a route. */
const openRun = (route: Route): void => {
  const run = runOf(route);
  if (run !== undefined && isFile(route)) {
    filter.value = { ...filter.peek(), run: undefined };
    if (shownFile.peek() !== run) showFile(run);
    return;
  }
  const stored = run !== undefined && sourceOf(run) === 'stored' ? run : undefined;
  const live = route.screen === 'compare' ? runsOf(route).find((each) => sourceOf(each) === 'live') : run;
  const named = route.screen === 'run' ? route.process : undefined;
  const process = stored === undefined ? (listedRun(live)?.process?.id ?? named) : undefined;
  const isFollowed =
    connection.peek() !== 'connecting' &&
    shownFile.peek() === undefined &&
    storedRun.peek() === stored &&
    shownProcess.peek() === process;
  const isLiveNeeded = route.screen === 'compare' && live !== undefined;
  if (route.screen !== 'run' && !isLiveNeeded) {
    if (connection.peek() === 'connecting') follow();
    return;
  }
  filter.value = { ...filter.peek(), run: stored === undefined ? run : undefined };
  if (!isFollowed) follow(stored, process);
};

/** Shows what a route says beside its run. */
const showRest = (route: Route): void => {
  const isOne = isExported.peek();
  const view = route.screen === 'run' || route.screen === 'compare' ? undefined : route.screen;
  if (view !== undefined) homeView.value = view;
  isHome.value = view !== undefined && !isOne;
  comparedPair.value =
    route.screen === 'compare' && !isOne ? { left: route.left, right: route.right } : undefined;
  if (route.screen === 'runs') {
    const { screen: _, ...query } = route;
    runsQuery.value = query;
    return;
  }
  if (route.screen === 'monitor') {
    const { screen: _, ...query } = route;
    monitorQuery.value = query;
    return;
  }
  if (route.screen === 'run') showRun(route);
};

const showRun = (route: RunRoute): void => {
  const { run, view, side, actor, n, event, find, effects, onlyActive } = route;
  thread.value = route.thread;
  isVerbatim.value = route.isVerbatim;
  middleTab.value = view;
  sideTab.value = side;
  filter.value = { ...filter.peek(), text: find, withEffects: effects, onlyActive };
  if (actor !== undefined) selected.value = actor;
  else if (storedRun.peek() === undefined) chooseRun(run);
  if (event !== undefined) arriveAtEvent(event);
  else if (n === undefined) goLive();
  else arriveAt(n);
};

/** Shows what the address says by now: somebody went back, or changed it. */
const goBack = async (): Promise<void> => {
  const route = routeOf(location.hash);
  clearTimeout(timer);
  timer = undefined;
  isStepDue = false;
  if (route === undefined) return;
  written = route;
  if (!isExported.peek()) {
    if (runsOf(route).some((run) => sourceOf(run) === undefined)) await loadSession(runOf(route));
    openRun(route);
  }
  showRest(route);
};

/** Writes the address: a step at once, of places and filters one now and then. */
const keep = (): void => {
  if (isStep(written, shownRoute.peek())) {
    // Once for all that changes together.
    if (!isStepDue) queueMicrotask(writeStep);
    isStepDue = true;
  } else timer ??= setTimeout(write, REST_MS);
};

/** Writes what is still due before a gesture that may lead elsewhere: the way back comes to it. */
const catchUp = (event: Event): void => {
  if (timer !== undefined && !(event instanceof KeyboardEvent && event.repeat)) write();
};

const writeStep = (): void => {
  if (isStepDue) write();
};

const write = (): void => {
  clearTimeout(timer);
  timer = undefined;
  isStepDue = false;
  const route = shownRoute.peek();
  const hash = hashOf(route);
  const isNext = isStep(written, route);
  written = route;
  if (hash === location.hash) return;
  try {
    if (isNext) history.pushState(null, '', hash);
    else history.replaceState(null, '', hash);
  } catch {
    // A browser may refuse it for a page of a file, or for many changes: what is shown is right all the same.
  }
};
