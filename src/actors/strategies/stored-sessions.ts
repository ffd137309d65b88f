import { systemClock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { Session, SessionStore } from './session-store.ts';
import { isSessionId } from './session-store.ts';

/** Options of {@link storedSessions}. */
export interface StoredSessionsOptions {
  /** In ms since 1970, by the clock of the runs that use them. Default: the system's. */
  readonly now?: (() => number) | undefined;
}

/**
 * Sessions that outlive the process, in files: of a folder, or of a store.
 *
 * Entries are validated when read: a damaged entry, or one of another version, is dropped, the run reports it (`session.lost`), and the
 * engine gets the conversation instead. Expired ones are removed from time to time.
 *
 * @example
 * passthrough({ name: 'claude', engine, sessions: storedSessions(store.files('sessions')) });
 */
export const storedSessions = (
  files: KeyValueFiles,
  { now = () => systemClock.now() }: StoredSessionsOptions = {},
): SessionStore => {
  let untilSweep = 0;
  return {
    get: async (key) => {
      const text = await files.read(key);
      return text === undefined ? undefined : readSession(text);
    },
    set: async (key, { id, expiresAt }) => {
      untilSweep -= 1;
      if (untilSweep < 0) {
        untilSweep = SWEEP_EVERY;
        await sweep(files, now());
      }
      await files.write(key, JSON.stringify({ v: VERSION, id, expiresAt }));
    },
    delete: (key) => files.remove(key),
  };
};

const VERSION = 1;
/** Number of writes between two sweeps; the first write sweeps, too. */
const SWEEP_EVERY = 200;

const sweep = async (files: KeyValueFiles, now: number): Promise<void> => {
  for (const name of await files.names()) {
    const text = await files.read(name);
    if (text !== undefined && !isUsable(text, now)) await files.remove(name);
  }
};

const isUsable = (text: string, now: number): boolean => {
  try {
    return readSession(text).expiresAt > now;
  } catch {
    // Reported when it is read.
    return true;
  }
};

/** @throws `session.lost` */
const readSession = (text: string): Session => {
  const found = parseJson(text);
  if (!isJsonObject(found)) throw lostSession('its entry is damaged', text);
  const { v, id, expiresAt } = found;
  if (v !== VERSION) throw lostSession('it was stored by another release', `version ${JSON.stringify(v)}`);
  if (!isSessionId(id) || typeof expiresAt !== 'number') throw lostSession('its entry is no session', text);
  return { id, expiresAt };
};

const parseJson = (text: string): unknown => {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const lostSession = (reason: string, found: string): TroupeError =>
  new TroupeError('session.lost', `Cannot continue the session as ${reason}: ${found.slice(0, 80)}`);
