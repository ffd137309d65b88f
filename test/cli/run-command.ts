import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtConfiguration, builtFile } from '../support/built-package.ts';
import { root } from '../support/run-script.ts';

export { root };

/** How a call of the command ended, and what it printed where. */
export interface CommandResult {
  readonly exit: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** The command, in place of the built one, and with nothing that reads TypeScript. */
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Modules that Node loads first. */
  readonly imports?: readonly string[];
  /** What is typed or piped in; nothing by default. */
  readonly input?: string;
  /** Sent as soon as standard error holds `when`, the second one `again` ms later. */
  readonly interrupt?: { readonly when: string; readonly again?: number };
  /** Standard output is closed once it has printed this. */
  readonly hangUpAfter?: string;
  readonly timeoutMs?: number;
}

/** The built command. */
export const command = (): string => builtFile('cli/main.js');

/** What has Node read modules in TypeScript. */
export const loader = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href;

/** This Node reads TypeScript without any help; from 22.18 on. */
const hasTypeScript = Boolean(Reflect.get(process.features, 'typescript'));

/** Runs `troupe` in a process of its own: no keys, no settings, an empty home, and no terminal. */
export const troupe = async (
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> => {
  const {
    main,
    cwd = root,
    env = {},
    imports = [],
    input = '',
    interrupt,
    hangUpAfter,
    timeoutMs = 50_000,
  } = options;
  const home = mkdtempSync(join(tmpdir(), 'troupe-home-'));
  // Modules of agents in TypeScript are read by tsx; the command itself needs nothing to read it. A stored run names its module
  // itself: a Node that reads TypeScript does so without tsx, and finds no `troupe` installed beside it.
  const readsTypeScript = main === undefined && (args.some((each) => each.endsWith('.ts')) || hasTypeScript);
  const loaded = [...(readsTypeScript ? [loader] : []), ...imports].flatMap((each) => ['--import', each]);
  try {
    return await new Promise((done, failed) => {
      const child = spawn(process.execPath, [...loaded, main ?? command(), ...args], {
        cwd,
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          TMPDIR: home,
          TSX_TSCONFIG_PATH: builtConfiguration(),
          ...env,
        },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let stdout = '';
      let stderr = '';
      let isInterrupted = false;
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        if (hangUpAfter !== undefined && stdout.includes(hangUpAfter)) child.stdout.destroy();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
        if (interrupt === undefined || isInterrupted || !stderr.includes(interrupt.when)) return;
        isInterrupted = true;
        child.kill('SIGINT');
        if (interrupt.again !== undefined) setTimeout(() => child.kill('SIGINT'), interrupt.again);
      });
      // The command may end before it has read everything.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      const timer = setTimeout(() => {
        stderr += `\n(ended after ${timeoutMs} ms)`;
        child.kill('SIGKILL');
      }, timeoutMs);
      child.on('error', failed);
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        done({ exit: code ?? signal, stdout, stderr });
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

/** The path of a module of these tests. */
export const moduleOf = (name: string): string => join(root, 'test/cli/modules', name);
