import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFailed, onTestFinished, vi } from 'vitest';
import { builtConfiguration } from '../support/built-package.ts';
import { command, compiledModuleOf, root, typeScriptOptions } from './run-command.ts';

/** A process of `troupe` that goes on until it is told to end. */
export interface LongProcess {
  readonly child: ChildProcess;
  /** The first line that it prints, as JSON. */
  readonly said: Readonly<Record<string, unknown>>;
  readonly stderr: () => string;
  /** Resolves with its exit code and signal. */
  readonly ended: Promise<readonly unknown[]>;
}

/** The way that a process is started. */
interface LongStart {
  readonly home: string;
  readonly ledger: string;
  readonly args: readonly string[];
  /** The module of its agents, among those of these tests. */
  readonly module: string;
  /** The version of its agents. */
  readonly version: string;
}

/** Starts `troupe COMMAND` with agents; it is killed when the test is over. */
const startLong = async (
  name: 'serve' | 'worker',
  { home, ledger, args, module: file, version }: LongStart,
): Promise<LongProcess> => {
  const module = await compiledModuleOf(file);
  const given = [...typeScriptOptions, command(), name, module, '--json', '--port', '0', ...args];
  const child = spawn(process.execPath, given, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TSX_TSCONFIG_PATH: builtConfiguration(),
      LEDGER: ledger,
      VERSION: version,
      TROUPE_FULL: process.env['TROUPE_FULL'],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  onTestFailed(() => {
    console.error(name, child.exitCode, stderr);
  });
  const said = await firstLine(child, () => stderr);
  return { child, said: JSON.parse(said) as LongProcess['said'], stderr: () => stderr, ended };
};

const firstLine = async (child: ChildProcess, stderr: () => string): Promise<string> => {
  let text = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.includes('\n')) return text;
  }
  throw new Error(stderr());
};

/** The lines of a ledger: which process did what. */
export const linesOf = (
  ledger: string,
): readonly { readonly pid: number; readonly what: string; readonly key: string }[] =>
  readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [pid = '', what = '', key = ''] = line.split(' ');
      return { pid: Number(pid), what, key };
    });

/** A place for processes that share a store, with the agents of a module. */
export const makePlace = (store: string, module = 'worked.ts') => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-worker-'));
  const ledger = join(home, 'ledger');
  writeFileSync(ledger, '');
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const place = store === 'sqlite' ? join(home, 'runs.db') : store;
  const args = ['--store', place];
  const start = (name: 'serve' | 'worker', version: string, ...more: readonly string[]) =>
    startLong(name, { home, ledger, args: [...args, ...more], module, version });
  return {
    ledger,
    store: place,
    entrance: (version = '1') => start('serve', version, '--enqueue'),
    worker: (...more: readonly string[]) => start('worker', '1', ...more),
    /** A worker with a version of the agents. */
    workerOf: (version: string, ...more: readonly string[]) => start('worker', version, ...more),
  };
};

/** Waits until the ledger has as many lines more. */
export const growBy = async (ledger: string, count: number): Promise<void> => {
  const before = linesOf(ledger).length;
  await vi.waitFor(
    () => {
      expect(linesOf(ledger).length).toBeGreaterThanOrEqual(before + count);
    },
    { timeout: 60_000, interval: 10 },
  );
};
