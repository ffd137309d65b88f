/** The operations that are asked for by a path below the address of an agent. */
export type RestOperation =
  | 'send'
  | 'stream'
  | 'list'
  | 'cancel'
  | 'subscribe'
  | 'push'
  | 'get'
  | 'extended-card';

/** An operation that was found by a path. */
export interface RestRoute {
  readonly operation: RestOperation;
  readonly methods: readonly string[];
  /** The id of the task; empty where there is none. */
  readonly id: string;
}

/** Looked at in this order: the id of a task is what is left. */
const ROUTES: readonly (readonly [RestOperation, readonly string[], RegExp])[] = [
  ['send', ['POST'], /^\/message:send$/],
  ['stream', ['POST'], /^\/message:stream$/],
  ['list', ['GET'], /^\/tasks$/],
  ['cancel', ['POST'], /^\/tasks\/([^/]+):cancel$/],
  ['subscribe', ['POST', 'GET'], /^\/tasks\/([^/]+):subscribe$/],
  ['push', ['POST', 'GET', 'DELETE'], /^\/tasks\/([^/]+)\/pushNotificationConfigs(?:\/[^/]+)?$/],
  ['get', ['GET'], /^\/tasks\/([^/]+)$/],
  ['extended-card', ['GET'], /^\/extendedAgentCard$/],
];

/** Finds the operation of a path; undefined for any other path. */
export const restRouteOf = (path: string): RestRoute | undefined => {
  const decoded = decode(path);
  for (const [operation, methods, pattern] of ROUTES) {
    const found = decoded === undefined ? null : pattern.exec(decoded);
    if (found !== null) return { operation, methods, id: found[1] ?? '' };
  }
  return undefined;
};

/** Undefined for what is not encoded as it has to be. */
const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};
