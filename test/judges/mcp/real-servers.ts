import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { agent } from '../../../src/index.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import type { Json } from '../../../src/base/json/json.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';

/** The folder of a package that judges. */
export const packageFolder = (name: string): string => resolve(import.meta.dirname, '../node_modules', name);

type ServerName = 'everything' | 'filesystem' | 'memory';

/** The program of one of the servers that the protocol's authors publish. */
export const serverProgram = (name: ServerName): string =>
  resolve(packageFolder(`@modelcontextprotocol/server-${name}`), 'dist/index.js');

/** Options of such a server over standard input and output; its toolset has its name. */
export const realServer = (
  name: ServerName,
  args: readonly string[] = [],
  options: Partial<McpServerOptions> = {},
): McpServerOptions => ({
  name,
  command: process.execPath,
  args: [serverProgram(name), ...args],
  ...options,
});

/** A port of this machine that is free now. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** A server of everything over HTTP, in a process of its own. */
export class EverythingOverHttp {
  readonly url: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #said = '';

  private constructor(port: number) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}/mcp`;
  }

  static async start(): Promise<EverythingOverHttp> {
    const server = new EverythingOverHttp(await freePort());
    await server.start();
    return server;
  }

  /** What it printed: each request, each session. */
  get said(): string {
    return this.#said;
  }

  /** Starts it, at first or anew, and waits until it listens. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [serverProgram('everything'), 'streamableHttp'], {
      env: { PATH: process.env['PATH'], PORT: String(this.#port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    await new Promise<void>((listening, failed) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece: Buffer) => {
          this.#said += piece.toString();
          if (this.#said.includes('listening on port')) listening();
        });
      child.once('exit', () => {
        failed(new Error(`the server ended: ${this.#said}`));
      });
    });
    this.#said = '';
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** A call that a model makes of a tool, and, after it, an answer for the sampling that it brings about. */
export type MadeCall = readonly [name: string, input: Json, sampled?: string];

/** An agent that makes calls of a server's tools, one in each step, and answers. */
export const calling = (options: McpServerOptions, ...made: readonly MadeCall[]) =>
  agent({
    name: 'host',
    tools: [mcpServer(options)],
    model: scriptedModel([
      ...made.flatMap(([name, input, sampled]) => [
        calls({ name: `${options.name}.${name}`, input }),
        ...(sampled === undefined ? [] : [sampled]),
      ]),
      'Done.',
    ]),
  });

type Finished = Extract<RunResult<unknown>['events'][number], { readonly type: 'tool.finished' }>;

/** The ends of the calls of a run, in the order of their making. */
export const finished = ({ events }: RunResult<unknown>): readonly Finished[] =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []));

export const progressed = ({ events }: RunResult<unknown>): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []));

/** The tools whose calls nobody approved. */
export const denied = ({ events }: RunResult<unknown>): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool.denied' ? [event.tool] : []));
