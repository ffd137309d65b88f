import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compileProgram } from './built-package.ts';

export const root = resolve(import.meta.dirname, '../..');

export interface ScriptResult {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string | null;
  /** Both of its outputs, as a reader of the terminal would see them. */
  readonly output: string;
}

export interface ScriptOptions {
  readonly args?: readonly string[];
  /** Runs it from its source, by tsx, as a reader of the project would. Takes seconds. */
  readonly fromSource?: boolean;
  readonly timeoutMs?: number;
}

/**
 * Runs a TypeScript file as somebody who just cloned the project would: with no keys, no settings, an empty
 * home, and nobody at the keyboard.
 */
export const runScript = async (file: string, options: ScriptOptions = {}): Promise<ScriptResult> => {
  const { args = [], fromSource = false, timeoutMs = 50_000 } = options;
  const program = fromSource
    ? [join(root, 'node_modules/tsx/dist/cli.mjs'), join(root, file)]
    : [await compileProgram(file)];
  const home = mkdtempSync(join(tmpdir(), 'troupe-home-'));
  try {
    return await new Promise((done, failed) => {
      const child = spawn(process.execPath, [...program, ...args], {
        cwd: root,
        env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, so that a timeout also ends what the script started.
        detached: true,
      });
      let output = '';
      const collect = (chunk: Buffer): void => void (output += chunk.toString());
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      const timer = setTimeout(() => {
        output += `\n(ended after ${timeoutMs} ms)`;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, timeoutMs);
      child.on('error', failed);
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        done({ exit: code ?? signal, output });
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
