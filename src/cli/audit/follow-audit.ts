import { resolve } from 'node:path';
import { oneLine } from '../../base/text/printable.ts';
import { several } from '../../base/text/number-words.ts';
import { fileAnchor } from '../../inspect/audit/anchor.ts';
import { eraseContent } from '../../inspect/audit/erase-content.ts';
import { oversightOf } from '../../inspect/audit/oversight.ts';
import type { AuditEntry } from '../../inspect/audit/audit-entry.ts';
import type { AuditFilter } from '../../inspect/audit/read-audit.ts';
import { isWanted, readAudit } from '../../inspect/audit/read-audit.ts';
import { storedAudit, writeAudit } from '../../inspect/audit/stored-audit.ts';
import { verifyAudit } from '../../inspect/audit/verify-audit.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { findRun, runBeginningWith } from '../stored/find-run.ts';
import { withStore } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import { readStoredRun } from '../../runtime/journal/resume/sound-run.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import { screenOf, shownLine } from '../terminal/screen.ts';
import { tableLines } from '../terminal/table.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import type { AuditCommand } from './audit-command.ts';
import { entryCells, reportLines } from './audit-words.ts';

/** `troupe audit`: executes its subcommand. */
export const followAudit = (wanted: AuditCommand, session: Session): Promise<number> => {
  switch (wanted.verb) {
    case 'verify':
      return Promise.resolve(verify(wanted, session));
    case 'query':
      return Promise.resolve(query(wanted, session));
    case 'report':
      return Promise.resolve(report(wanted, session));
    case 'erase':
      return erase(wanted, session);
    case 'export':
      return exportAudit(wanted, session);
  }
};

const placeOf = (place: string, { terminal }: Session): string => resolve(terminal.folder, place);

const verify = ({ place, anchor }: AuditCommand, session: Session): number => {
  const { terminal, settings, paint } = session;
  const verdict = verifyAudit(placeOf(place, session), {
    anchor: anchor === undefined ? undefined : placeOf(anchor, session),
  });
  const { chains, entries, erased, problems } = verdict;
  const isSound = problems.length === 0;
  if (settings.json) terminal.stdout.write(jsonLine(verdict));
  else if (!isSound || !settings.quiet) {
    const columns = widthOf(terminal.stdout);
    const sum = isSound ? 'no problems found' : several(problems.length, 'problem');
    const extent = `${several(chains, 'log')}, ${several(entries, 'entry').replace(/entrys$/, 'entries')}`;
    const gone = erased === 0 ? '' : `, content of ${erased} erased`;
    const mark = isSound ? paint.green('✓') : paint.red('✗');
    const lines = problems.flatMap(({ file, line, kind, message }) => {
      const where = `${oneLine(nameIn(file, place, session))}${line === undefined ? '' : ` line ${line}`}`;
      return wrappedLine(`    ${kind} · ${where} · ${shownLine(message, 300, columns)}`, columns);
    });
    terminal.stdout.write([`${mark} ${oneLine(place)}: ${sum} (${extent}${gone})`, ...lines, ''].join('\n'));
  }
  return isSound ? exitCode.answered : exitCode.unanswered;
};

/** The name of a file in a folder of logs. */
const nameIn = (file: string, place: string, session: Session): string =>
  file.replace(placeOf(place, session), '').replace(/^[/\\]/, '') || place;

/** A filter with the whole id of its run, which may be abbreviated. */
const withWholeRun = (filter: AuditFilter, entries: readonly AuditEntry[]): AuditFilter => {
  const { run } = filter;
  if (run === undefined) return filter;
  const ids = [...new Set(entries.map(({ runId }) => runId))];
  return ids.includes(run) ? filter : { ...filter, run: runBeginningWith(run, ids) ?? run };
};

const query = ({ place, filter }: AuditCommand, session: Session): number => {
  const { terminal, settings } = session;
  const all = readAudit(placeOf(place, session));
  const wanted = withWholeRun(filter, all);
  const entries = all.filter((entry) => isWanted(entry, wanted));
  if (settings.json) for (const entry of entries) terminal.stdout.write(jsonLine(entry));
  else {
    const screen = screenOf(session);
    const { columns } = screen;
    for (const line of tableLines(
      entries.map((entry) => entryCells(entry, screen)),
      columns,
    ))
      terminal.stdout.write(`${fittedLine(line, columns)}\n`);
    if (entries.length === 0 && !settings.quiet)
      terminal.stderr.write(`No such entries in ${oneLine(place)}\n`);
  }
  return exitCode.answered;
};

const report = ({ place, filter }: AuditCommand, session: Session): number => {
  const { terminal, settings } = session;
  const entries = readAudit(placeOf(place, session));
  const found = oversightOf(entries, withWholeRun(filter, entries));
  if (settings.json) terminal.stdout.write(jsonLine(found));
  else terminal.stdout.write(`${reportLines(found, screenOf(session)).join('\n')}\n`);
  return exitCode.answered;
};

const erase = async (
  { place, anchor, filter, olderThanMs }: AuditCommand,
  session: Session,
): Promise<number> => {
  const { terminal, settings } = session;
  const { person, run } = withWholeRun(filter, readAudit(placeOf(place, session)));
  const now = Date.now();
  const before = olderThanMs === undefined ? undefined : now - olderThanMs;
  const done = await eraseContent(
    placeOf(place, session),
    { person, run, before },
    now,
    anchor === undefined ? undefined : fileAnchor(placeOf(anchor, session)),
  );
  const entries = done.reduce((sum, each) => sum + each.entries, 0);
  if (settings.json) terminal.stdout.write(jsonLine({ entries, files: done }));
  else if (!settings.quiet) {
    const what = several(entries, 'entry').replace(/entrys$/, 'entries');
    terminal.stdout.write(`Erased the content of ${what} in ${several(done.length, 'log')}\n`);
  }
  return exitCode.answered;
};

const exportAudit = ({ place, to, onBehalfOf }: AuditCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const entry = await findRun(store, place);
    const { runId } = entry;
    const { records, damage } = await readStoredRun(store, entry);
    if (damage !== undefined) throw damage;
    const entries = storedAudit(runId, records, onBehalfOf);
    const file = writeAudit(placeOf(to, session), runId, entries);
    if (settings.json) terminal.stdout.write(jsonLine({ runId, file, entries: entries.length }));
    else if (!settings.quiet)
      terminal.stderr.write(`Exported the audit log of run ${runId} to ${oneLine(file)}\n`);
    return exitCode.answered;
  });
