import { relative, resolve } from 'node:path';
import { oneLine } from '../../base/text/printable.ts';
import { prepareInspector } from '../../inspect/local/inspect.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { shownFile } from '../shown-file.ts';
import type { DevCommand } from '../usage/commands.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { tellOfInspector, untilAborted } from '../with-inspector.ts';
import { ImportedFiles } from './imported-files.ts';
import { RestartedProcess } from './restarted-process.ts';

/** `troupe dev`: runs a file with the inspector open, and again whenever it or what it imports has changed. */
export const dev = async (wanted: DevCommand, session: Session): Promise<number> => {
  const { file, wish } = wanted;
  const { terminal, signal } = session;
  if ((await shownFile(file, terminal.folder)) === 'log')
    throw wrong(`a trace does not change: write troupe inspect ${file}`, 'dev');
  const tell = (line: string): void => {
    tellOfInspector(line, session);
  };
  let failure: string | undefined;
  const inspector = await prepareInspector(
    { port: wish.port, control: true, open: wish.isShown, keepsProcess: true },
    { program: `troupe dev ${file}`, isFollowing: true, note: () => failure },
  ).open();
  const program = new RestartedProcess({
    args: argsOf(wanted, session),
    terminal,
    onImport: (path) => {
      files.add(path);
    },
    onFailure: (message) => {
      failure = `${file} failed: ${oneLine(message, 2_000)}`;
      files.isLacking = true;
    },
    onEnd: (code) => {
      if (!signal.aborted)
        tell(
          `${file} ended${code === 0 ? '' : ` (exit code ${code ?? 'none'})`}: change it to run it again.`,
        );
    },
  });
  const files = new ImportedFiles(resolve(terminal.folder, file), (changed) => {
    tell(`${relative(terminal.folder, changed)} changed.`);
    begin();
  });
  const begin = (): void => {
    failure = undefined;
    files.isLacking = false;
    void program.restart();
  };
  try {
    tell(`Inspector: ${inspector.url} (until Ctrl-C)`);
    begin();
    await untilAborted(signal);
    return exitCode.answered;
  } finally {
    files.close();
    await program.stop();
    await inspector.close();
  }
};

/** The command that shows the file, with the settings of this one. */
const argsOf = (
  { file, input, isData, exportName, wish }: DevCommand,
  { settings: { json, quiet, model, store, debug, color } }: Session,
): readonly string[] => [
  'inspect',
  file,
  ...(input === undefined ? [] : [input]),
  '--control',
  ...flag('--data', isData),
  ...flag('--wait', wish.isAwaited),
  ...flag('--json', json),
  ...flag('--quiet', quiet),
  ...flag('--debug', debug),
  ...flag('--no-color', !color),
  ...option('--export', exportName),
  ...option('--model', model),
  ...option('--store', store),
];

const flag = (name: string, isSet: boolean): readonly string[] => (isSet ? [name] : []);

const option = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${value}`];
