import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { STARTER } from '../../inspect/local/processes/membership.ts';
import { builtModule } from '../attached-environment.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { LeftRuns, Order, Report } from './dev-messages.ts';
import { reportSchema } from './dev-messages.ts';
import type { DevKind } from './started-by-dev.ts';
import { DEV } from './started-by-dev.ts';

/** The needs of a process of `troupe dev`. */
export interface DevProcessSetup {
  readonly kind: DevKind;
  /** Arguments of the command `troupe`. */
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly onReport: (report: Report, from: DevProcess) => void;
  /** It ended by itself. */
  readonly onEnd: (code: number | null, which: DevProcess) => void;
}

/** Time in ms that a process has to end in order. */
const END_WITHIN_MS = 2_000;

/**
 * A process of the command `troupe`, with one version of a file: what a version has loaded is gone with its process.
 */
export class DevProcess {
  readonly kind: DevKind;
  /** Resolves when its definition is loaded: true; or when it ends before: false. */
  readonly loaded: Promise<boolean>;
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  #isOver = false;
  #isEnded = false;
  /** Resolves with the runs that it has suspended, or with undefined where it has ended without. */
  readonly #left: Promise<LeftRuns | undefined>;

  constructor({ kind, args, terminal, onReport, onEnd }: DevProcessSetup) {
    this.kind = kind;
    const child = spawn(process.execPath, [...process.execArgv, builtModule('main.js'), ...args], {
      cwd: terminal.folder,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: {
        ...terminal.environment,
        [DEV]: kind,
        [STARTER]: String(process.pid),
        WATCH_REPORT_DEPENDENCIES: '1',
      },
    });
    this.#child = child;
    let settle: (isLoaded: boolean) => void = () => undefined;
    this.loaded = new Promise((resolve) => {
      settle = resolve;
    });
    let leave: (left: LeftRuns | undefined) => void = () => undefined;
    this.#left = new Promise((resolve) => {
      leave = resolve;
    });
    child.on('message', (message) => {
      const { data } = reportSchema.safeParse(message);
      if (data === undefined) return;
      if ('isLoaded' in data) settle(true);
      else if ('left' in data) leave(data);
      onReport(data, this);
    });
    this.#gone = new Promise((resolve) => {
      const over = (code: number | null): void => {
        this.#isOver = true;
        settle(false);
        leave(undefined);
        resolve();
        if (!this.#isEnded) onEnd(code, this);
      };
      child.once('error', ({ message }) => {
        onReport({ failed: message }, this);
        // One that could not be started does not exit.
        if (child.pid === undefined) over(null);
      });
      child.once('exit', (code) => {
        // Its last messages may not have been read yet.
        if (child.connected) child.once('disconnect', () => over(code));
        else over(code);
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Has it suspend its runs within the time; resolves with those, or with undefined where it has ended. */
  suspend(withinMs: number): Promise<LeftRuns | undefined> {
    this.tell({ suspendWithinMs: withinMs });
    return this.#left;
  }

  tell(order: Order): void {
    if (!this.#isOver && this.#child.connected) this.#child.send(order, () => undefined);
  }

  /** Ends it, in order if it does so in time. */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#isOver) return;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    this.#child.kill('SIGTERM');
    await this.#gone;
    clearTimeout(timer);
  }
}
