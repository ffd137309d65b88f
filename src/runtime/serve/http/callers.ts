import type { Clock } from '../../../base/clock.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Permission } from '../../../contracts/runs/remote-run.ts';
import { RateWindow } from '../../resources/rate-window.ts';
import type { Authenticate, Caller } from '../serve-options.ts';
import { refusal } from './refusal.ts';

/** The caller of a server without `auth`. */
const ANYBODY: Caller = { who: 'anybody' };

const MINUTE_MS = 60_000;
/** Callers whose requests are counted; of more, the one is forgotten that has called least recently. */
const MOST_CALLERS = 10_000;

/** Identifies a caller among those of a server. */
export const callerKeyOf = ({ who, tenant }: Caller): string => JSON.stringify([tenant ?? null, who]);

/** Refuses callers without the right. @throws {TroupeError} `server.refused`, 403 */
export const assertMay = ({ who, may }: Caller, permission: Permission): void => {
  if (may?.includes(permission) !== false) return;
  throw refusal(403, `'${who}' may not ${permission}`);
};

/** Tells callers apart, and bounds the requests of each. */
export class Callers {
  readonly #authenticate: Authenticate;
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** The least recent first. */
  readonly #windows = new Map<string, RateWindow>();

  constructor(
    auth: Authenticate | 'none' | undefined,
    { perMinute, clock }: { readonly perMinute: number; readonly clock: Clock },
  ) {
    this.#authenticate = typeof auth === 'function' ? auth : () => ANYBODY;
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /**
   * The caller of a request. Those who are refused are counted together, so that nobody tries tokens without end, and no caller is kept out
   * by them.
   *
   * @throws {TroupeError} `server.refused`: 401 for one who is refused, 429 beyond the rate; the error of an `auth` that throws.
   */
  async callerOf(request: Request): Promise<Caller> {
    const found = await this.#authenticate(request);
    if (found === undefined) {
      this.#count(REFUSED);
      throw refusal(401, 'it does not say who calls');
    }
    const caller = readCaller(found);
    this.#count(callerKeyOf(caller));
    return caller;
  }

  #count(key: string): void {
    if (this.#perMinute === Infinity) return;
    const now = this.#clock.now();
    const window = this.#windows.get(key) ?? new RateWindow({ limit: this.#perMinute, windowMs: MINUTE_MS });
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined && this.#windows.size > MOST_CALLERS) this.#windows.delete(oldest);
    const waitMs = window.waitMs(now, 1);
    if (waitMs > 0) throw refusal(429, `there are more than ${this.#perMinute} a minute`, waitMs);
    window.take(now, 1);
  }
}

/** No caller has this key. */
const REFUSED = '';

/** Checks the caller that a hook returns, as a caller without a name or with a tenant that is no text would be taken for another. */
const readCaller = (found: Caller): Caller => {
  const { who, tenant, may, roles } = found;
  const isNamed = typeof who === 'string' && who !== '';
  const hasTenant = tenant === undefined || (typeof tenant === 'string' && tenant !== '');
  const hasLists = [may, roles].every((list) => list === undefined || Array.isArray(list));
  if (isNamed && hasTenant && hasLists) return found;
  throw new TroupeError(
    'internal',
    `Cannot tell who calls as \`auth\` returned no caller, return { who, tenant }, or undefined: found ${foundText(found)}`,
  );
};
