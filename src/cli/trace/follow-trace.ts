import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { oneLine } from '../../base/text/printable.ts';
import { checkTrace } from '../../inspect/traces/check-trace.ts';
import { listTraces } from '../../inspect/traces/list-traces.ts';
import type { TraceEntry } from '../../inspect/traces/list-traces.ts';
import { playTrace } from '../../inspect/traces/play-trace.ts';
import { traceAsHtml } from '../../inspect/traces/formats/trace-as-html.ts';
import { traceAsLines } from '../../inspect/traces/trace-text.ts';
import { traceAsSequence } from '../../inspect/traces/formats/trace-as-sequence.ts';
import type { TraceProblem } from '../../inspect/traces/trace-problem.ts';
import { exitCode } from '../exit-code.ts';
import { several } from '../../base/text/number-words.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Cell } from '../terminal/table.ts';
import { tableLines } from '../terminal/table.ts';
import { screenOf, shownLine } from '../terminal/screen.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { progressView } from '../progress/progress-view.ts';
import type { Session } from '../session.ts';
import { agentWidth, jsonLine, startWords, WIDEST_ID } from '../stored/run-words.ts';
import { failedMembersIn } from '../../inspect/traces/step-view.ts';
import { failedLines, stepLines } from '../stored/step-lines.ts';
import { traceAt } from './trace-at.ts';
import type { TraceCommand } from './trace-command.ts';
import { endText, headLines, traceStatusPaint } from './trace-words.ts';

/** `troupe trace`: executes its subcommand. */
export const followTrace = (wanted: TraceCommand, session: Session): Promise<number> => {
  switch (wanted.verb) {
    case 'list':
      return list(wanted, session);
    case 'show':
      return show(wanted, session);
    case 'replay':
      return replay(wanted, session);
    case 'export':
      return exportTrace(wanted, session);
    case 'check':
      return check(wanted, session);
  }
};

const list = async ({ places, status, limit }: TraceCommand, session: Session): Promise<number> => {
  const { terminal, settings, paint } = session;
  const [root] = places;
  const found = await listTraces(resolve(terminal.folder, root), { status, limit });
  if (settings.json) for (const entry of found) terminal.stdout.write(jsonLine(entry));
  else {
    const columns = widthOf(terminal.stdout);
    for (const line of tableLines(
      found.map((entry) => entryCells(entry, paint, columns)),
      columns,
    ))
      terminal.stdout.write(`${fittedLine(line, columns)}\n`);
  }
  if (found.length === 0 && !settings.json && !settings.quiet)
    terminal.stderr.write(`No traces in ${oneLine(root)}\n`);
  return exitCode.answered;
};

const entryCells = (
  { runId, status, startedAt, agent, title }: TraceEntry,
  paint: Paint,
  columns: number,
): readonly Cell[] => [
  { text: shownLine(runId, 80, columns), most: WIDEST_ID },
  { text: status, paint: traceStatusPaint(status, paint) },
  { text: startWords(startedAt, columns) },
  { text: oneLine(agent), most: agentWidth(columns) },
  { text: shownLine(title, 80, columns) },
];

const show = async ({ places: [place] }: TraceCommand, session: Session): Promise<number> => {
  const { terminal, settings, sidePaint } = session;
  const { account, steps, events, damage } = await traceAt(place, session);
  const failedMembers = failedMembersIn(events);
  if (settings.json) terminal.stdout.write(jsonLine({ ...account, steps, failedMembers }));
  else {
    const screen = screenOf(session);
    const lines = [
      ...headLines(account, screen),
      '',
      ...stepLines(steps, [], screen),
      ...failedLines(failedMembers, steps, screen),
      '',
    ];
    terminal.stdout.write(`${lines.join('\n')}\n${endText(account, session)}`);
  }
  for (const problem of damage) terminal.stderr.write(`${sidePaint.yellow('!')} ${problemWords(problem)}\n`);
  return damage.length === 0 ? exitCode.answered : exitCode.unanswered;
};

const replay = async ({ places: [place], speed }: TraceCommand, session: Session): Promise<number> => {
  const { terminal, settings, signal } = session;
  const trace = await traceAt(place, session);
  const view = progressView(session);
  try {
    for await (const event of playTrace(trace, { speed, signal })) view.show(event);
  } finally {
    view.end();
  }
  if (signal.aborted) return exitCode.aborted;
  if (!settings.json) terminal.stdout.write(endText(trace.account, session));
  return exitCode.answered;
};

const STANDARD = '-';

const exportTrace = async (
  { places: [place], html, mermaid, ndjson }: TraceCommand,
  session: Session,
): Promise<number> => {
  const trace = await traceAt(place, session);
  if (html !== undefined) await writeTo('--html', html, await traceAsHtml(trace), session);
  if (mermaid !== undefined) await writeTo('--mermaid', mermaid, await traceAsSequence(trace), session);
  if (ndjson) await writeTo('--ndjson', STANDARD, traceAsLines(trace), session);
  return exitCode.answered;
};

const writeTo = async (
  option: string,
  file: string,
  text: string,
  { terminal, settings }: Session,
): Promise<void> => {
  if (file === STANDARD) {
    await new Promise<void>((written) => {
      terminal.stdout.write(text, written);
    });
    return;
  }
  try {
    // An existing file is not overwritten, and texts of a run are private.
    await writeFile(resolve(terminal.folder, file), text, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    const message = `Cannot export by ${option} to ${file} as the file system refuses: ${messageOf(thrown)}. Name a new file in a folder that is there`;
    throw new TroupeError('command.usage', message, { cause: thrown });
  }
  if (!settings.json && !settings.quiet) terminal.stderr.write(`Exported to ${file}\n`);
};

const check = async ({ places }: TraceCommand, session: Session): Promise<number> => {
  const { terminal, settings, paint } = session;
  let code: number = exitCode.answered;
  for (const place of places) {
    const problems = await problemsAt(place, session);
    if (problems.length > 0) code = exitCode.unanswered;
    if (settings.json) terminal.stdout.write(jsonLine({ place, problems }));
    else if (problems.length > 0 || !settings.quiet) {
      const verdict = problems.length === 0 ? paint.green('✓') : paint.red('✗');
      const sum = problems.length === 0 ? 'no problems found' : several(problems.length, 'problem');
      const columns = widthOf(terminal.stdout);
      const lines = problems.flatMap((problem) => wrappedLine(`    ${problemWords(problem)}`, columns));
      terminal.stdout.write([`${verdict} ${oneLine(place)}: ${sum}`, ...lines, ''].join('\n'));
    }
  }
  return code;
};

/** Reports an unreadable trace as a problem, as several may be checked. */
const problemsAt = async (
  place: string,
  session: Session,
): Promise<readonly Pick<TraceProblem, 'message'>[]> => {
  try {
    return await checkTrace(await traceAt(place, session));
  } catch (thrown) {
    if (isTroupeError(thrown, 'trace.unreadable')) return [{ message: thrown.message }];
    throw thrown;
  }
};

const problemWords = (problem: Partial<TraceProblem>): string => {
  const { kind, line, seq, message = '' } = problem;
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(seq === undefined ? [] : [`event ${seq}`]),
  ];
  return [kind, place.join(' '), oneLine(message, 300)]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');
};
