import { resolve } from 'node:path';
import type { Budget } from '../contracts/budget.ts';
import { TroupeError } from '../contracts/error.ts';
import { oneLine } from '../events/printable.ts';
import { notesMemory } from '../memory/notes-memory.ts';
import { folderStore } from '../persistence/folder-store.ts';
import type { Documents, DocumentsReport } from '../tools/built-in/documents-toolset.ts';
import { documents } from '../tools/built-in/documents.ts';
import { soFar } from './desk/so-far.ts';
import { researchDesk } from './desk/research-desk.ts';
import { OWN_QUESTION, ownDocuments, ownIgnored, ownProject, packageRoot } from './package-root.ts';
import { counted } from './number-words.ts';
import { perform } from './perform.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { modelLine, skippedLine } from './opening.ts';
import { spinner } from './spinner.ts';

/** What is asked, of which documents, at what cost, and where answers are remembered. */
interface Wanted {
  readonly question: string | undefined;
  readonly folder: string | undefined;
  readonly budget: number | undefined;
  readonly memory: string | undefined;
}

/** `troupe ask`: the research desk answers a question from a folder. */
export const ask = async (wanted: Wanted, session: Session): Promise<number> => {
  const { settings, terminal, sidePaint: paint } = session;
  const model = modelOf(session);
  const place = placeOf(wanted, terminal.folder);
  const library = documents(place.folders, { signal: session.signal, ignoredFolders: place.ignored });
  const report = await reportOf(library, place.name, session);
  const question = wanted.question ?? OWN_QUESTION;
  if (!settings.json && !settings.quiet) {
    const about = `${counted(report.files, 'file')}, ${counted(report.passages, 'passage')}`;
    const lines = [
      `${paint.bold(oneLine(question, 300))}`,
      paint.dim(`${oneLine(place.name)}: ${about}${skippedLine(report.skipped)}`),
      paint.dim(modelLine(model)),
    ];
    terminal.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
  }
  const budget: Budget = wanted.budget === undefined ? {} : { usd: wanted.budget };
  const memory =
    wanted.memory === undefined
      ? undefined
      : notesMemory({ files: folderStore(resolve(terminal.folder, wanted.memory)) });
  const desk = researchDesk({ documents: library, budget, memory });
  return perform(desk, question, { session, model, soFar });
};

interface Place {
  readonly name: string;
  readonly folders: string | readonly string[];
  readonly ignored?: readonly string[];
}

const placeOf = ({ question, folder }: Pick<Wanted, 'question' | 'folder'>, current: string): Place => {
  if (folder !== undefined) return { name: folder, folders: resolve(current, folder) };
  if (question === undefined)
    return { name: "troupe's own documents", folders: ownDocuments(), ignored: ownIgnored };
  return current === packageRoot
    ? { name: "troupe's own project", folders: ownProject(), ignored: ownIgnored }
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
