import { systemClock } from '../../base/clock.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Engine } from '../../contracts/runs/engine.ts';
import { redactorOf } from '../../policy/redaction.ts';
import { assertMay, Callers } from './http/callers.ts';
import { Guard, LOOPBACK } from './http/guard.ts';
import type { NodeListener } from './http/node-listener.ts';
import { nodeListener } from './http/node-listener.ts';
import { OpenStreams } from './http/open-streams.ts';
import { refusal } from './http/refusal.ts';
import { errorReply, isServerFailure } from './http/reply.ts';
import { matchRoute } from './http/match-route.ts';
import { routes } from './http/routes.ts';
import { openApi } from './open-api.ts';
import { nothingHere, operations } from './operations.ts';
import { DueWatch } from './runs/due-watch.ts';
import { RunFinder } from './runs/run-finder.ts';
import { ServedNames } from './runs/served-names.ts';
import { ServedRuns } from './runs/served-runs.ts';
import { TextSender } from './runs/text-sender.ts';
import type { OpenAiFace } from './openai/openai-face.ts';
import type { Caller, ServedAgents, ServeOptions } from './serve-options.ts';
import { checkServe, LIMITS } from './serve-options.ts';
import type { ServiceParts } from './service-parts.ts';
import { keepParts } from './service-parts.ts';
import type { Serving } from './serving.ts';

/** Agents and teams over HTTP; see {@link serve}. */
export interface Service<Agents extends ServedAgents = ServedAgents> extends AsyncDisposable {
  /** The agents by name: `connect<typeof service>` of `troupe/client` reads their types. */
  readonly agents: Agents;
  /** Answers a request; never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * The same for Node's `http` and for Express: `createServer(service.listener)`, `app.use('/api', service.listener)`. Bodies are streamed, a
   * client that hangs up is noticed, and one that sends too much gets the refusal.
   */
  readonly listener: NodeListener;
  /** Resolves when what was due at boot is resumed, with the number of these runs; never rejects. */
  readonly booted: Promise<number>;
  /** The OpenAPI 3.1 document, as `GET /openapi.json` gives it. */
  openApi(): JsonObject;
  /**
   * Refuses new runs (503), ends the streams with a hint to reconnect, and leaves the runs: stored ones are suspended, others may finish.
   * `withinMs` is the time for work in flight, default 10,000; then it is left, or aborted. The engine and the store stay open.
   */
  drain(options?: { readonly withinMs?: number | undefined }): Promise<void>;
}

/** Time for work in flight, in ms. */
const DRAIN_MS = 10_000;
/** Time between two looks for what is due, in ms. */
const SWEEP_MS = 5_000;

/**
 * Serves agents and teams over HTTP, by one handler of web standards: for Node, Bun, Deno, workers, Hono, Express and Next.
 *
 * It starts runs (once for each `Idempotency-Key`), streams their events, gives results, takes messages and answers to requests, pauses,
 * steps, aborts and forks; `GET /openapi.json` describes all of it. Callers see what is of their tenant, of all else there is nothing.
 * With a store, runs go on after a restart, and are served by each process that shares it.
 *
 * Without `auth` it answers requests for the loopback only. A host that is asked for is named by the client: listen on the loopback, too.
 *
 * @example
 * const service = serve(engine, { agents: { clerk }, store, auth: (request) => userOf(request.headers.get('authorization')) });
 * export default { fetch: service.fetch }; // in Node: createServer(service.listener).listen(8080, '127.0.0.1')
 * process.on('SIGTERM', () => service.drain());
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit; `agent.invalid` and `agent.duplicate` for agents that cannot be
 * served; `engine.invalid` for a disposable engine, which carries one run.
 */
export const serve = <Agents extends ServedAgents>(
  engine: Engine,
  options: ServeOptions<Agents>,
): Service<Agents> => {
  checkServe(options);
  if (options.executes === false && options.resumes === true)
    throw new TroupeError(
      'input.invalid',
      'Cannot start a server of agents as it executes no runs, and is to resume them: leave out one of `executes` and `resumes`',
    );
  if (options.executes === false && options.store === undefined)
    throw new TroupeError(
      'input.invalid',
      'Cannot start a server of agents as it executes no runs and has no store to leave them in: give it a `store`',
    );
  if (engine.kind === 'disposable')
    throw new TroupeError(
      'engine.invalid',
      'Cannot serve agents by a disposable engine as it carries one run: use createGlobalEngine()',
    );
  const server = new Server(engine, options);
  const fetch = (request: Request): Promise<Response> => server.fetch(request);
  const service: Service<Agents> = {
    agents: options.agents,
    fetch,
    listener: nodeListener(fetch),
    booted: server.boot(),
    openApi: () => server.openApi(),
    drain: ({ withinMs = DRAIN_MS } = {}) => server.drain(withinMs),
    [Symbol.asyncDispose]: () => server.drain(DRAIN_MS),
  };
  keepParts(service, server);
  return service;
};

class Server implements ServiceParts {
  readonly serving: Serving;
  readonly #guard: Guard;
  readonly #callers: Callers;
  readonly #options: ServeOptions;
  readonly onProblem: (error: unknown) => void;
  readonly hasAuth: boolean;
  /** Loaded with the first request for it. */
  readonly #openAi: () => Promise<OpenAiFace>;
  #due: DueWatch | undefined;
  #texts: TextSender | undefined;
  #draining: Promise<void> | undefined;

  constructor(engine: Engine, options: ServeOptions) {
    const {
      agents,
      auth,
      store,
      hosts,
      origins = [],
      run = {},
      executes = true,
      basePath = '',
      clock = systemClock,
    } = options;
    this.#options = options;
    this.hasAuth = typeof auth === 'function';
    this.onProblem = safely(options.onProblem);
    const limits = { ...LIMITS, ...givenLimits(options.limits) };
    const names = new ServedNames(agents, options.versions);
    const runs = new ServedRuns({
      engine,
      names,
      store,
      context: options.context ?? ((party) => party),
      run,
      executes,
      most: limits.runs,
      kept: limits.kept,
      clock,
      onProblem: this.onProblem,
      onTaken: options.onTaken && safely(options.onTaken),
      onResumed: (run) => {
        this.#texts?.announce(run);
      },
    });
    this.serving = {
      basePath: basePath.replace(/\/$/, ''),
      names,
      runs,
      finder: new RunFinder(runs, names, store),
      streams: new OpenStreams(limits, runs.drained),
      store,
      run,
      limits,
      redactor: redactorOf(undefined, run.secrets),
      clock,
    };
    this.#openAi = onDemand(async () => {
      const face = await import('./openai/openai-face.ts');
      return new face.OpenAiFace(this.serving);
    });
    this.#guard = new Guard({
      hosts: hosts ?? (auth === undefined ? LOOPBACK : undefined),
      origins,
      openai: options.openai,
    });
    this.#callers = new Callers(auth, { perMinute: limits.perMinute, clock });
  }

  fetch(request: Request): Promise<Response> {
    return this.answer(request, () => this.#answer(request));
  }

  callerOf(request: Request): Promise<Caller> {
    return this.#callers.callerOf(request);
  }

  async answer(request: Request, by: () => Promise<Response>): Promise<Response> {
    let headers: Readonly<Record<string, string>> = {};
    try {
      this.#guard.check(request);
      headers = this.#guard.corsHeaders(request);
      if (request.method === 'OPTIONS') return this.#guard.preflight(request);
      return withHeaders(await by(), headers);
    } catch (thrown) {
      if (isServerFailure(thrown)) this.onProblem(thrown);
      if (!this.#isForOpenAi(request)) return errorReply(thrown, headers);
      const { wireErrorReply } = await import('./openai/wire-error.ts');
      return wireErrorReply(thrown, headers);
    }
  }

  openApi(): JsonObject {
    return openApi(this.serving.names.all, this.serving.basePath);
  }

  /** Resumes what is due, now and from now on; resolves with the number of runs that were due now. */
  async boot(): Promise<number> {
    const { store, executes = true, resumes = executes, sweepMs = SWEEP_MS } = this.#options;
    if (store === undefined || !executes) return 0;
    const { runs, clock } = this.serving;
    const { onProblem } = this;
    this.#texts = new TextSender({ store, clock, onProblem, findRun: (runId) => runs.at(runId) });
    await this.#texts.begin();
    if (!resumes) return 0;
    const watch = new DueWatch({ store, clock, sweepMs, onProblem, resumeDue: () => runs.resumeDue() });
    this.#due = watch;
    return watch.begin();
  }

  drain(withinMs: number): Promise<void> {
    return (this.#draining ??= this.#drain(withinMs));
  }

  async #drain(withinMs: number): Promise<void> {
    const draining = this.serving.runs.drain(withinMs);
    await this.#due?.end();
    await draining;
    await this.#texts?.end();
  }

  #isForOpenAi({ url }: Request): boolean {
    const { basePath } = this.serving;
    return this.#options.openai === true && new URL(url).pathname.startsWith(`${basePath}/v1/`);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { basePath } = this.serving;
    if (!url.pathname.startsWith(`${basePath}/`)) throw nothingHere();
    if (this.#isForOpenAi(request)) {
      const face = await this.#openAi();
      return face.answer(request, url.pathname.slice(basePath.length), (asked) => this.callerOf(asked));
    }
    const matched = matchRoute(routes, request.method, url.pathname.slice(basePath.length));
    if (matched === undefined) throw nothingHere();
    if ('allowed' in matched) {
      const allow = matched.allowed.join(', ');
      return errorReply(refusal(405, `this address takes ${allow} only`), { allow });
    }
    const { route, names } = matched;
    const caller = await this.callerOf(request);
    if (route.needs !== undefined) assertMay(caller, route.needs);
    return operations[route.name](this.serving, { request, url, caller, names });
  }
}

/** Adds headers to a response, which may have the same body. */
const withHeaders = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
};

const givenLimits = (limits: ServeOptions['limits'] = {}): Partial<Serving['limits']> =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));

/** A hook that throws has no effect: what it was to be notified of is being answered. */
const safely =
  <Told>(hook: ((told: Told) => void) | undefined) =>
  (told: Told): void => {
    try {
      hook?.(told);
    } catch {
      // Its own failure.
    }
  };
