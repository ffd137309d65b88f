import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../../support/run-script.ts';

/** How a child ended: what it said last, or that it was killed. */
export interface ChildEnd {
  readonly wasKilled: boolean;
  readonly lines: readonly string[];
  readonly failure: string;
}

/** A program of the tests as one file, so that a process of it starts fast. */
export class AnotherProcess {
  readonly #source: string;
  readonly #program: string;

  constructor(source: string) {
    this.#source = source;
    this.#program = resolve(root, '.tmp/kills', `${process.pid}-${Math.random().toString(36).slice(2)}.mjs`);
  }

  async build(): Promise<void> {
    mkdirSync(dirname(this.#program), { recursive: true });
    await build({
      entryPoints: [join(import.meta.dirname, this.#source)],
      outfile: this.#program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      // One file is read faster than hundreds.
      external: ['@anthropic-ai/sdk', '@pydantic/genai-prices', 'libsql', 'openai', 'pg'],
      logLevel: 'error',
    });
  }

  remove(): void {
    rmSync(this.#program, { force: true });
  }

  /** Runs it to its end; kills it so long after its first word, if that is said, or when it says `word`. */
  async run(
    argument: unknown,
    {
      killAfterMs,
      onLine,
    }: { killAfterMs?: number | undefined; onLine?: (line: string, kill: () => void) => void } = {},
  ): Promise<ChildEnd> {
    const child = spawn(process.execPath, [this.#program, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: dirname(this.#program) },
    });
    let output = '';
    let failure = '';
    let known = 0;
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    child.stdout.on('data', (piece: Buffer) => {
      if (output === '' && killAfterMs !== undefined) void wait(killAfterMs).then(kill);
      output += piece.toString();
      const lines = output.split('\n').slice(0, -1);
      for (const line of lines.slice(known)) onLine?.(line, kill);
      known = lines.length;
    });
    child.stderr.on('data', (piece: Buffer) => (failure += piece.toString()));
    const signal = await new Promise((done) => child.on('close', (_, by) => done(by)));
    return { wasKilled: signal === 'SIGKILL', lines: output.split('\n').slice(0, -1), failure };
  }
}
