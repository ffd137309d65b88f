import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const project = resolve(import.meta.dirname, '../classic-inspector');

/** A message, as the genuine receiver of `@xstate/inspect` understood it. */
export interface ClassicSaid {
  readonly type: string;
  readonly sessionId: string;
  readonly id?: string;
  readonly parent?: string;
  readonly states?: readonly string[];
  readonly value?: unknown;
  readonly name?: string;
}

/** Installs the project that has an XState of its own; false where nothing can be installed. */
export const hasClassicInspector = (): boolean =>
  existsSync(resolve(project, 'node_modules/@xstate/inspect')) ||
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: project, shell: process.platform === 'win32' })
    .status === 0;

/** A receiver in a process of its own. */
export interface ClassicReceiver {
  readonly said: readonly ClassicSaid[];
  /** What it complained of. */
  readonly errors: () => string;
  until(test: (said: readonly ClassicSaid[]) => boolean): Promise<void>;
  send(event: unknown): void;
  close(): void;
}

/** Connects the genuine receiver to a bridge. */
export const openClassicReceiver = (url: string): ClassicReceiver => {
  const child = spawn(process.execPath, ['receive.mjs', url.replace('ws://', '')], { cwd: project });
  const said: ClassicSaid[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line) as ClassicSaid);
    for (const look of waiting) look();
  });
  return {
    said,
    errors: () => errors,
    until: (test) =>
      new Promise((done) => {
        const look = (): void => {
          if (!test(said)) return;
          waiting.delete(look);
          done();
        };
        waiting.add(look);
        look();
      }),
    send: (event) => {
      child.stdin.write(`${JSON.stringify(event)}\n`);
    },
    close: () => {
      child.kill();
    },
  };
};
