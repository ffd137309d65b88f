import type * as sdk from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Json, JsonObject, JsonSchema } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';
import { systemClock } from '../base/clock.ts';
import { randomId } from '../base/random-id.ts';
import { loadPackage, rethrow } from '../contracts/errors/load-package.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import { activityOf } from '../events/progress/activity.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { definitionOf } from '../runtime/define/definition.ts';
import { jsonSchemaIssues } from '../tools/schemas/json-schema-check.ts';
import { jsonSchemaOf } from '../tools/schemas/schemas.ts';
import { ServedRun } from './served-run.ts';

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
  /** Aborts what runs, and ends all connections. */
  close(): Promise<void>;
}

type ServerPackage = typeof sdk;

const PACKAGE = '@modelcontextprotocol/server';

/** Runs that wait for their clients, at most; the oldest is aborted. */
const MAX_WAITING = 1_000;

/** The parameters of an agent that takes a text. */
const TEXT_INPUT: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The task, in words.' } },
  required: ['input'],
};

/** The form by which a client answers a question. */
const ANSWER = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
} satisfies Parameters<ServerPackage['inputRequired']['elicit']>[0]['requestedSchema'];

/**
 * Serves agents and teams as the tools of an MCP server, over HTTP and over standard input and output, with the protocol of 2026-07-28
 * and of 2025-11-25.
 *
 * Each call is a run. Its activity is progress, cancelling the call aborts it, and what it asks a person is asked of the client
 * (elicitation). Nobody is authenticated here: put that in front of `fetch`. Needs the package `@modelcontextprotocol/server`.
 *
 * @example
 * const service = serveMcp([clerk, desk], { run: { limits: { budget: { usd: 1 } } } });
 * export default { fetch: service.fetch };
 *
 * @throws {TroupeError} `agent.invalid` for anything but agents and teams; `agent.duplicate` for two of one name. `fetch` and `stdio` reject
 * with `mcp.package-missing` if the package is missing.
 */
export const serveMcp = (agents: readonly AnyAgent[], options: McpServing = {}): McpService => {
  checkAgents(agents);
  const service = new Serving(agents, options);
  return {
    fetch: (request) => service.fetch(request),
    stdio: () => service.stdio(),
    close: () => service.close(),
  };
};

const checkAgents = (agents: readonly AnyAgent[]): void => {
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
  readonly wish: { answer(text: string): void; refuse(): void };
  readonly timer: unknown;
}

/** The servers of one service, and the runs that wait for their clients. */
class Serving {
  readonly #agents: readonly AnyAgent[];
  readonly #options: McpServing;
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Set<ServedRun>();
  #handler: Promise<sdk.McpHttpHandler> | undefined;
  #stdio: { close(): Promise<void> } | undefined;

  constructor(agents: readonly AnyAgent[], options: McpServing) {
    this.#agents = agents;
    this.#options = options;
  }

  async fetch(request: Request): Promise<Response> {
    this.#handler ??= loadServer().then((loaded) => loaded.createMcpHandler(() => this.#server(loaded)));
    const handler = await this.#handler;
    return handler.fetch(request);
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
        this.#stdio = serveStdio(() => this.#server(loaded), { transport });
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
    await (await this.#handler)?.close();
    await this.#stdio?.close();
  }

  #server(loaded: ServerPackage): McpServer {
    const { name = 'troupe', version = '1.0.0', instructions } = this.#options;
    const server = new loaded.McpServer(
      { name, version },
      instructions === undefined ? {} : { instructions },
    );
    for (const agent of this.#agents) this.#register(agent, server, loaded);
    return server;
  }

  #register(agent: AnyAgent, server: McpServer, loaded: ServerPackage): void {
    const { input, output } = schemasOf(agent);
    const schemaOf = (schema: JsonSchema) => loaded.fromJsonSchema(schema, VALIDATOR);
    server.registerTool(
      agent.name,
      {
        description: agent.description === '' ? `Runs the agent ${agent.name}.` : agent.description,
        inputSchema: schemaOf(input ?? TEXT_INPUT),
        ...(output === undefined ? {} : { outputSchema: schemaOf(output) }),
      },
      (given: unknown, context: ServerContext) => {
        const plain = toJson(given);
        const task = input === undefined && isJsonObject(plain) ? (plain['input'] ?? '') : plain;
        return this.#call(agent, task, output !== undefined, context, loaded);
      },
    );
  }

  async #call(
    agent: AnyAgent,
    input: Json,
    isStructured: boolean,
    context: ServerContext,
    loaded: ServerPackage,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { signal } = context.mcpReq;
    const run = this.#resumed(agent, context, loaded) ?? new ServedRun(agent, input, this.#options.run ?? {});
    this.#running.add(run);
    const abort = (): void => {
      run.handle.abort('the client cancelled the call');
    };
    signal.addEventListener('abort', abort);
    const progress = reportProgress(run, context);
    try {
      return await this.#follow(run, agent, isStructured, context, loaded);
    } catch (thrown) {
      return failedResult(messageOf(thrown));
    } finally {
      progress.unsubscribe();
      signal.removeEventListener('abort', abort);
      this.#running.delete(run);
    }
  }

  /** Waits for the end of a run, and has its client answer what it asks. */
  async #follow(
    run: ServedRun,
    agent: AnyAgent,
    isStructured: boolean,
    context: ServerContext,
    loaded: ServerPackage,
  ): Promise<CallToolResult | InputRequiredResult> {
    for (;;) {
      const next = await run.next();
      if ('result' in next) return resultOf(next.result, isStructured);
      const { wish } = next;
      const request = { message: wish.question, requestedSchema: ANSWER };
      if (context.mcpReq.envelope !== undefined) {
        if (!canAsk(context.mcpReq.envelope, loaded)) {
          wish.refuse();
          continue;
        }
        const requestState = this.#keep({ tool: agent.name, run, wish });
        return loaded.inputRequired({
          inputRequests: { answer: loaded.inputRequired.elicit(request) },
          requestState,
        });
      }
      const said = await context.mcpReq.elicitInput(request).catch(() => undefined);
      const text = said?.action === 'accept' ? said.content?.['answer'] : undefined;
      if (typeof text === 'string') wish.answer(text);
      else wish.refuse();
    }
  }

  /** Keeps a run until its client comes back, under an id that cannot be guessed. */
  #keep(waiting: Omit<Waiting, 'timer'>): string {
    const { patienceMs = 600_000 } = this.#options;
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

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    systemClock.clearTimeout(waiting.timer);
    return waiting;
  }

  /** The run that a client comes back to, with its answer; undefined for a new call. */
  #resumed(agent: AnyAgent, context: ServerContext, loaded: ServerPackage): ServedRun | undefined {
    const state = context.mcpReq.requestState();
    if (state === undefined) return undefined;
    // The run of another tool goes on waiting for its own client.
    const isOwn = typeof state === 'string' && this.#waiting.get(state)?.tool === agent.name;
    const waiting = isOwn ? this.#take(state) : undefined;
    if (waiting === undefined)
      throw new Error('the run that waited for this answer is over: call the tool again');
    const said = loaded.acceptedContent(context.mcpReq.inputResponses, 'answer');
    const text = said?.['answer'];
    if (typeof text === 'string') waiting.wish.answer(text);
    else waiting.wish.refuse();
    return waiting.run;
  }
}

const loadServer = (): Promise<ServerPackage> =>
  loadPackage(PACKAGE, () => import('@modelcontextprotocol/server').catch(rethrow), 'mcp.package-missing');

/** Checks whether a client of the newer protocol can answer questions. */
const canAsk = (envelope: object, loaded: ServerPackage): boolean => {
  const capabilities: unknown = Reflect.get(envelope, loaded.CLIENT_CAPABILITIES_META_KEY);
  return typeof capabilities === 'object' && capabilities !== null && 'elicitation' in capabilities;
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

const resultOf = (
  { output, stopReason }: RunResult<unknown, unknown>,
  isStructured: boolean,
): CallToolResult => {
  if (output === undefined) return failedResult(`It ended without an answer: ${stopReason.kind}`);
  const value = toJson(output);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    ...(isStructured && isJsonObject(value) ? { structuredContent: value } : {}),
  };
};

const failedResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

/** The schemas of an agent's input and answer; undefined for a text. */
const schemasOf = (agent: AnyAgent): { input: JsonSchema | undefined; output: JsonObject | undefined } => {
  const defined = definitionOf(agent)?.agent;
  const { input } = defined?.schemas ?? {};
  const answer = defined?.output?.spec.schema;
  return {
    input: defined?.takesText === false && input !== undefined ? jsonSchemaOf(input) : undefined,
    output: answer?.['type'] === 'object' ? answer : undefined,
  };
};

/** Validates in bounded time, as tools do. */
const VALIDATOR: sdk.jsonSchemaValidator = {
  getValidator:
    <Value>(schema: sdk.JsonSchemaType): sdk.JsonSchemaValidator<Value> =>
    (input) => {
      const root = toJson(schema);
      const [issue] = isJsonObject(root) ? jsonSchemaIssues(root, toJson(input)) : [];
      if (issue !== undefined)
        return { valid: false, data: undefined, errorMessage: `${issue.path.join('.')}: ${issue.message}` };
      // The schema's author vouches for the type of valid values.
      return { valid: true, data: input as Value, errorMessage: undefined };
    },
};
