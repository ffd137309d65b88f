import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { oneLine } from '../../base/text/printable.ts';
import type { LineProcess } from '../built-in/host/line-process.ts';

/** The program of a server. */
export interface ServerProgram {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** Larger messages end the connection, in bytes. */
export const MAX_MESSAGE_BYTES = 10_000_000;

/**
 * Connects to a server that is a program of this machine, by its standard input and output.
 *
 * I1 A message is delivered when the one before it has been: the client hears of progress a moment after it is delivered, and forgets
 * the call with its result, which may have come in the same piece.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #program: ServerProgram;
  readonly #parse: (line: string) => JSONRPCMessage;
  #process: LineProcess | undefined;
  #starting: Promise<LineProcess> | undefined;
  #reason: string | undefined;
  #noise: string | undefined;
  #delivered: Promise<void> = Promise.resolve();

  /** With the parser of messages, which throws for what is none. */
  constructor(program: ServerProgram, parse: (line: string) => JSONRPCMessage) {
    this.#program = program;
    this.#parse = parse;
  }

  /** Tells the client that this is a program: a silent one is then taken for an older server. */
  get stderr(): null {
    return null;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** The reason for its end, and what it wrote that is no message; for errors. */
  get account(): string {
    const said = this.#process?.errors.trim() ?? '';
    return [
      this.#reason ?? '',
      this.#noise === undefined ? '' : `its output is no JSON: ${JSON.stringify(this.#noise)}`,
      said === '' ? '' : `its error output ends with: ${oneLine(said, 500)}`,
    ]
      .filter((part) => part !== '')
      .join('; ');
  }

  async start(): Promise<void> {
    this.#starting = this.#spawn();
    this.#process = await this.#starting;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined) throw new Error('it was not started');
    await this.#process.write(JSON.stringify(message));
  }

  /** Ends the program, also one that is still starting. */
  async close(): Promise<void> {
    const started = await this.#starting?.catch(() => undefined);
    await started?.stop();
  }

  async #spawn(): Promise<LineProcess> {
    const { LineProcess } = await import('../built-in/host/line-process.ts');
    const { command, args = [], env = {}, cwd } = this.#program;
    return LineProcess.start({
      file: command,
      args,
      cwd,
      env,
      maxLineBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => {
        this.#receive(line);
      },
      onEnd: (reason) => {
        this.#reason = reason;
        this.#deliver(() => this.onclose?.());
      },
    });
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#parse(line);
    } catch (thrown) {
      this.#noise ??= oneLine(line);
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return;
    }
    this.#deliver(() => this.onmessage?.(message));
  }

  #deliver(next: () => void): void {
    this.#delivered = this.#delivered.then(next).catch((thrown: unknown) => {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
  }
}
