import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { systemClock } from '../../../base/clock.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import type { ProcessResult } from '../../../contracts/environments/operations.ts';
import { hasMarks, killMarked, MARK } from './marked.ts';
import type { ProcessTree } from './process-tree.ts';
import { treeByPs } from './process-tree.ts';

/** The parameters of a command's start. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The complete environment variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
  readonly timeoutMs: number;
  /** Bytes kept of each of the two outputs; the middle is dropped first. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns the process tree of a command. Default: by marks, or by `ps` where those cannot be read. */
  readonly treeOf?: ((root: number) => ProcessTree) | undefined;
}

/** Windows has neither: only the command itself is killed. */
const usualTreeOf = hasMarks || process.platform === 'win32' ? undefined : treeByPs;

/** A command is stopped once its output exceeds the limit by this factor. */
const MOST_OUTPUT = 1_000;

/** Time that outputs may stay open after the command has ended, in ms: an escaped process may hold them. */
const LINGER_MS = 250;

/**
 * Runs a command without a shell, in a process group of its own, and waits for its end.
 *
 * On time-out, on abort, and after the command's own end, the whole group is killed, and processes that left it for a
 * separate session: nothing that it started in the background remains. It gets one additional variable,
 * `TROUPE_COMMAND`, by which they are found. Rejects if it cannot be started, or is cancelled.
 */
export const spawnCaptured = (plan: SpawnPlan): Promise<ProcessResult> =>
  new Promise((resolve, reject) => {
    const { file, args, cwd, env, input, timeoutMs, maxOutputBytes, signal, treeOf = usualTreeOf } = plan;
    if (signal?.aborted === true) {
      reject(cancelledError(file));
      return;
    }
    const mark = randomUUID();
    const child = spawn(file, [...args], {
      cwd,
      env: { ...env, [MARK]: mark },
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const tree = child.pid === undefined ? undefined : treeOf?.(child.pid);
    const sweep = (): Promise<void> => tree?.kill() ?? killMarked(mark);
    const stdout = new Captured(maxOutputBytes);
    const stderr = new Captured(maxOutputBytes);
    let isTimedOut = false;
    let exitCode: number | null = null;
    let lingering: NodeJS.Timeout | undefined;
    const kill = (): void => {
      killGroup(child);
    };
    const timer = systemClock.setTimeout(() => {
      isTimedOut = true;
      kill();
    }, timeoutMs);
    const onAbort = (): void => {
      kill();
      settle(() => reject(cancelledError(file)));
    };
    let isOver = false;
    let swept: Promise<void> | undefined;
    const settle = (end: () => void): void => {
      if (isOver) return;
      isOver = true;
      systemClock.clearTimeout(timer);
      clearTimeout(lingering);
      signal?.removeEventListener('abort', onAbort);
      void (swept ?? sweep()).then(() => {
        release();
        end();
      });
    };
    const release = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
      child.stdin.destroy();
    };
    const finish = (): void => {
      const isCut = stdout.isCut || stderr.isCut;
      settle(() => resolve({ exitCode, stdout: stdout.text, stderr: stderr.text, isCut, isTimedOut }));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    for (const [stream, captured] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      stream.on('data', (chunk: Buffer) => {
        captured.add(chunk);
        if (captured.bytes > maxOutputBytes * MOST_OUTPUT) kill();
      });
      stream.on('error', () => undefined);
    }
    child.on('error', (error) => settle(() => reject(notStarted(file, error))));
    child.on('exit', (code) => {
      exitCode = code;
      kill();
      // An escaped process may hold the outputs open: killing it closes them.
      swept = sweep();
      lingering = setTimeout(finish, LINGER_MS);
    });
    child.on('close', finish);
    // A program need not read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });

/** Kills a child and all of its process group; on Windows, the child only. */
export const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
};

/** The start and the end of an output: the middle of a long one is dropped. */
class Captured {
  readonly #half: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  bytes = 0;

  constructor(maxBytes: number) {
    this.#half = Math.ceil(maxBytes / 2);
  }

  get isCut(): boolean {
    return this.bytes > this.#headBytes + Math.min(this.#tailBytes, this.#half);
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = this.#half - this.#headBytes;
    if (room > 0) {
      const taken = chunk.subarray(0, room);
      this.#head.push(taken);
      this.#headBytes += taken.length;
    }
    const rest = room > 0 ? chunk.subarray(room) : chunk;
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }

  get text(): string {
    const tail = Buffer.concat(this.#tail);
    const end = tail.subarray(Math.max(0, tail.length - this.#half));
    const head = Buffer.concat(this.#head);
    if (!this.isCut) return Buffer.concat([head, end]).toString();
    const left = this.bytes - head.length - end.length;
    return `${head.toString()}\n[… ${left} bytes left out …]\n${end.toString()}`;
  }
}

const notStarted = (file: string, error: Error): TroupeError =>
  new TroupeError('tool.failed', `Cannot run '${file}' as it cannot be started: ${messageOf(error)}`);

const cancelledError = (file: string): TroupeError =>
  new TroupeError('tool.cancelled', `Cannot finish '${file}' as it was cancelled`);
