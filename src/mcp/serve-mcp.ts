import type * as sdk from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Json } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';
import { aBound, aText, aTime, objectLike, optional } from '../base/schemas/option-schemas.ts';
import { LONGEST_TIMER_MS, systemClock } from '../base/clock.ts';
import { randomId } from '../base/random-id.ts';
import { loadPackage, rethrow } from '../contracts/errors/load-package.ts';
import { optionsCheck } from '../contracts/errors/check-options.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import { foundText } from '../contracts/errors/found-text.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import { activityOf } from '../events/progress/activity.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { definitionOf } from '../runtime/define/definition.ts';
import { issuesText } from '../base/schemas/schema.ts';
import { jsonSchemaIssues } from '../tools/schemas/json-schema-check.ts';
import { failedResult, resultOf, schemasOf, TEXT_INPUT, toolOf } from './call-result.ts';
import type { ServerPackage } from './client-request.ts';
import { ANSWER, answerIn, canAsk, isModern, takesTasks, TASKS } from './client-request.ts';
import { ClientSessions } from './client-sessions.ts';
import { newTask, olderTask, serveTasks } from './serve-tasks.ts';
import { ServedRun } from './served-run.ts';
import type { Wish } from './served-run.ts';
import { ServedTasks } from './served-tasks.ts';
import { Turn } from './turn.ts';

/** Options of a server of agents; all have defaults. */
export interface McpServing {
  /** Default `troupe`. */
  readonly name?: string | undefined;
  /** Default `1.0.0`. */
  readonly version?: string | undefined;
  /** Text for the models of clients: what the server is for. */
  readonly instructions?: string | undefined;
  /** Options of each run: a store, limits, a context, a person in place of the client's. */
  readonly run?: RunOptions | undefined;
  /** Time that a run waits for a client to answer its question, in ms. Default 600,000. */
  readonly patienceMs?: number | undefined;
  /**
   * Time after which a call becomes a task, for clients of 2026-07-28 that take one, in ms; those of 2025-11-25 decide themselves. Default
   * 2,000.
   */
  readonly taskAfterMs?: number | undefined;
}

/** Agents as a server of MCP. */
export interface McpService {
  /** Answers a request over streamable HTTP: the handler of a server of the web's own kind. */
  fetch(request: Request): Promise<Response>;
  /**
   * Serves this process's standard input and output, until its client is gone; resolves then. Node only.
   *
   * Meanwhile the standard output belongs to the protocol: whatever else prints to it, such as `console.log` in a tool, prints to standard error.
   */
  stdio(): Promise<void>;
  /** Ends all connections, and aborts what runs; tasks with a store are suspended, and continue when they are asked for again. */
  close(): Promise<void>;
}

/** Default time that a client has to answer a question, in ms. */
const PATIENCE_MS = 600_000;

const PACKAGE = '@modelcontextprotocol/server';

const callSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  task: z.looseObject({}).optional(),
});

/** The answer to a call: its result, a question, or a task. */
type Result = CallToolResult | InputRequiredResult | Record<string, unknown>;

/** Runs that wait for their clients, at most; the oldest is aborted. */
const MAX_WAITING = 1_000;

/**
 * Serves agents and teams as the tools of an MCP server, over HTTP and over standard input and output, with the protocol of 2026-07-28
 * and of 2025-11-25.
 *
 * Each call is a run. Its activity is progress, cancelling the call aborts it, and what it asks a person is asked of the client
 * (elicitation). A call that takes long becomes a task, where the client takes one; with a store, a task survives the process. Nobody is authenticated here: put that in front of `fetch`. Needs the package `@modelcontextprotocol/server`.
 *
 * @example
 * const service = serveMcp([clerk, desk], { run: { limits: { budget: { usd: 1 } } } });
 * export default { fetch: service.fetch };
 *
 * @throws {TroupeError} `agent.invalid` for anything but agents and teams; `agent.duplicate` for two of one name; `input.invalid` for options that do not fit. `fetch` and `stdio` reject
 * with `mcp.package-missing` if the package is missing.
 */
export const serveMcp = (agents: readonly AnyAgent[], options: McpServing = {}): McpService => {
  checkAgents(agents);
  check(options);
  const service = new Serving(agents, options);
  return {
    fetch: (request) => service.fetch(request),
    stdio: () => service.stdio(),
    close: () => service.close(),
  };
};

const check = optionsCheck<McpServing>(
  { code: 'input.invalid', owner: 'an MCP server of agents', verb: 'start' },
  () => ({
    name: optional(aText(1)),
    version: optional(aText(1)),
    instructions: optional(aText()),
    // Checked when a run starts.
    run: optional(objectLike({}, 'not an object')),
    patienceMs: optional(aTime()),
    taskAfterMs: optional(aBound(0)),
  }),
);

const checkAgents = (agents: readonly AnyAgent[]): void => {
  if (!Array.isArray(agents))
    throw new TroupeError(
      'agent.invalid',
      `Cannot serve agents as they are not a list, write serveMcp([ … ]): found ${foundText(agents)}`,
    );
  const names = new Set<string>();
  for (const agent of agents) {
    if (definitionOf(agent) === undefined)
      throw new TroupeError(
        'agent.invalid',
        `Cannot serve what was not made by agent() or a team: ${messageOf(agent)}`,
      );
    if (names.has(agent.name))
      throw new TroupeError('agent.duplicate', `Cannot serve two agents of one name: '${agent.name}'`);
    names.add(agent.name);
  }
};

/** A run that waits for its client, under an id that only the client knows. */
interface Waiting {
  readonly tool: string;
  readonly run: ServedRun;
  readonly wish: Wish;
  readonly timer: unknown;
}

/** The servers of one service, and the runs that wait for their clients. */
class Serving {
  readonly #agents: readonly AnyAgent[];
  readonly #options: McpServing;
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Set<ServedRun>();
  readonly #tasks: ServedTasks;
  #http: Promise<{ handler: sdk.McpHttpHandler; sessions: ClientSessions }> | undefined;
  #stdio: { close(): Promise<void> } | undefined;

  constructor(agents: readonly AnyAgent[], options: McpServing) {
    this.#agents = agents;
    this.#options = options;
    const { run = {}, patienceMs = PATIENCE_MS } = options;
    this.#tasks = new ServedTasks({ agents, run, patienceMs });
  }

  async fetch(request: Request): Promise<Response> {
    this.#http ??= loadServer().then((loaded) => ({
      handler: loaded.createMcpHandler(() => this.#server(loaded, false)),
      sessions: new ClientSessions(loaded, () => this.#server(loaded, false)),
    }));
    const { handler, sessions } = await this.#http;
    return (await sessions.fetch(request)) ?? handler.fetch(request);
  }

  async stdio(): Promise<void> {
    const [loaded, { serveStdio, StdioServerTransport }, { takeOutput }] = await Promise.all([
      loadServer(),
      loadPackage(
        PACKAGE,
        () => import('@modelcontextprotocol/server/stdio').catch(rethrow),
        'mcp.package-missing',
      ),
      import('../tools/built-in/host/own-output.ts'),
    ]);
    const { input, output, release } = takeOutput();
    const transport = new StdioServerTransport(input, output);
    try {
      await new Promise<void>((resolve) => {
        this.#stdio = serveStdio(() => this.#server(loaded, true), { transport });
        const { onclose } = transport;
        transport.onclose = () => {
          onclose?.();
          resolve();
        };
      });
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#running) handle.abort('the server is closed');
    for (const id of this.#waiting.keys()) this.#take(id)?.wish.refuse();
    await this.#tasks.close();
    const http = await this.#http;
    await http?.sessions.close();
    await http?.handler.close();
    await this.#stdio?.close();
  }

  #server(loaded: ServerPackage, isOwn: boolean): Server {
    const { name = 'troupe', version = '1.0.0', instructions } = this.#options;
    const server = new loaded.Server(
      { name, version },
      {
        capabilities: capabilitiesFor(isOwn),
        ...(instructions === undefined ? {} : { instructions }),
        // An id that was never given, or whose run is over, is refused before any tool is called.
        requestState: { verify: (id) => this.#checkedId(id) },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: this.#agents.map(toolOf) }));
    server.setRequestHandler('tools/call', { params: callSchema }, (params, context) =>
      this.#call(params, context, loaded),
    );
    serveTasks(server, this.#tasks, loaded, isOwn);
    return server;
  }

  async #call(
    { name, arguments: given = {}, task: wanted }: z.output<typeof callSchema>,
    context: ServerContext,
    loaded: ServerPackage,
  ): Promise<Result> {
    const agent = this.#agents.find((each) => each.name === name);
    if (agent === undefined)
      throw new loaded.ProtocolError(loaded.INVALID_PARAMS, `Tool ${name.slice(0, 100)} not found`);
    const { input = TEXT_INPUT } = schemasOf(agent);
    const plain = toJson(given);
    const issues = isJsonObject(input) ? jsonSchemaIssues(input, plain) : [];
    const problems = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    if (problems.length > 0)
      return failedResult(`Invalid arguments for tool ${name}: ${issuesText(problems)}`);
    const task = input === TEXT_INPUT && isJsonObject(plain) ? (plain['input'] ?? '') : plain;
    try {
      const run = this.#resumed(agent, context) ?? this.#begin(agent, task);
      const isOlderTask = wanted !== undefined && !isModern(context);
      return isOlderTask
        ? await this.#olderBegun(agent, run)
        : await this.#follow(run, agent, context, loaded);
    } catch (thrown) {
      return failedResult(messageOf(thrown));
    }
  }

  #begin(agent: AnyAgent, input: Json): ServedRun {
    const { run = {} } = this.#options;
    return ServedRun.begin(agent, input, { ...run, runId: ServedTasks.newId() });
  }

  /** A task that a client of 2025-11-25 wanted. */
  async #olderBegun(agent: AnyAgent, run: ServedRun): Promise<Result> {
    await run.begun();
    // The package takes no other answer for one of a tool.
    return { content: [], task: olderTask(this.#tasks.begin(agent, run)) };
  }

  /** Follows a run to its end, to a question of the newer protocol, or to the time at which it becomes a task. */
  async #follow(
    run: ServedRun,
    agent: AnyAgent,
    context: ServerContext,
    loaded: ServerPackage,
  ): Promise<Result> {
    const { signal } = context.mcpReq;
    this.#running.add(run);
    const abort = (): void => {
      run.handle.abort('the client cancelled the call');
    };
    signal.addEventListener('abort', abort);
    const progress = reportProgress(run, context);
    const becomesTask = takesTasks(context, loaded) && !this.#tasks.isFull;
    const turn = new Turn(becomesTask ? (this.#options.taskAfterMs ?? 2_000) : undefined);
    try {
      for (;;) {
        const next = await turn.orNext(run);
        if (next === undefined) {
          await run.begun();
          return { resultType: 'task', ...newTask(this.#tasks.begin(agent, run)) };
        }
        if ('result' in next) return await resultOf(next.result, agent, run.bytesOf);
        const answer = await this.#ask(next.wish, run, agent, context, loaded);
        if (answer !== undefined) return answer;
      }
    } finally {
      turn.end();
      progress.unsubscribe();
      signal.removeEventListener('abort', abort);
      this.#running.delete(run);
    }
  }

  /** Asks the client; the newer protocol by an answer of the call, after which the client comes back. */
  async #ask(
    wish: Wish,
    run: ServedRun,
    agent: AnyAgent,
    context: ServerContext,
    loaded: ServerPackage,
  ): Promise<InputRequiredResult | undefined> {
    const request = { message: wish.question, requestedSchema: ANSWER };
    if (isModern(context)) {
      if (!canAsk(context, loaded)) {
        wish.refuse();
        return undefined;
      }
      const requestState = this.#keep({ tool: agent.name, run, wish });
      return loaded.inputRequired({
        inputRequests: { answer: loaded.inputRequired.elicit(request) },
        requestState,
      });
    }
    const timeout = Math.min(this.#options.patienceMs ?? PATIENCE_MS, LONGEST_TIMER_MS);
    const said = await context.mcpReq.elicitInput(request, { timeout }).catch(() => undefined);
    settle(wish, answerIn(said));
    return undefined;
  }

  /** Keeps a run until its client comes back, under an id that cannot be guessed. */
  #keep(waiting: Omit<Waiting, 'timer'>): string {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const id = `${randomId()}${randomId()}`;
    const forget = (): void => {
      this.#take(id)?.wish.refuse();
      waiting.run.handle.abort('its client did not come back');
    };
    const oldest = this.#waiting.size < MAX_WAITING ? undefined : this.#waiting.keys().next().value;
    if (oldest !== undefined) this.#take(oldest)?.run.handle.abort('too many runs wait for their clients');
    this.#waiting.set(id, { ...waiting, timer: systemClock.setTimeout(forget, patienceMs) });
    return id;
  }

  #checkedId(id: string): string {
    if (!this.#waiting.has(id)) throw new Error('the run that waited for this answer is over');
    return id;
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    systemClock.clearTimeout(waiting.timer);
    return waiting;
  }

  /** The run that a client comes back to, with its answer; undefined for a new call. */
  #resumed(agent: AnyAgent, context: ServerContext): ServedRun | undefined {
    const state = context.mcpReq.requestState();
    if (state === undefined) return undefined;
    // The run of another tool goes on waiting for its own client.
    const isOwn = typeof state === 'string' && this.#waiting.get(state)?.tool === agent.name;
    const waiting = isOwn ? this.#take(state) : undefined;
    if (waiting === undefined)
      throw new Error('the run that waited for this answer is over: call the tool again');
    settle(waiting.wish, answerIn(context.mcpReq.inputResponses?.['answer']));
    return waiting.run;
  }
}

const loadServer = (): Promise<ServerPackage> =>
  loadPackage(PACKAGE, () => import('@modelcontextprotocol/server').catch(rethrow), 'mcp.package-missing');

/** A client of its own may list its tasks: nothing tells those of several apart. */
const capabilitiesFor = (isOwn: boolean): sdk.ServerCapabilities => ({
  tools: {},
  extensions: { [TASKS]: {} },
  tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(isOwn ? { list: {} } : {}) },
});

/** Answers a question, or refuses it. */
const settle = (wish: Wish, text: string | undefined): void => {
  if (text === undefined) wish.refuse();
  else wish.answer(text);
};

/** Reports the activity of a run to the client, where it asks for progress. */
const reportProgress = ({ handle }: ServedRun, { mcpReq }: ServerContext) => {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return handle.events$.subscribe((event) => {
    const activity = progressToken === undefined ? undefined : activityOf(event);
    if (activity === undefined || progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: activity.line };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  });
};
