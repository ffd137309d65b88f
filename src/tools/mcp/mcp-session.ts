import type {
  CallToolResult,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequest,
  ElicitResult,
  Tool as McpTool,
} from '@modelcontextprotocol/client';
import { LONGEST_TIMER_MS, systemClock } from '../../base/clock.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { oneLine } from '../../base/text/printable.ts';
import { refusedOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { OpenToolset, Tool, ToolContext, ToolsetOpening } from '../../contracts/tools/tool.ts';
import { elicit } from './elicitation.ts';
import type { Perform } from './reading-tools.ts';
import { readingTools } from './reading-tools.ts';
import type { Pause } from './call-timer.ts';
import { CallTimer } from './call-timer.ts';
import type { FollowedTask } from './follow-task.ts';
import { taskCheckpointIn, TaskFollower } from './follow-task.ts';
import { McpConnection } from './mcp-connection.ts';
import type { McpServerOptions } from './mcp-options.ts';
import { mcpResult, outputSchemaOf } from './mcp-result.ts';
import type { CallAnswer } from './mcp-task.ts';
import { isLeft } from '../calls/is-left.ts';
import { callOrTask, cancelTask, notFollowing, relatedTask, TASKS } from './mcp-task.ts';
import type { McpCaller } from './mcp-tools.ts';
import { fingerprintOf, mcpTools, misnamedTools } from './mcp-tools.ts';
import type { Sampler } from './sampling.ts';
import { inOneBlock, refusalOf } from './sampling.ts';

/** Reports of progress that a call may make; more are dropped. */
const MAX_PROGRESS = 200;

const A_DAY_MS = 86_400_000;

/** A call in progress. */
interface Call {
  readonly context: ToolContext;
  /** The task that it belongs to. */
  readonly taskId: string | undefined;
  /** Waits for work during which its time stands still. */
  readonly pause: Pause;
}

/** Time limit of a request to cancel a task, and of the wait for it when the session ends, in ms. */
const CANCEL_MS = 5_000;

/**
 * A server as one agent of a run uses it: its connection, its tools, and the calls in progress.
 *
 * I1 A tool whose definition is not the approved one is never called without a person's consent.
 * I2 A tool keeps the definition that it was offered with: new texts of the server reach no model during a run.
 */
export class McpSession implements McpCaller {
  readonly #options: McpServerOptions;
  readonly #opening: ToolsetOpening;
  readonly #connection: McpConnection;
  /** Fingerprints of definitions as they were first listed in this process, by name. */
  readonly #first: Map<string, string>;
  /** Fingerprints now. */
  #now: ReadonlyMap<string, string> = new Map();
  #listed: readonly McpTool[] = [];
  /** The fingerprints of changed definitions that a person is asked about. */
  readonly #asked = new Map<string, string>();
  readonly #calls = new Set<Call>();
  /** The tasks that are followed, with the cancelling of those that nobody waits for. */
  readonly #following = new Set<Promise<unknown>>();
  readonly #sample: Sampler;

  constructor(
    options: McpServerOptions,
    opening: ToolsetOpening,
    first: Map<string, string>,
    sample: Sampler,
  ) {
    this.#options = options;
    this.#opening = opening;
    this.#first = first;
    this.#sample = sample;
    const { elicitation = true, sampling = false } = options;
    this.#connection = new McpConnection(options, {
      hide: (secret, name) => {
        opening.hide(secret, name);
      },
      capabilities: {
        ...(elicitation ? { elicitation: { form: {}, url: {} } } : {}),
        ...(sampling ? { sampling: {} } : {}),
        extensions: { [TASKS]: {} },
      },
      prepare: (client) => {
        if (elicitation) client.setRequestHandler('elicitation/create', ({ params }) => this.#elicit(params));
        if (sampling)
          client.setRequestHandler('sampling/createMessage', ({ params }) => this.#sampled(params));
      },
      listed: (tools) => {
        this.#list(tools);
      },
    });
  }

  /** Connects, and makes tools of what the server lists. */
  async open(): Promise<OpenToolset> {
    const { name, optional = false } = this.#options;
    const close = () => this.#close();
    const stop = (): void => void close();
    this.#opening.signal.addEventListener('abort', stop);
    try {
      await this.#connection.request(`connect to the MCP server '${name}'`, () => Promise.resolve());
    } catch (thrown) {
      await close();
      if (!optional) throw thrown;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      return { tools: [], listed: {}, refused: { [name]: reason } };
    }
    const misnamed = misnamedTools(this.#listed, this.#options, this.#opening.listed);
    if (misnamed.length > 0) {
      await close();
      throw refusedOptions(misnamed, {
        code: 'tool.invalid',
        owner: `the tools of the MCP server '${name}'`,
        verb: 'offer',
      });
    }
    const { tools, refused } = mcpTools(this.#listed, this.#options, this);
    const names = new Set(tools.map((each) => each.name));
    const reading = (await this.#reading()).filter((each) => !names.has(each.name));
    const held = [...this.#now.keys()].flatMap((tool) => {
      const reason = this.heldFor(tool);
      return reason === undefined ? [] : [[tool, `it is held: ${reason}`]];
    });
    // What was approved stays on record for a tool that is held, so that it stays held when the run is resumed.
    const listed = [...this.#now].map(([tool, now]) => [tool, this.#approved(tool) ?? now]);
    return {
      tools: [...tools, ...reading],
      listed: Object.fromEntries(listed),
      refused: { ...Object.fromEntries(held), ...refused },
      close,
    };
  }

  /** Ends the connection, once tasks that nobody waits for are cancelled. */
  async #close(): Promise<void> {
    if (this.#following.size > 0) {
      const settled = Promise.allSettled(this.#following);
      const late = (): Error => new Error('it does not answer');
      await Promise.resolve(withinTime(settled, { ms: CANCEL_MS, clock: systemClock, late })).catch(nothing);
    }
    await this.#connection.close();
  }

  async #reading(): Promise<readonly Tool[]> {
    const { name: server, resources = true, prompts = false } = this.#options;
    const offered = await this.#connection.request(`ask the MCP server '${server}'`, (client) =>
      Promise.resolve(client.getServerCapabilities()),
    );
    const hasResources = resources && offered?.resources !== undefined;
    return readingTools(
      { server, hasResources, hasPrompts: prompts && offered?.prompts !== undefined },
      this.perform,
    );
  }

  heldFor(name: string): string | undefined {
    const now = this.#now.get(name);
    const approved = this.#approved(name);
    if (now === undefined) return this.#first.has(name) ? 'the server lists it no more' : undefined;
    if (this.#options.approved !== undefined && approved === undefined) return 'nobody has approved it';
    return approved === undefined || approved === now
      ? undefined
      : 'its definition changed since it was approved';
  }

  asksAbout(name: string): boolean {
    const now = this.#now.get(name);
    if (this.#options.onChange !== 'ask' || now === undefined) return false;
    if (this.heldFor(name) === undefined) return false;
    this.#asked.set(name, now);
    return true;
  }

  async call(definition: McpTool, input: JsonObject, context: ToolContext): Promise<unknown> {
    const { name } = definition;
    const doing = `call '${name}' of the MCP server '${this.#options.name}'`;
    const result = await this.#resultOf(definition, input, context, doing);
    const outputSchema = outputSchemaOf(definition.outputSchema);
    return mcpResult(result, {
      server: this.#options.name,
      tool: name,
      outputSchema,
    });
  }

  /** The result of a call, which may be that of a task; a call that is executed again follows the task that it has. */
  async #resultOf(
    definition: McpTool,
    input: JsonObject,
    context: ToolContext,
    doing: string,
  ): Promise<CallToolResult> {
    const before = taskCheckpointIn(context.resumedFrom, this.#options.name);
    if (before !== undefined) return this.#follow({ taskId: before.task, ...before }, context, doing);
    const answer = await this.#send(definition, input, context, doing);
    if ('result' in answer) return answer.result;
    const { created } = answer;
    return this.#follow({ taskId: created.taskId, created }, context, doing);
  }

  /** Works with the server on behalf of a call, in its time. */
  readonly perform: Perform = async (doing, context, work, task) => {
    const { timeoutMs = 60_000 } = this.#options;
    const stop = new AbortController();
    let late: TroupeError | undefined;
    const timer = new CallTimer(timeoutMs, () => {
      late = new TroupeError('tool.timeout', `Cannot ${doing} as it is past its time-out: ${timeoutMs} ms`, {
        retryable: 'yes',
      });
      stop.abort(late);
    });
    const onAbort = (): void => {
      stop.abort(context.signal.reason);
    };
    context.signal.throwIfAborted();
    context.signal.addEventListener('abort', onAbort);
    const pause: Pause = (waiting) =>
      task === undefined ? timer.pausedFor(waiting) : task.pause(() => timer.pausedFor(waiting));
    const call = { context, taskId: task?.taskId, pause };
    this.#calls.add(call);
    try {
      // Its time is kept here.
      const options = { signal: stop.signal, timeout: LONGEST_TIMER_MS };
      return await this.#connection.request(doing, (client) => work(client, options));
    } catch (thrown) {
      throw late ?? thrown;
    } finally {
      this.#calls.delete(call);
      timer.end();
      context.signal.removeEventListener('abort', onAbort);
    }
  };

  #send(definition: McpTool, input: JsonObject, context: ToolContext, doing: string): Promise<CallAnswer> {
    let reports = 0;
    return this.perform(doing, context, (client, options) => {
      this.#refuseHeld(definition.name, doing);
      const call = { definition, input, keepMs: this.#taskTimeoutMs };
      return callOrTask(client, call, {
        ...options,
        onprogress: ({ progress, total, message }) => {
          reports += 1;
          if (reports > MAX_PROGRESS) return;
          const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
          context.progress(message === undefined ? share : `${oneLine(message)} (${share})`);
        },
      });
    });
  }

  get #taskTimeoutMs(): number {
    return this.#options.taskTimeoutMs ?? A_DAY_MS;
  }

  /** Follows the task of a call to its end; cancels it if the call ends first, for good. */
  #follow(
    begun: Pick<FollowedTask, 'taskId' | 'created' | 'responses'>,
    context: ToolContext,
    doing: string,
  ): Promise<CallToolResult> {
    const { taskId } = begun;
    const follower = new TaskFollower({
      ...begun,
      doing,
      server: this.#options.name,
      context,
      timeoutMs: this.#taskTimeoutMs,
      isLegacy: () => this.#connection.isLegacy,
      perform: this.perform,
      respond: (request, pause) => this.#respond(request, context, pause),
    });
    const following = follower.follow();
    const cancelling = following.catch(() => {
      // The run is resumed elsewhere, or later: then it follows the same task.
      return follower.isOver || isLeft(context.signal.reason) ? undefined : this.#cancel(taskId, doing);
    });
    const whole = cancelling.finally(() => this.#following.delete(whole));
    this.#following.add(whole);
    return following;
  }

  /** Cancels a task; a server that does not answer keeps it. */
  async #cancel(taskId: string, doing: string): Promise<void> {
    await this.#connection
      .request(doing, (client) => cancelTask(client, taskId, { timeout: CANCEL_MS }))
      .catch(nothing);
  }

  /** Answers a request of a task. */
  async #respond(
    { method, params }: { readonly method: string; readonly params?: unknown },
    context: ToolContext,
    pause: Pause,
  ): Promise<Json> {
    const { isSpecType } = await import('@modelcontextprotocol/client');
    const { elicitation = true, sampling = false } = this.#options;
    const call = { context, pause };
    if (method === 'elicitation/create' && elicitation && isSpecType.ElicitRequestParams(params))
      return toJson(await this.#elicit(params, call));
    if (method === 'sampling/createMessage' && sampling && isSpecType.CreateMessageRequestParams(params))
      return toJson(await this.#ask(params, call));
    throw notFollowing(`its task asks for what was not offered: ${oneLine(method, 100)}`);
  }

  /** The call that the server asks for: that of its task, else the last that was begun, as a server does not name it. */
  #asking(params: object): Call | undefined {
    const taskId = relatedTask(params);
    const calls = [...this.#calls];
    return calls.findLast((call) => taskId !== undefined && call.taskId === taskId) ?? calls.at(-1);
  }

  #elicit(
    params: ElicitRequest['params'],
    call: Pick<Call, 'context' | 'pause'> | undefined = this.#asking(params),
  ): Promise<ElicitResult> {
    // Nobody is asked on behalf of nothing.
    if (call === undefined) return Promise.resolve({ action: 'cancel' });
    const { context, pause } = call;
    return elicit(params, this.#options.name, (question) => pause(() => context.ask(question)));
  }

  /** Answers a server. Only that of 2025-11-25 can be refused: in the newer protocol, the call fails by what is thrown. */
  async #sampled(
    params: CreateMessageRequest['params'],
  ): Promise<CreateMessageResult | CreateMessageResultWithTools> {
    if (!this.#connection.isLegacy) return this.#ask(params);
    try {
      return inOneBlock(await this.#ask(params));
    } catch (thrown) {
      throw refusalOf(thrown);
    }
  }

  #ask(
    params: CreateMessageRequest['params'],
    call: Pick<Call, 'context' | 'pause'> | undefined = this.#asking(params),
  ): Promise<CreateMessageResultWithTools> {
    if (call === undefined) return Promise.reject(new Error('no call is under way'));
    const { context, pause } = call;
    return pause(() => this.#sample(params, context, this.#opening.models));
  }

  #refuseHeld(name: string, doing: string): void {
    const reason = this.heldFor(name);
    // A person approved the definition of that very fingerprint.
    if (reason === undefined || this.#asked.get(name) === this.#now.get(name)) return;
    throw new TroupeError(
      'mcp.changed',
      `Cannot ${doing} as it is held: ${reason}. Read its definition, and approve it by the option \`approved\``,
      { details: { approved: this.#approved(name) ?? null, found: this.#now.get(name) ?? null } },
    );
  }

  #list(tools: readonly McpTool[]): void {
    this.#listed = tools;
    this.#now = new Map(tools.map((tool) => [tool.name, fingerprintOf(tool)]));
    for (const [name, fingerprint] of this.#now)
      if (!this.#first.has(name)) this.#first.set(name, fingerprint);
  }

  /** The fingerprint that a tool must have. */
  #approved(name: string): string | undefined {
    const { approved } = this.#options;
    if (approved !== undefined) return approved[name];
    const { listed } = this.#opening;
    return (
      (listed !== undefined && Object.hasOwn(listed, name) ? listed[name] : undefined) ??
      this.#first.get(name)
    );
  }
}

const nothing = (): void => undefined;
