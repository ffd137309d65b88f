import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { randomId } from '../../base/random-id.ts';
import { aFunction, aTime, objectWith, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { readText, TooLong } from '../../base/text/read-text.ts';
import type { Environment } from '../../contracts/environments/environment.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { RemoteAnswer } from './answer-remote.ts';
import { answerRemote, refuseRemote } from './answer-remote.ts';

/** The rules of a server of environments. */
export interface ServeEnvironmentOptions {
  /** Decides about every request before its body is read: by a header, as a rule. What it throws is a no. */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /** Environments that may be in use at a time. Default 16. */
  readonly maxSessions?: number | undefined;
  /** In ms without a request, after which an environment is closed and torn down: its run is gone. Default 600,000. */
  readonly idleMs?: number | undefined;
  /** Longer requests are refused, in bytes. Default 10,000,000. */
  readonly maxBodyBytes?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

const check = optionsCheck<ServeEnvironmentOptions & { readonly make: () => Environment }>(
  { code: 'agent.invalid', owner: 'an environment', verb: 'serve' },
  () => ({
    make: aFunction(),
    authorize: aFunction(),
    maxSessions: optional(wholeNumber(1)),
    idleMs: optional(aTime()),
    maxBodyBytes: optional(wholeNumber(1)),
    clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
  }),
);

/**
 * Serves environments to `remoteEnvironment` on other machines: a handler of the web's kind, for any host that takes one.
 *
 * Each run gets an environment of its own, made by `make`, which is torn down at the end of the run or when nothing has been heard of it for
 * `idleMs`. The request's own signal cancels what it asked for, so the host has to abort it when the client leaves.
 *
 * @example
 * const handler = serveEnvironment(() => containerEnvironment({ image: 'node:24-slim' }), {
 *   authorize: (request) => request.headers.get('authorization') === `Bearer ${process.env['BOX_TOKEN']}`,
 * });
 * export default { fetch: handler };
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit.
 */
export const serveEnvironment = (
  make: () => Environment,
  options: ServeEnvironmentOptions,
): ((request: Request) => Promise<Response>) => {
  const {
    authorize,
    maxSessions = 16,
    idleMs = 600_000,
    maxBodyBytes = 10_000_000,
    clock = systemClock,
  } = check({ ...options, make });
  const sessions = new Sessions(make, maxSessions, idleMs, clock);
  return async (request) => {
    if (request.method !== 'POST') return reply(405, refusal('only POST is answered'));
    if (!(await isAuthorized(authorize, request))) return reply(401, refusal('it is not authorized'));
    try {
      const params: unknown = JSON.parse(await readText(request.body, maxBodyBytes));
      const method = new URL(request.url).pathname.split('/').at(-1) ?? '';
      return reply(200, await sessions.answer(method, params, request.signal));
    } catch (thrown) {
      return thrown instanceof TooLong
        ? reply(413, refusal(thrown.message))
        : reply(400, refusal('it is no JSON'));
    }
  };
};

const isAuthorized = async (
  authorize: ServeEnvironmentOptions['authorize'],
  request: Request,
): Promise<boolean> => {
  try {
    return (await authorize(request)) === true;
  } catch {
    return false;
  }
};

const refusal = (reason: string): RemoteAnswer =>
  refuseRemote(new TroupeError('tool.failed', `Cannot answer the request as ${reason}`));

const reply = (status: number, answer: RemoteAnswer): Response =>
  Response.json(answer, { status, headers: { 'cache-control': 'no-store' } });

interface Session {
  readonly environment: Environment;
  /** Requests that are being answered. */
  open: number;
  timer: unknown;
}

/** The environments in use, by a name that only the client of each knows. */
class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #make: () => Environment;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #clock: Clock;

  constructor(make: () => Environment, most: number, idleMs: number, clock: Clock) {
    this.#make = make;
    this.#most = most;
    this.#idleMs = idleMs;
    this.#clock = clock;
  }

  async answer(method: string, params: unknown, signal: AbortSignal): Promise<RemoteAnswer> {
    if (method === 'setup') return this.#begin(params, signal);
    const id = isJsonObject(params) ? params['session'] : undefined;
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (typeof id !== 'string' || session === undefined)
      return refusal('its session is unknown: it ended, or nothing was heard of it for too long');
    if (method !== 'teardown')
      return this.#within(id, session, () => answerRemote(session.environment, method, params, signal));
    this.#forget(id, session);
    return answerRemote(session.environment, method, params, signal);
  }

  async #begin(params: unknown, signal: AbortSignal): Promise<RemoteAnswer> {
    if (this.#sessions.size >= this.#most) return refusal(`all ${this.#most} environments are in use`);
    const id = randomId();
    let environment: Environment;
    try {
      environment = this.#make();
    } catch (thrown) {
      return refuseRemote(thrown);
    }
    const session: Session = { environment, open: 0, timer: undefined };
    this.#sessions.set(id, session);
    const answer = await this.#within(id, session, () => answerRemote(environment, 'setup', params, signal));
    if (answer.ok && !signal.aborted && isJsonObject(answer.value))
      return { ok: true, value: { ...answer.value, session: id } };
    // Its client knows no session that it could end.
    await this.#end(id, session);
    return answer;
  }

  async #within(id: string, session: Session, work: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> {
    session.open += 1;
    this.#clock.clearTimeout(session.timer);
    try {
      return await work();
    } finally {
      session.open -= 1;
      if (session.open === 0 && this.#sessions.has(id))
        session.timer = this.#clock.setTimeout(() => void this.#end(id, session), this.#idleMs);
    }
  }

  #forget(id: string, session: Session): void {
    this.#clock.clearTimeout(session.timer);
    this.#sessions.delete(id);
  }

  async #end(id: string, session: Session): Promise<void> {
    this.#forget(id, session);
    await answerRemote(session.environment, 'close', {});
    await answerRemote(session.environment, 'teardown', {});
  }
}
