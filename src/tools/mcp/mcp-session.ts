import type {
  Client,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  Tool as McpTool,
} from '@modelcontextprotocol/client';
import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { OpenToolset, Tool, ToolContext, ToolsetOpening } from '../../contracts/tools/tool.ts';
import { elicit } from './elicitation.ts';
import type { Perform } from './reading-tools.ts';
import { readingTools } from './reading-tools.ts';
import { CallTimer } from './call-timer.ts';
import { McpConnection } from './mcp-connection.ts';
import type { McpServerOptions } from './mcp-options.ts';
import { mcpResult, outputSchemaOf } from './mcp-result.ts';
import type { McpCaller } from './mcp-tools.ts';
import { fingerprintOf, mcpTools } from './mcp-tools.ts';

/** Reports of progress that a call may make; more are dropped. */
const MAX_PROGRESS = 200;

/** Asks a model what a server wants to know, on behalf of a call. */
export type Sampler = (
  params: CreateMessageRequest['params'],
  context: ToolContext,
  models: readonly Model[],
) => Promise<CreateMessageResult>;

/** A call in progress. */
interface Call {
  readonly context: ToolContext;
  readonly timer: CallTimer;
}

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
      },
      prepare: (client) => {
        if (elicitation) client.setRequestHandler('elicitation/create', ({ params }) => this.#elicit(params));
        if (sampling) client.setRequestHandler('sampling/createMessage', ({ params }) => this.#ask(params));
      },
      listed: (tools) => {
        this.#list(tools);
      },
    });
  }

  /** Connects, and makes tools of what the server lists. */
  async open(): Promise<OpenToolset> {
    const { name, optional = false } = this.#options;
    const close = () => this.#connection.close();
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
    const result = await this.perform(doing, context, (client, options) => {
      this.#refuseHeld(name, doing);
      return this.#send(client, definition, input, context, options);
    });
    const outputSchema = outputSchemaOf(definition.outputSchema);
    return mcpResult(result, {
      server: this.#options.name,
      tool: name,
      callId: context.callId,
      outputSchema,
    });
  }

  /** Works with the server on behalf of a call, in its time. */
  readonly perform: Perform = async (doing, context, work) => {
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
    context.signal.addEventListener('abort', onAbort);
    const call = { context, timer };
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

  #send(
    client: Client,
    definition: McpTool,
    input: JsonObject,
    context: ToolContext,
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ) {
    let reports = 0;
    const { outputSchema: _, ...toolDefinition } = definition;
    return client.callTool(
      { name: definition.name, arguments: input },
      {
        ...options,
        toolDefinition,
        onprogress: ({ progress, total, message }) => {
          reports += 1;
          if (reports > MAX_PROGRESS) return;
          const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
          context.progress(message === undefined ? share : `${oneLine(message)} (${share})`);
        },
      },
    );
  }

  /** The call that the server asks for: the last that was begun, as a server does not name it. */
  get #asking(): Call | undefined {
    return [...this.#calls].at(-1);
  }

  #elicit(params: ElicitRequest['params']): Promise<ElicitResult> {
    const call = this.#asking;
    // Nobody is asked on behalf of nothing.
    if (call === undefined) return Promise.resolve({ action: 'cancel' });
    const { context, timer } = call;
    return elicit(params, this.#options.name, (question) => timer.pausedFor(() => context.ask(question)));
  }

  #ask(params: CreateMessageRequest['params']): Promise<CreateMessageResult> {
    const call = this.#asking;
    if (call === undefined) return Promise.reject(new Error('no call is under way'));
    const { context, timer } = call;
    return timer.pausedFor(() => this.#sample(params, context, this.#opening.models));
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
