import type * as sdk from '@agentclientprotocol/sdk';
import type { JsonObject } from '../base/json/json.ts';
import { systemClock } from '../base/clock.ts';
import { withinTime } from '../base/promises/within-time.ts';
import type { EnvironmentOps } from '../contracts/environments/operations.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { Receiver } from './acp-connection.ts';
import { AcpConnection } from './acp-connection.ts';
import type { AcpAgentOptions } from './acp-options.ts';
import { Demands } from './demand.ts';
import { serverOf } from './mcp-of-session.ts';
import { registerRequests } from './register-requests.ts';
import { Terminals } from './terminals.ts';
import { Turn } from './turn.ts';
import { TurnUsage } from './turn-usage.ts';

/** Options of a session: those of its agent that do not depend on its schemas. */
export type SessionOptions = Pick<
  AcpAgentOptions,
  | 'name'
  | 'command'
  | 'args'
  | 'env'
  | 'cwd'
  | 'mcpServers'
  | 'mode'
  | 'authMethod'
  | 'startTimeoutMs'
  | 'graceMs'
  | 'maxOutputBytes'
>;

/** The protocol's version that is spoken here. */
const VERSION = 1;

const START_MS = 60_000;
const GRACE_MS = 2_000;
const MAX_OUTPUT_BYTES = 100_000_000;

/**
 * A coding agent's process with one session, for one agent of one run.
 *
 * I1 What it asks for is a demand, which a call of the agent answers; nothing is granted here.
 * I2 One turn at a time; what comes between turns is dropped.
 * I3 Closing it cancels the turn, gives it the grace time, and kills the process with all that it started.
 */
export class HarnessSession implements Receiver {
  readonly #options: SessionOptions;
  readonly #connection: AcpConnection;
  readonly demands = new Demands();
  readonly terminals = new Terminals();
  readonly usage = new TurnUsage();
  #id: string | undefined;
  #methods: readonly string[] = [];
  #capabilities: sdk.AgentCapabilities = {};
  #turn: Turn | undefined;
  #turnOver: Promise<void> = Promise.resolve();
  #bytes = 0;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#connection = new AcpConnection({ ...options, startTimeoutMs: this.#startMs }, this);
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** True if a session can be loaded by another process. */
  get loads(): boolean {
    return this.#capabilities.loadSession === true;
  }

  get promptCapabilities(): sdk.PromptCapabilities {
    return this.#capabilities.promptCapabilities ?? {};
  }

  get isOver(): boolean {
    return this.#closing !== undefined || this.#connection.over !== undefined;
  }

  /** The turn that has not been read to its end; undefined if there is none. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** Starts the process and agrees on the protocol; what the environment has decides what is offered. */
  async start(ops: EnvironmentOps | undefined): Promise<void> {
    const { name, authMethod } = this.#options;
    await this.#connection.start();
    const hasFiles = ops?.files !== undefined;
    const { protocolVersion, agentCapabilities, authMethods } = await this.#connection.request(
      'initialize',
      {
        protocolVersion: VERSION,
        clientInfo: { name: 'troupe', version: '0.1.0' },
        clientCapabilities: {
          fs: { readTextFile: hasFiles, writeTextFile: hasFiles },
          terminal: ops?.processes !== undefined,
        },
      },
      { what: 'start', ms: this.#startMs },
    );
    if (protocolVersion !== VERSION)
      throw new TroupeError(
        'acp.protocol',
        `Cannot start '${name}' as it speaks version ${protocolVersion} of the protocol, and version ${VERSION} is spoken here: install a release of it that speaks ${VERSION}`,
      );
    this.#capabilities = agentCapabilities ?? {};
    this.#methods = (authMethods ?? []).map(({ id }) => id);
    if (authMethod !== undefined) await this.#authenticate(authMethod);
  }

  /** Opens a new session. */
  async open(): Promise<void> {
    const { cwd, mcpServers = [] } = this.#options;
    const { sessionId, modes } = await this.#connection.request(
      'session/new',
      { cwd, mcpServers: mcpServers.map(serverOf) },
      this.#plan('open a session of'),
    );
    this.#id = sessionId;
    await this.#setMode(sessionId, modes);
  }

  /** Loads a session of an earlier process; the conversation that it repeats is dropped. */
  async load(sessionId: string): Promise<void> {
    const { cwd, mcpServers = [] } = this.#options;
    const loaded = await this.#connection.request(
      'session/load',
      { sessionId, cwd, mcpServers: mcpServers.map(serverOf) },
      this.#plan('load a session of'),
    );
    this.#id = sessionId;
    await this.#setMode(sessionId, loaded?.modes);
  }

  /** Begins a turn. Its end, and whatever goes wrong, is the turn's to tell. */
  prompt(prompt: sdk.ContentBlock[]): void {
    const turn = new Turn();
    this.#turn = turn;
    this.#bytes = 0;
    this.usage.begin();
    const asked = this.#connection.request(
      'session/prompt',
      { sessionId: this.#id ?? '', prompt },
      { what: 'finish the turn of', methods: this.#methods },
    );
    this.#turnOver = asked.then(
      ({ stopReason }) => {
        turn.end({ stopReason });
      },
      (thrown: TroupeError) => {
        turn.fail(thrown);
      },
    );
  }

  /** Forgets a turn that was read to its end. */
  finishTurn(): void {
    this.#turn = undefined;
  }

  /** Ends it: cancels the turn, waits for the grace time, and kills the process. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  read(bytes: number): string | undefined {
    const { maxOutputBytes = MAX_OUTPUT_BYTES } = this.#options;
    this.#bytes += bytes;
    return this.#bytes > maxOutputBytes ? `it wrote a turn of more than ${maxOutputBytes} bytes` : undefined;
  }

  finished(result: object): void {
    this.usage.report(result);
  }

  ended(reason: TroupeError): void {
    this.#turn?.fail(reason);
    this.demands.refuseAll('the agent is gone');
    void this.terminals.releaseAll();
  }

  register(app: sdk.ClientApp, package_: typeof sdk): sdk.ClientApp {
    return registerRequests(app, package_, {
      cwd: this.#options.cwd,
      terminals: this.terminals,
      update: (sessionId, update) => {
        if (sessionId !== this.#id || this.#turn === undefined) return;
        if (update.sessionUpdate === 'usage_update') this.usage.update(update);
        this.#turn.update(update);
      },
      demand: (tool, input, signal, refused) => this.#demand(tool, input, signal, refused),
    });
  }

  /** Hands a request to the turn as a demand; outside of a turn it is refused. */
  #demand<Response>(
    tool: string,
    input: JsonObject,
    signal: AbortSignal,
    refused?: Response,
  ): Promise<Response> {
    const { demand, response } = this.demands.make<Response>(tool, input, refused);
    const turn = this.#turn;
    if (turn === undefined || turn.isOver || this.isOver)
      demand.refuse('there is no turn that it belongs to');
    else turn.demand(demand);
    signal.addEventListener('abort', () => {
      demand.refuse('it was cancelled');
    });
    return response;
  }

  async #close(): Promise<void> {
    const { graceMs = GRACE_MS } = this.#options;
    const turn = this.#turn;
    if (this.#id !== undefined && turn?.isOver === false) {
      this.demands.refuseAll('the turn is cancelled');
      await this.#connection.notify('session/cancel', { sessionId: this.#id });
      await Promise.resolve(
        withinTime(this.#turnOver, { ms: graceMs, clock: systemClock, late: () => undefined }),
      ).catch(() => undefined);
    }
    await this.terminals.releaseAll();
    await this.#connection.close();
  }

  async #authenticate(methodId: string): Promise<void> {
    if (!this.#methods.includes(methodId))
      throw new TroupeError(
        'acp.auth',
        `Cannot authenticate '${this.#options.name}' by '${methodId}' as it does not offer that: ${this.#methods.join(', ') || 'it offers none'}`,
      );
    await this.#connection.request('authenticate', { methodId }, this.#plan('authenticate'));
  }

  async #setMode(sessionId: string, modes: sdk.SessionModeState | null | undefined): Promise<void> {
    const { mode, name } = this.#options;
    if (mode === undefined) return;
    const offered = (modes?.availableModes ?? []).map(({ id }) => id);
    if (!offered.includes(mode))
      throw new TroupeError(
        'acp.failed',
        `Cannot set '${name}' to the mode '${mode}' as it does not offer that: ${offered.join(', ') || 'it offers none'}`,
      );
    await this.#connection.request(
      'session/set_mode',
      { sessionId, modeId: mode },
      this.#plan('set the mode of'),
    );
  }

  #plan(what: string) {
    return { what, ms: this.#startMs, methods: this.#methods };
  }

  get #startMs(): number {
    return this.#options.startTimeoutMs ?? START_MS;
  }
}
