import { resolve } from 'node:path';
import { prepareInspector } from '../../inspect/local/inspect.ts';
import { CommandNotes } from '../../inspect/local/processes/command-notes.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { quoteWord } from '../stored/open-store.ts';
import { shownFile } from '../shown-file.ts';
import type { DevCommand } from '../usage/commands.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { tellOfInspector, untilAborted } from '../with-inspector.ts';
import { ImportedFiles } from './imported-files.ts';
import { shortPath } from './load-problem.ts';
import { Reloads } from './reloads.ts';
import { TypeCheck } from './type-check.ts';

/** `troupe dev`: shows a file with the inspector open, and takes it anew whenever it or what it imports has changed. */
export const dev = async (wanted: DevCommand, session: Session): Promise<number> => {
  const { file, wish } = wanted;
  const { terminal, signal } = session;
  if ((await shownFile(file, terminal.folder)) === 'log')
    throw wrong(`a trace does not change: write troupe inspect ${file}`, 'dev');
  const tell = (line: string): void => {
    tellOfInspector(line, session);
  };
  const notes = new CommandNotes();
  const inspector = await prepareInspector(
    { port: wish.port, control: true, open: wish.isShown, keepsProcess: true },
    { program: `troupe dev ${file}`, isFollowing: true, notes },
  ).open();
  let show = (): void => undefined;
  const types = new TypeCheck({
    file: resolve(terminal.folder, file),
    folder: terminal.folder,
    onChange: (problem) => {
      tell(problem ?? 'No errors of types.');
      show();
    },
  });
  const reloads = new Reloads({
    file,
    args: argsOf(wanted, session),
    terminal,
    kindOf: async () =>
      wanted.exportName === undefined && (await shownFile(file, terminal.folder)) === 'program'
        ? 'program'
        : 'definition',
    files: () => files.all,
    onImport: (path) => {
      files.add(path);
    },
    onChange: (problem, held) => {
      files.isLacking = problem !== undefined;
      show = () => {
        notes.say(problem ?? types.problem, held);
      };
      show();
    },
    onBegin: () => {
      types.check();
    },
    tell,
  });
  const files = new ImportedFiles(resolve(terminal.folder, file), (changed) => {
    tell(`${shortPath(changed, terminal.folder)} changed.`);
    reloads.reload();
  });
  try {
    tell(`Inspector: ${inspector.url} (until Ctrl-C)`);
    reloads.reload();
    await untilAborted(signal);
    return exitCode.answered;
  } finally {
    files.close();
    types.stop();
    for (const run of await reloads.stop())
      tell(`Run ${run} is suspended, and can be resumed: ${resumption(run, wanted, session)}`);
    await inspector.close();
  }
};

/** The command that resumes a run of the file. */
const resumption = (run: string, { file, exportName }: DevCommand, session: Session): string => {
  const { store } = session.settings;
  const agent = quoteWord(exportName === undefined ? file : `${file}#${exportName}`);
  const from = store === undefined ? '' : ` --store ${quoteWord(store)}`;
  return `${session.command} resume ${run} --agent ${agent}${from}`;
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
