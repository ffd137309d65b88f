import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished } from 'vitest';
import { entryPointsOf } from '../../../scripts/entry-points.ts';
import { builtFile } from '../../support/built-package.ts';

/** Writes a program for another runtime, with the package as it is published, as one file; removed after the test. */
export const writeProgram = async (source: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'hosted-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'server.mjs');
  writeFileSync(file, await bundleProgram(source));
  return file;
};

/** A program as one text. */
export const bundleProgram = async (source: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    target: 'es2022',
    alias: Object.fromEntries(entryPointsOf().map(({ name, built }) => [name, builtFile(built)])),
    // What is loaded by those only who use it.
    external: ['node:*', 'openai', '@anthropic-ai/sdk', '@pydantic/genai-prices', 'croner'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
};

/** A port that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Starts a process that serves on `port`, and waits until it answers; it ends with the test. */
export const startProcess = async (
  command: string,
  given: readonly string[],
  port: number,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> => {
  const { cwd, env } = options;
  const child = spawn(command, given, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let isOver = false;
  child.on('exit', () => (isOver = true));
  onTestFinished(() => {
    // With what it has started itself.
    if (!isOver && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const url = `http://127.0.0.1:${port}`;
  const serves = async (): Promise<boolean> => {
    if (isOver) throw new Error(`${command} does not serve: ${said}`);
    const answered = await fetch(`${url}/api/openapi.json`).catch(() => undefined);
    await answered?.body?.cancel();
    return answered?.ok === true;
  };
  await expect.poll(serves, { interval: 250, timeout: 90_000, message: said }).toBe(true);
  return url;
};
