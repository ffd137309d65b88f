import type { IncomingMessage } from 'node:http';

/** The longest name of a page, in characters. */
const LONGEST_PAGE = 40;

/** The longest text that is looked for, in characters. */
const LONGEST_FIND = 500;

/** A resource or an operation of the server. */
export type Route =
  | {
      readonly name: 'page' | 'session' | 'runs' | 'report' | 'schedules' | 'said' | 'live';
      readonly method: 'GET';
    }
  | { readonly name: 'control' | 'watched'; readonly method: 'POST' }
  | { readonly name: 'process'; readonly method: 'GET'; readonly process: string }
  | { readonly name: 'stored'; readonly method: 'GET'; readonly runId: string }
  | ContentRoute;

/** Media of a run, by their hash. */
export interface ContentRoute {
  readonly name: 'content';
  readonly method: 'GET';
  readonly runId: string;
  readonly hash: string;
}

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { name: 'page', method: 'GET' }],
  ['/api/session', { name: 'session', method: 'GET' }],
  ['/api/runs', { name: 'runs', method: 'GET' }],
  ['/api/report', { name: 'report', method: 'GET' }],
  ['/api/schedules', { name: 'schedules', method: 'GET' }],
  ['/api/said', { name: 'said', method: 'GET' }],
  ['/api/recording', { name: 'live', method: 'GET' }],
  ['/api/control', { name: 'control', method: 'POST' }],
  ['/api/watched', { name: 'watched', method: 'POST' }],
]);

/** The route of a path; undefined if there is nothing. */
export const routeOf = (path: string): Route | undefined => {
  const [, process] = /^\/api\/processes\/([\w-]{1,40})\/recording$/.exec(path) ?? [];
  if (process !== undefined) return { name: 'process', method: 'GET', process };
  const [, stored, holder, hash] =
    /^\/api\/(?:stored\/([^/]{1,2000})\/recording|content\/([^/]{1,2000})\/([0-9a-f]{64}))$/.exec(path) ?? [];
  const runId = decodePart(stored ?? holder ?? '');
  if (runId === undefined || runId === '') return routes.get(path);
  return hash === undefined
    ? { name: 'stored', method: 'GET', runId }
    : { name: 'content', method: 'GET', runId, hash };
};

const decodePart = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** A target that starts with two slashes is a path here, not another host. */
export const urlOf = ({ url = '' }: IncomingMessage): URL | undefined => {
  const whole = `http://localhost${url}`;
  return url.startsWith('/') && URL.canParse(whole) ? new URL(whole) : undefined;
};

/** Returns the position of a viewer: after its last event, or the one it asks for. */
export const fromOf = (url: URL, last: string | undefined): number => {
  if (last !== undefined && /^\d{1,15}$/.test(last)) return Number(last) + 1;
  const from = url.searchParams.get('from') ?? '';
  return /^\d{1,15}$/.test(from) ? Number(from) : 0;
};

/** The run that is to be in the list, however old it is. */
export const runIn = ({ searchParams }: URL): string | undefined => {
  const run = searchParams.get('run') ?? '';
  return run === '' || run.length > 2_000 ? undefined : run;
};

/** The name that a page gave itself: one for all without any. */
export const pageIn = ({ searchParams }: URL): string =>
  (searchParams.get('page') ?? '').slice(0, LONGEST_PAGE);

/** Words that are looked for. */
export const findIn = ({ searchParams }: URL): string =>
  (searchParams.get('find') ?? '').slice(0, LONGEST_FIND);

/** The version of the rows that a page has; undefined if it has none. */
export const sinceIn = ({ searchParams }: URL): number | undefined => {
  const since = searchParams.get('since') ?? '';
  return /^\d{1,15}$/.test(since) ? Number(since) : undefined;
};

/** The process that a page shows. */
export const processIn = ({ searchParams }: URL): string | undefined =>
  searchParams.get('process')?.slice(0, LONGEST_PAGE);

/** Checks whether it is the inspector of another process that asks: it wants to know what is of this process alone. */
export const isRelay = (url: URL): boolean => relayIn(url) !== undefined;

/** The number of the process whose inspector asks, 0 if it does not say it; undefined for a page. */
export const relayIn = ({ searchParams }: URL): number | undefined => {
  const relay = searchParams.get('relay');
  if (relay === null) return undefined;
  return /^[1-9]\d{0,9}$/.test(relay) ? Number(relay) : 0;
};
