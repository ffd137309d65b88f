import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TroupeError } from '../contracts/errors/error.ts';
import { packageFolder } from '../inspect/local/package-folder.ts';
import type { InspectProgramCommand } from './usage/command-read.ts';
import type { Session } from './session.ts';

/** The variable by which processes of the command learn what was asked of the inspector. */
export const ATTACHED = 'TROUPE_INSPECT';

/**
 * `troupe inspect -- COMMAND`: runs a command as it is, and has Node load `attach` first in each of its processes. Returns its exit code.
 *
 * @throws {TroupeError} `command.usage` for a command that cannot be started.
 */
export const inspectProgram = async (
  { program: [file, ...args], wish }: InspectProgramCommand,
  { terminal, signal }: Session,
): Promise<number> => {
  const { NODE_OPTIONS: before, ...environment } = terminal.environment;
  const child = spawn(file, args, {
    cwd: terminal.folder,
    // Its own output, keys and signals of the terminal.
    stdio: 'inherit',
    env: {
      ...environment,
      NODE_OPTIONS: [...(before === undefined ? [] : [before]), `--import=${attachModule()}`].join(' '),
      [ATTACHED]: JSON.stringify(wish),
    },
  });
  const interrupt = (): void => {
    child.kill('SIGINT');
  };
  signal.addEventListener('abort', interrupt);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => {
        reject(cannot(file, cause));
      });
      child.once('close', (code, killer) => {
        resolve(code ?? 128 + (killer === null ? 0 : constants.signals[killer]));
      });
    });
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
};

/** Built code has the module beside it, wherever the package was built to. */
const attachModule = (): string => {
  const beside = join(import.meta.dirname, '../cli/attach.js');
  return pathToFileURL(existsSync(beside) ? beside : join(packageFolder, 'dist/cli/attach.js')).href;
};

const cannot = (file: string, cause: Error): TroupeError => {
  const reason = 'code' in cause && cause.code === 'ENOENT' ? 'there is no such program' : cause.message;
  const hint = /\.[cm]?[jt]s$/.test(file) ? `: write node ${file}` : '';
  return new TroupeError('command.usage', `Cannot run ${file} as ${reason}${hint}`, { cause });
};
