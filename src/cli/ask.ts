import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TroupeError } from '../contracts/errors/error.ts';
import { oneLine } from '../base/text/printable.ts';
import { assertKey } from '../models/assert-key.ts';
import type { Documents, DocumentsReport } from '../tools/built-in/documents/documents-toolset.ts';
import type { AskCommand } from './usage/commands.ts';
import { deskFor } from './desk/desk-for.ts';
import { soFar } from './desk/so-far.ts';
import { OWN_QUESTION, ownDocuments, ownIgnored, ownProject, packageRoot } from './package-root.ts';
import { several } from '../base/text/number-words.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { explainBudget } from './words/unpriced.ts';
import { modelLine, skippedLine } from './words/start-lines.ts';
import { wrong } from './usage/wrong-usage.ts';
import { spinner } from './terminal/spinner.ts';
import { widthOf } from './terminal/terminal.ts';
import { wrappedLine } from './terminal/wrapped-text.ts';
import { begin } from './stored/begin.ts';

/** `troupe ask`: the research desk answers a question from a folder. */
export const ask = async (wanted: AskCommand, session: Session): Promise<number> => {
  const { settings, terminal, sidePaint: paint } = session;
  const model = modelOf(session);
  assertKey(model, terminal.environment);
  const place = placeOf(wanted, terminal.folder);
  const memory = memoryFolder(wanted.memory, terminal.folder);
  const desk = { folders: place.folders, ignored: place.ignored, budget: wanted.budget, memory };
  const { desk: agent, library } = deskFor(desk, session.signal);
  const report = await reportOf(library, place.name, session);
  const question = wanted.question ?? OWN_QUESTION;
  if (!settings.json && !settings.quiet) {
    const about = `${several(report.files, 'file')}, ${several(report.passages, 'passage')}`;
    const wrapped = (line: string) => wrappedLine(line, widthOf(terminal.stderr) - 2);
    const lines = [
      ...wrapped(oneLine(question, 300)).map(paint.bold),
      ...wrapped(`${oneLine(place.name)}: ${about}${skippedLine(report.skipped)}`).map(paint.dim),
      ...wrapped(modelLine(model)).map(paint.dim),
    ];
    terminal.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
  }
  const record = { v: 1, command: 'ask', model: settings.model, ...desk } as const;
  return begin(agent, question, {
    session,
    model,
    soFar,
    explain: (thrown) => explainBudget(thrown, wanted.budget, model),
    record,
    isParked: wanted.isParked,
    trace: wanted.trace,
    inspect: wanted.inspect,
  });
};

/** A folder that is there, or can be made. */
const memoryFolder = (named: string | undefined, current: string): string | undefined => {
  if (named === undefined) return undefined;
  const folder = resolve(current, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw wrong(`--memory names a file: '${named}'. Give the path of a folder`, 'ask');
  return folder;
};

interface Place {
  readonly name: string;
  readonly folders: string | string[];
  readonly ignored?: string[];
}

const placeOf = ({ question, folder }: AskCommand, current: string): Place => {
  if (folder !== undefined) return { name: folder, folders: resolve(current, folder) };
  if (question === undefined)
    return { name: "troupe's own documents", folders: [...ownDocuments()], ignored: [...ownIgnored] };
  return current === packageRoot
    ? { name: "troupe's own project", folders: [...ownProject()], ignored: [...ownIgnored] }
    : { name: 'this folder', folders: current };
};

const reportOf = async (library: Documents, name: string, session: Session): Promise<DocumentsReport> => {
  const stop = spinner(`Reading ${oneLine(name)}`, session);
  try {
    return await library.report();
  } catch (thrown) {
    if (session.signal.aborted)
      throw new TroupeError('run.aborted', 'Stopped by Ctrl-C while reading the documents.', {
        cause: thrown,
      });
    throw thrown;
  } finally {
    stop();
  }
};
