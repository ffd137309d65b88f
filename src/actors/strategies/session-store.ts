/** A session of an external engine. */
export interface Session {
  readonly id: string;
  /** In ms since 1970; not continued from then on. */
  readonly expiresAt: number;
}

/** Stores sessions by a key made of thread, path and agent. */
export interface SessionStore {
  /** @throws `session.lost` for a corrupt entry: it is deleted, and the run reports that. */
  get(key: string): Session | undefined | Promise<Session | undefined>;
  set(key: string, session: Session): void | Promise<void>;
  delete(key: string): void | Promise<void>;
}

/** Ids become part of requests, command lines and URLs: no character in them may have a meaning there. */
const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,255}$/;

/** Checks whether an id is valid. */
export const isSessionId = (id: unknown): id is string => typeof id === 'string' && SESSION_ID.test(id);

/**
 * Sessions in memory: the most recently used, up to `limit` (default 1,000). They end with the process.
 *
 * @example passthrough({ engine, sessions: memorySessions(50) })
 */
export const memorySessions = (limit = 1_000): SessionStore => {
  const kept = new Map<string, Session>();
  return {
    get: (key) => kept.get(key),
    set: (key, session) => {
      kept.delete(key);
      kept.set(key, session);
      const [oldest] = kept.keys();
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => {
      kept.delete(key);
    },
  };
};
