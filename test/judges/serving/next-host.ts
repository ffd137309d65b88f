import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleProgram, freePort, startProcess } from './start-host.ts';

const next = createRequire(import.meta.url).resolve('next/dist/bin/next');

/** The files of an app of Next with the guide's route handler, beside the service that it serves. */
const filesOf = async (): Promise<Readonly<Record<string, string>>> => ({
  'package.json': '{ "private": true, "type": "module" }',
  'app/layout.js': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;`,
  'app/page.js': `export default () => <p>A desk.</p>;`,
  'service.mjs': await bundleProgram(`
    import { hostedService } from './hosted-service.ts';
    export const service = hostedService('/api');`),
  'app/api/[...path]/route.js': `
    import { service } from '../../../service.mjs';
    export const { fetch: GET, fetch: POST, fetch: OPTIONS } = service;`,
});

/** Writes and builds the app where `next` and `react` are found. */
const buildApp = async (): Promise<string> => {
  const folder = mkdtempSync(join(import.meta.dirname, '../.next-app-'));
  for (const [name, text] of Object.entries(await filesOf())) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const child = spawn(process.execPath, [next, 'build'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`next build ended with ${code}: ${said}`);
  return folder;
};

/** A server of Next, built once for all tests. */
export class NextHost {
  #built: Promise<string> | undefined;

  /** Starts it, and returns its address; it ends with the test. */
  async start(): Promise<string> {
    this.#built ??= buildApp();
    const port = await freePort();
    return startProcess(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', `${port}`], port, {
      cwd: await this.#built,
      env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    });
  }

  async remove(): Promise<void> {
    const folder = await this.#built?.catch(() => undefined);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
