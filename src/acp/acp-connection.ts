import type * as sdk from '@agentclientprotocol/sdk';
import { systemClock } from '../base/clock.ts';
import { withinTime } from '../base/promises/within-time.ts';
import { oneLine } from '../base/text/printable.ts';
import { loadPackage, rethrow } from '../contracts/errors/load-package.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { LineProcess } from '../tools/built-in/host/line-process.ts';
import { errorOfAgent } from './acp-errors.ts';

/** The program of a coding agent, and its limits. */
export interface ConnectionPlan {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd: string;
  readonly startTimeoutMs: number;
}

/** The receiver of what a coding agent sends by itself. */
export interface Receiver {
  /** Each line, with its length in bytes; a reason ends the program. */
  read(bytes: number): string | undefined;
  /** Tokens of a turn, which the stable protocol does not name yet, by its result. */
  finished(result: object): void;
  /** Registers the handlers of its requests and notifications. */
  register(app: sdk.ClientApp, package_: typeof sdk): sdk.ClientApp;
  /** Called once when the connection is over. */
  ended(reason: TroupeError): void;
}

const PACKAGE = '@agentclientprotocol/sdk';

/** A longer line ends the program, in bytes. */
const MAX_LINE_BYTES = 10_000_000;

/** Lines that are no messages, of which a program may write some, as to a log. */
const MOST_NOISE = 100;

/**
 * A program that speaks the protocol by its standard input and output.
 *
 * I1 Whatever ends it (its own end, a long line, too much of what is no message) rejects all that waits for it, with the reason.
 * I2 When it is closed, the program and all that it started are killed.
 */
export class AcpConnection {
  readonly #plan: ConnectionPlan;
  readonly #receiver: Receiver;
  /** Ids of requests that wait for their response: no other response is passed on. */
  readonly #asked = new Set<unknown>();
  #process: LineProcess | undefined;
  #incoming: ReadableStreamDefaultController<sdk.AnyMessage> | undefined;
  #agent: sdk.ClientContext | undefined;
  #noise = 0;
  #firstNoise: string | undefined;
  #over: TroupeError | undefined;
  #fail: (reason: TroupeError) => void = () => undefined;
  readonly #failure: Promise<never>;

  constructor(plan: ConnectionPlan, receiver: Receiver) {
    this.#plan = plan;
    this.#receiver = receiver;
    this.#failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failure.catch(() => undefined);
  }

  /** The reason for its end; undefined while it lives. */
  get over(): TroupeError | undefined {
    return this.#over;
  }

  /** Starts the program. @throws `acp.package-missing`, `acp.unavailable` */
  async start(): Promise<void> {
    const { name, command, args = [], env = {}, cwd } = this.#plan;
    const package_ = await loadPackage(
      PACKAGE,
      () => import('@agentclientprotocol/sdk').catch(rethrow),
      'acp.package-missing',
    );
    const { LineProcess } = await import('../tools/built-in/host/line-process.ts');
    try {
      this.#process = await LineProcess.start({
        file: command,
        args,
        cwd,
        env,
        maxLineBytes: MAX_LINE_BYTES,
        onLine: (line) => {
          this.#receive(line);
        },
        onEnd: (reason) => {
          this.#end(reason);
        },
      });
    } catch (thrown) {
      throw new TroupeError(
        'acp.unavailable',
        `Cannot start '${name}' as its program failed: ${messageOf(thrown)}`,
        {
          cause: thrown,
        },
      );
    }
    const app = this.#receiver.register(package_.client({ name: 'troupe' }), package_);
    this.#agent = app.connect({ readable: this.#readable(), writable: this.#writable() }).agent;
  }

  /** Sends a request; rejects with a typed error, within a time limit if there is one. */
  async request<Method extends sdk.AgentRequestMethod>(
    method: Method,
    params: sdk.AgentRequestParamsByMethod[Method],
    { what, ms = Infinity, methods }: RequestPlan,
  ): Promise<sdk.AgentRequestResponsesByMethod[Method]> {
    const { name } = this.#plan;
    const doing = `${what} '${name}'`;
    if (this.#agent === undefined || this.#over !== undefined) throw this.#lost();
    const answered = this.#agent.request(method, params);
    try {
      return await withinTime(Promise.race([answered, this.#failure]), {
        ms,
        clock: systemClock,
        late: () =>
          new TroupeError(
            'acp.unavailable',
            `Cannot ${doing} as it did not answer '${method}' in ${ms} ms${this.#account}`,
          ),
      });
    } catch (thrown) {
      // The process may have ended a moment before its end is known here.
      throw this.over ?? errorOfAgent(thrown, doing, methods);
    }
  }

  /** Sends a notification, if it lives. */
  async notify<Method extends sdk.AgentNotificationMethod>(
    method: Method,
    params: sdk.AgentNotificationParamsByMethod[Method],
  ): Promise<void> {
    if (this.#over === undefined) await this.#agent?.notify(method, params).catch(() => undefined);
  }

  /** Ends it, and kills the program and all that it started. */
  async close(reason = 'it was closed'): Promise<void> {
    this.#end(reason);
    await this.#process?.stop();
  }

  #receive(line: string): void {
    if (line.trim() === '' || this.#over !== undefined) return;
    const tooMuch = this.#receiver.read(line.length);
    if (tooMuch !== undefined) {
      void this.close(tooMuch);
      return;
    }
    const message = messageIn(line);
    if (message === undefined) {
      this.#hearNoise(line);
      return;
    }
    if (!('method' in message)) {
      if (!this.#asked.delete(message.id)) return;
      if ('result' in message && typeof message.result === 'object' && message.result !== null)
        this.#receiver.finished(message.result);
    }
    this.#incoming?.enqueue(message);
  }

  #hearNoise(line: string): void {
    this.#firstNoise ??= oneLine(line);
    this.#noise += 1;
    if (this.#noise > MOST_NOISE)
      void this.close(`it wrote more than ${MOST_NOISE} lines that are no messages`);
  }

  #end(reason: string): void {
    if (this.#over !== undefined) return;
    const { name } = this.#plan;
    const isBroken = this.#noise > MOST_NOISE || reason.startsWith('it wrote a line');
    const code = isBroken ? 'acp.protocol' : 'acp.lost';
    this.#over = new TroupeError(code, `Cannot use '${name}' any more as ${reason}${this.#account}`);
    this.#fail(this.#over);
    try {
      this.#incoming?.close();
    } catch {
      // The other side has closed it.
    }
    this.#receiver.ended(this.#over);
  }

  /** The end of its error output, and the first line that was no message. */
  get #account(): string {
    const said = this.#process?.errors.trim() ?? '';
    return [
      this.#firstNoise === undefined ? '' : `; its output is no message: ${JSON.stringify(this.#firstNoise)}`,
      said === '' ? '' : `; its error output ends with: ${oneLine(said, 500)}`,
    ].join('');
  }

  #lost(): TroupeError {
    return this.#over ?? new TroupeError('acp.lost', `Cannot use '${this.#plan.name}' as it was not started`);
  }

  #readable(): ReadableStream<sdk.AnyMessage> {
    return new ReadableStream({
      start: (controller) => {
        this.#incoming = controller;
        if (this.#over !== undefined) controller.close();
      },
    });
  }

  #writable(): WritableStream<sdk.AnyMessage> {
    return new WritableStream({
      write: async (message) => {
        if ('method' in message && 'id' in message) this.#asked.add(message.id);
        await this.#process?.write(JSON.stringify(message));
      },
    });
  }
}

/** The words of a request for its error, its limit, and the methods that are named where it has to be authenticated. */
export interface RequestPlan {
  readonly what: string;
  readonly ms?: number | undefined;
  readonly methods?: readonly string[] | undefined;
}

/** The message of the protocol in a line; undefined for anything else. */
const messageIn = (line: string): sdk.AnyMessage | undefined => {
  try {
    const found: unknown = JSON.parse(line);
    return isMessage(found) ? found : undefined;
  } catch {
    return undefined;
  }
};

const isMessage = (found: unknown): found is sdk.AnyMessage => {
  if (typeof found !== 'object' || found === null || !('jsonrpc' in found) || found.jsonrpc !== '2.0')
    return false;
  if ('method' in found) return typeof found.method === 'string';
  return 'id' in found && ('result' in found || 'error' in found);
};
