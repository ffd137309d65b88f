/** A session of an external engine. */
export interface Session {
  readonly id: string;
  /** In ms since 1970; from then on it is not gone on with. */
  readonly expiresAt: number;
}

/** Where sessions are kept, by a key that follows from thread, path and agent. */
export interface SessionStore {
  /** @throws `session.lost` for one that is kept and cannot be gone on with: it is deleted, and the run says so. */
  get(key: string): Session | undefined | Promise<Session | undefined>;
  set(key: string, session: Session): void | Promise<void>;
  delete(key: string): void | Promise<void>;
}

/** An id is put into requests, command lines and addresses: nothing in it may mean anything there. */
const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,255}$/;

/** Checks whether a session can be called that. */
export const isSessionId = (id: unknown): id is string => typeof id === 'string' && SESSION_ID.test(id);

/**
 * Sessions in memory: those used last, up to `limit` (default 1,000). They end with the process.
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
