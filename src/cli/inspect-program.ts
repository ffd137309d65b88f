import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { TroupeError } from '../contracts/errors/error.ts';
import { prepareInspector } from '../inspect/local/inspect.ts';
import { openInBrowser } from '../inspect/local/open-in-browser.ts';
import { attachedEnvironment } from './attached-environment.ts';
import type { InspectProgramCommand } from './usage/commands.ts';
import type { Session } from './session.ts';
import { tellOfEnd, tellOfInspector, untilAborted } from './with-inspector.ts';

/**
 * `troupe inspect -- COMMAND`: runs a command as it is, and has Node load `attach` first in each of its processes, whose runs are on one
 * page. Returns its exit code; where there were runs, at Ctrl-C.
 *
 * @throws {TroupeError} `command.usage` for a command that cannot be started; `inspector.failed` where the port is not to be had.
 */
export const inspectProgram = async (
  { program, wish }: InspectProgramCommand,
  session: Session,
): Promise<number> => {
  const { port, isControlled: control, isShown: open } = wish;
  let isShown = false;
  const prepared = prepareInspector(
    { port, control, keepsProcess: true },
    {
      program: basename(program[0]),
      isFollowing: true,
      onFound: ({ registration: { under } }) => {
        if (isShown || under !== process.pid) return;
        isShown = true;
        void opening.then(({ url }) => {
          tellOfInspector(`Inspector: ${url}`, session);
          if (open) openInBrowser(url);
        });
      },
    },
  );
  const opening = prepared.open();
  const inspector = await opening;
  try {
    const code = await runAttached({ program, wish }, session);
    if (!isShown) return code;
    tellOfEnd(session);
    await untilAborted(session.signal);
    return code;
  } finally {
    await inspector.close();
  }
};

/** Runs the command with the terminal as its own; resolves with its exit code. */
const runAttached = async (
  { program: [file, ...args], wish }: Pick<InspectProgramCommand, 'program' | 'wish'>,
  { terminal, signal }: Session,
): Promise<number> => {
  const { environment } = terminal;
  const child = spawn(file, args, {
    cwd: terminal.folder,
    // Its own output, keys and signals of the terminal.
    stdio: 'inherit',
    env: { ...environment, ...attachedEnvironment(environment, wish) },
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

const cannot = (file: string, cause: Error): TroupeError => {
  const reason = 'code' in cause && cause.code === 'ENOENT' ? 'there is no such program' : cause.message;
  const hint = /\.[cm]?[jt]s$/.test(file) ? `: write node ${file}` : '';
  return new TroupeError('command.usage', `Cannot run ${file} as ${reason}${hint}`, { cause });
};
