import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtConfiguration, compileProgram, processFile } from '../support/built-package.ts';
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
export const command = (): string => processFile('cli/main.js');

const loader = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href;

/**
 * What Node is told first, so that modules in TypeScript find the built package. Nothing where the command has tsx read them, by whose
 * configuration they find it; a Node that reads TypeScript by itself (from 22.18 on) would find no `troupe` installed beside them.
 */
export const typeScriptOptions: readonly string[] = Reflect.get(process.features, 'typescript')
  ? ['--import', loader]
  : [];

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
  const nodeOptions = [
    ...(main === undefined ? typeScriptOptions : []),
    ...imports.flatMap((each) => ['--import', each]),
  ];
  try {
    return await new Promise((done, failed) => {
      const child = spawn(process.execPath, [...nodeOptions, main ?? command(), ...args], {
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

const compiled = new Map<string, Promise<string>>();

/**
 * The path of a module of these tests as JavaScript that imports the built package: a process that reads it needs no tsx, and half the
 * time. Only for the command in a process of its own; in this one it would bring a second troupe with it.
 */
export const compiledModuleOf = (name: string): Promise<string> => {
  const known = compiled.get(name) ?? compileProgram(moduleOf(name));
  compiled.set(name, known);
  return known;
};
