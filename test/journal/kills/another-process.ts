import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build, transform } from 'esbuild';
import type { BuildOptions, Plugin } from 'esbuild';
import { root } from '../../support/run-script.ts';

/** How a child ended: what it said last, or that it was killed. */
export interface ChildEnd {
  readonly wasKilled: boolean;
  readonly lines: readonly string[];
  readonly failure: string;
}

/** One file is read faster than hundreds. A script of its own cannot import: it requires what it loads late, too. */
const oneFile: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['@anthropic-ai/sdk', '@pydantic/genai-prices', 'libsql', 'openai', 'pg'],
  supported: { 'dynamic-import': false },
  logLevel: 'error',
};

/** Puts what a program does into a function: only that may await in a script. */
const asFunction = (program: string): Plugin => ({
  name: 'as-function',
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /[.]ts$/ }, async ({ path }) => {
      if (path !== program) return undefined;
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts' });
      const imports = /^import .*;$/gm;
      const contents = `${(code.match(imports) ?? []).join('\n')}
void (async () => {${code.replace(imports, '')}})();`;
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
  },
});

/** A program of the tests as one script, which compiles once for all processes of it: so that they start fast. */
export class AnotherProcess {
  readonly #source: string;
  readonly #folder: string;

  constructor(source: string) {
    this.#source = join(import.meta.dirname, source);
    this.#folder = resolve(root, '.tmp/kills', `${process.pid}-${Math.random().toString(36).slice(2)}`);
  }

  async build(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    await build({
      ...oneFile,
      entryPoints: [this.#source],
      outfile: join(this.#folder, 'program.cjs'),
      plugins: [asFunction(this.#source)],
      define: { 'import.meta.url': 'programUrl' },
      banner: { js: 'const programUrl = require("node:url").pathToFileURL(__filename).href;' },
    });
    await build({
      ...oneFile,
      entryPoints: [join(import.meta.dirname, 'run-compiled.ts')],
      outfile: join(this.#folder, 'run-compiled.cjs'),
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs it to its end; kills it so long after its first word, if that is said, when it says `word`, or when `until` resolves. */
  async run(
    argument: unknown,
    {
      killAfterMs,
      onLine,
      until,
    }: {
      killAfterMs?: number | undefined;
      onLine?: (line: string, kill: () => void) => void;
      until?: Promise<void> | undefined;
    } = {},
  ): Promise<ChildEnd> {
    const child = spawn(
      process.execPath,
      [join(this.#folder, 'run-compiled.cjs'), JSON.stringify(argument)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env['PATH'],
          HOME: this.#folder,
          TROUPE_FIXTURES: process.env['TROUPE_FIXTURES'],
        },
      },
    );
    let output = '';
    let failure = '';
    let known = 0;
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    void until?.then(kill);
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
