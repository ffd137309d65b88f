import type { Worker } from 'node:worker_threads';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { GUEST_PRELUDE } from './guest-prelude.ts';
import { SANDBOX_WORKER } from './sandbox-worker.ts';

/** The limits of a program. */
export interface SandboxLimits {
  readonly computeMs: number;
  readonly memoryBytes: number;
  readonly maxCalls: number;
}

/** A program, and all of its world. */
export interface SandboxedProgram {
  readonly code: string;
  /** Names of the tools that it may call. */
  readonly tools: readonly string[];
  /** Its only time, in ms since 1970. */
  readonly now: number;
  /** The beginning of its random numbers: a whole number. */
  readonly seed: number;
}

/** A call that a program waits for. */
export interface SandboxCall {
  readonly name: string;
  /** As JSON text. */
  readonly input: string;
}

/** An error of a program. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The end of a program; an empty output is none. */
export type SandboxEnd =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly error: GuestError };

/** The state of a program that can only wait. */
export interface SandboxReport {
  /** The calls since the last report. */
  readonly calls: readonly SandboxCall[];
  /** Lines since the last report. */
  readonly console: readonly string[];
  readonly end?: SandboxEnd | undefined;
  /** True if its computing time was used up. */
  readonly isLate?: boolean | undefined;
}

const CORE = 'quickjs-emscripten-core';
const VARIANT = '@jitl/quickjs-wasmfile-release-sync';

/** Past its computing time by this, in ms, a program is not in QuickJS's hands any more, and its thread is ended. */
const GRACE_MS = 500;

/** Bounds that are not options: of QuickJS's stack, of the console, and of an input or a result. */
const FIXED = { stackBytes: 256 * 1024, consoleCharacters: 16_384, maxCharacters: 1_048_576 };

/**
 * A thread with a QuickJS of its own, and one program in it. Nothing of the process is in there: what the program does
 * comes out as calls, and goes in as answers.
 */
export class Sandbox {
  readonly #worker: Worker;
  readonly #limits: SandboxLimits;
  /** The first report. */
  readonly begun: Promise<SandboxReport>;
  #settle: ((report: SandboxReport) => void) | undefined;
  #fail: ((error: TroupeError) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(worker: Worker, limits: SandboxLimits) {
    this.#worker = worker;
    this.#limits = limits;
    this.begun = this.#next();
    worker.on('message', (message: 'ready' | (SandboxReport & { readonly broken?: string })) => {
      if (message === 'ready') this.#watch();
      else if (message.broken === undefined) this.#conclude(message);
      else this.#die(message.broken);
    });
    worker.on('error', (error) => {
      this.#die(error instanceof Error ? error.message : String(error));
    });
  }

  /**
   * Starts a program in a thread of its own; its first report is awaited by {@link Sandbox.begun}.
   *
   * @throws {TroupeError} `tool.package-missing` without QuickJS.
   */
  static async start(program: SandboxedProgram, limits: SandboxLimits): Promise<Sandbox> {
    const quickjs = await (loaded ??= loadQuickjs());
    const { code, ...settings } = program;
    // Not imported, as bundles for browsers hold this module, too.
    const threads = process.getBuiltinModule('node:worker_threads');
    const worker = new threads.Worker(SANDBOX_WORKER, {
      eval: true,
      // A thread of nobody's: no environment, no arguments, no output.
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: {
        ...quickjs,
        prelude: GUEST_PRELUDE,
        source: code,
        settings: JSON.stringify(settings),
        limits: { ...FIXED, ...limits },
      },
    });
    return new Sandbox(worker, limits);
  }

  /** Answers all calls of the last report, numbered from the first of the program; JSON text of a list. */
  answer(answers: string): Promise<SandboxReport> {
    const next = this.#next();
    this.#worker.postMessage({ answers });
    this.#watch();
    return next;
  }

  /** Ends the program, wherever it is. */
  close(): void {
    clearTimeout(this.#timer);
    void this.#worker.terminate();
    this.#die('it was closed');
  }

  #next(): Promise<SandboxReport> {
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
  }

  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#worker.terminate();
      const error = { name: 'InternalError', message: 'interrupted', stack: '' };
      this.#conclude({ calls: [], console: [], end: { ok: false, error }, isLate: true });
    }, this.#limits.computeMs + GRACE_MS);
  }

  #conclude(report: SandboxReport): void {
    clearTimeout(this.#timer);
    // A program that waits for its calls holds no process.
    this.#worker.unref();
    this.#settle?.(report);
    this.#settle = this.#fail = undefined;
  }

  #die(reason: string): void {
    clearTimeout(this.#timer);
    this.#fail?.(
      new TroupeError('tool.failed', `Cannot continue the program as its sandbox ended: ${reason}`),
    );
    this.#settle = this.#fail = undefined;
  }
}

/** The places of QuickJS, and its code: compiled once. */
interface Quickjs {
  readonly core: string;
  readonly variant: string;
  readonly wasm: object;
}

/** Node's types leave it to those of the DOM. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

let loaded: Promise<Quickjs> | undefined;

const loadQuickjs = async (): Promise<Quickjs> => {
  try {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    const { resolve } = process.getBuiltinModule('node:module').createRequire(import.meta.url);
    const wasm = await WebAssembly.compile(await readFile(resolve(`${VARIANT}/wasm`)));
    return { core: resolve(CORE), variant: resolve(VARIANT), wasm };
  } catch (cause) {
    loaded = undefined;
    throw new TroupeError(
      'tool.package-missing',
      `Cannot run a program as QuickJS is not installed or does not start: run \`npm install ${CORE} ${VARIANT}\``,
      { cause, retryable: 'no' },
    );
  }
};
