import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { STARTER } from '../../../src/inspect/local/processes/membership.ts';
import { compileProgram } from '../../support/built-package.ts';
import { join } from 'node:path';

/** A program that runs beside the test, and what it has printed. */
export interface StartedProgram {
  readonly pid: number;
  /** Waits until it has printed something that is looked for; returns it. */
  readonly until: (pattern: RegExp) => Promise<string>;
  readonly said: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

/** Starts Node with arguments, in the runtime folder of this test; it is killed when the test is over. */
export const startNode = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StartedProgram => {
  const { PATH, XDG_RUNTIME_DIR } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, XDG_RUNTIME_DIR, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  const looks = new Set<() => void>();
  for (const output of [child.stdout, child.stderr])
    output.on('data', (part: Buffer) => {
      said += part.toString();
      for (const look of looks) look();
    });
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const [found] = pattern.exec(said) ?? [];
        if (found === undefined) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
    });
  return { pid: child.pid ?? 0, until, said: () => said, kill: (signal) => child.kill(signal), ended };
};

let clerk: Promise<string> | undefined;

/** Starts a process with an inspector of its own, whose run waits for approval; `under` this process, it ends once its runs were read. */
export const startClerk = async (name: string, ...flags: readonly string[]): Promise<StartedProgram> => {
  const file = await (clerk ??= compileProgram(join(import.meta.dirname, 'programs/waiting-clerk.ts')));
  const isUnder = flags.includes('under');
  const started = startNode([file, name, ...flags], isUnder ? { [STARTER]: String(process.pid) } : {});
  await started.until(/open \S+/);
  return started;
};
