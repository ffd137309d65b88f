import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { STARTER } from '../../inspect/local/processes/membership.ts';
import { builtModule } from '../attached-environment.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEV } from './started-by-dev.ts';

/** The needs of a process that is started again and again. */
export interface RestartedProcessSetup {
  /** Arguments of the command `troupe`. */
  readonly args: readonly string[];
  readonly terminal: Terminal;
  /** It imports a file. */
  readonly onImport: (file: string) => void;
  /** It cannot be loaded, or failed. */
  readonly onFailure: (message: string) => void;
  /** It ended by itself. */
  readonly onEnd: (code: number | null) => void;
}

/** Time in ms that a process has to end in order. */
const END_WITHIN_MS = 2_000;

const messageSchema = z.union([
  z.object({ failed: z.string() }),
  // As Node reports to its own `--watch`; what is loaded by its addresses only, a `require` by its file.
  z.object({ 'watch:import': z.array(z.string()) }),
  z.object({ 'watch:require': z.array(z.string()) }),
]);

/** A process of the command `troupe`, which is replaced by a new one when it has to. */
export class RestartedProcess {
  readonly #setup: RestartedProcessSetup;
  #child: ChildProcess | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(setup: RestartedProcessSetup) {
    this.#setup = setup;
  }

  /** Ends the process that there is, and starts another. */
  restart(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      await this.#end();
      this.#start();
    });
    return this.#turn;
  }

  /** Ends the process. */
  stop(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#end());
    return this.#turn;
  }

  #start(): void {
    const { args, terminal, onEnd, onFailure } = this.#setup;
    const child = spawn(process.execPath, [...process.execArgv, builtModule('main.js'), ...args], {
      cwd: terminal.folder,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: {
        ...terminal.environment,
        [DEV]: '1',
        [STARTER]: String(process.pid),
        WATCH_REPORT_DEPENDENCIES: '1',
      },
    });
    this.#child = child;
    child.on('message', (message) => {
      this.#take(message);
    });
    child.once('error', ({ message }) => {
      onFailure(message);
    });
    child.once('exit', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      onEnd(code);
    });
  }

  #take(message: unknown): void {
    const { onImport, onFailure } = this.#setup;
    const { data } = messageSchema.safeParse(message);
    if (data === undefined) return;
    if ('failed' in data) onFailure(data.failed);
    else if ('watch:import' in data) for (const url of data['watch:import']) forFile(url, onImport);
    else for (const file of data['watch:require']) onImport(file);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}

const forFile = (url: string, use: (file: string) => void): void => {
  if (url.startsWith('file:') && URL.canParse(url)) use(fileURLToPath(url));
};
