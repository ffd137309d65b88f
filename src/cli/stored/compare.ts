import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { activityOf } from '../../events/progress/activity.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Parted, RunComparison, RunSummary } from '../../runtime/journal/replay/compared-runs.ts';
import { compare as setBeside } from '../../runtime/journal/replay/compare.ts';
import { exitCode } from '../exit-code.ts';
import { withThousands } from '../../base/text/number-words.ts';
import { cellsOf } from '../terminal/cells.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';
import { noticeLines } from '../words/notice-lines.ts';
import type { Session } from '../session.ts';
import { findRun } from './find-run.ts';
import { withStore } from './open-store.ts';
import { jsonLine } from './run-words.ts';
import type { Screen } from '../terminal/screen.ts';
import { screenOf } from '../terminal/screen.ts';
import type { StoredRun } from '../../runtime/journal/resume/sound-run.ts';
import { readStoredRun } from '../../runtime/journal/resume/sound-run.ts';

/** Of what comes after two runs part, so much of each kind is shown. */
const SHOWN = 5;

/** `troupe compare`: shows where two runs diverge, and the result of each. Exit code 1 if they do. */
export const compare = (
  { runId, other }: { readonly runId: string; readonly other: string },
  session: Session,
): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const [left, right] = [await soundRun(store, runId), await soundRun(store, other)];
    const found = setBeside(left, right);
    if (settings.json) terminal.stdout.write(jsonLine(found));
    else if (!settings.quiet) {
      const names = [oneLine(left.entry.runId), oneLine(right.entry.runId)] as const;
      for (const line of lines(found, names, screenOf(session))) terminal.stdout.write(`${line}\n`);
    }
    return found.isSame ? exitCode.answered : exitCode.unanswered;
  });

const soundRun = async (store: JournalStore, named: string): Promise<StoredRun> => {
  const run = await readStoredRun(store, await findRun(store, named));
  if (run.damage !== undefined) throw run.damage;
  return run;
};

type Names = readonly [left: string, right: string];

const lines = (found: RunComparison, names: Names, { paint, columns }: Screen): readonly string[] => {
  const { parted, shared, totals } = found;
  const [one, other] = names;
  if (parted === undefined)
    return noticeLines(
      paint.green('✓'),
      { words: `${one} and ${other} are the same: ${withThousands(shared)} events` },
      columns,
      '',
    );
  const [left, right] = sidesOf(parted);
  const summary = rowsOf(totals.left, totals.right);
  return [
    ...(differ(totals.left.input, totals.right.input) ? [paint.yellow('! Their inputs differ.')] : []),
    ...wrappedLine(
      `${one} and ${other} share ${withThousands(shared)} events, then part ${placeOf(parted)}:`,
      columns,
    ),
    ...noticeLines(paint.red('−'), { words: `${one}: ${left}` }, columns),
    ...noticeLines(paint.green('+'), { words: `${other}: ${right}` }, columns),
    ...section('Calls after that', found.calls, { paint, columns }),
    ...section('Messages after that', found.messages, { paint, columns }),
    '',
    ...summary.flatMap((row) => summaryLines(row, { paint, columns })),
  ];
};

/** The widest of what is compared, with its space. */
const WHAT_WIDTH = 14;

/** Both sides of a difference: behind each other where they fit, else below each other. */
const summaryLines = (
  [what, left, right]: readonly [string, string, string],
  { paint, columns }: Screen,
): readonly string[] => {
  const head = `  ${what.padEnd(WHAT_WIDTH)}`;
  const line = `${head}${left === right ? left : `${left} → ${right}`}`;
  if (left === right || cellsOf(line) <= columns) return [fittedLine(line, columns)];
  return [
    fittedLine(`${head}${paint.red('−')} ${left}`, columns),
    fittedLine(`${' '.repeat(head.length)}${paint.green('+')} ${right}`, columns),
  ];
};

const placeOf = ({ path, step }: Parted): string =>
  `at ${oneLine(path)}${step === undefined ? '' : `, step ${step}`}`;

const differ = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

/** Describes both sides of a divergence; if the descriptions are equal, by the events' data. */
const sidesOf = ({ left, right }: Parted): readonly [string, string] => {
  const words = [eventWords(left), eventWords(right)] as const;
  return words[0] === words[1] ? [eventData(left), eventData(right)] : words;
};

const eventWords = (event: RuntimeEvent | undefined): string => {
  const text = event === undefined ? undefined : activityOf(event)?.text;
  return event === undefined || text === undefined ? eventData(event) : `${event.type} ${oneLine(text, 300)}`;
};

const eventData = (event: RuntimeEvent | undefined): string => {
  if (event === undefined) return 'nothing more';
  const { v: _v, seq: _seq, at: _at, runId: _runId, path: _path, agent: _agent, type, ...rest } = event;
  return `${type} ${oneLine(JSON.stringify(rest), 300)}`;
};

const section = (
  title: string,
  { left, right }: RunComparison['calls'],
  { paint, columns }: Screen,
): readonly string[] => {
  if (left.length === 0 && right.length === 0) return [];
  const part = (items: readonly string[], mark: string): readonly string[] => [
    ...items.slice(0, SHOWN).flatMap((item) => noticeLines(mark, { words: oneLine(item) }, columns)),
    ...(items.length > SHOWN ? [`  ${mark} … and ${items.length - SHOWN} more`] : []),
  ];
  return ['', `${title}:`, ...part(left, paint.red('−')), ...part(right, paint.green('+'))];
};

const rowsOf = (left: RunSummary, right: RunSummary): readonly (readonly [string, string, string])[] => {
  const row = (what: string, words: (side: RunSummary) => string) =>
    [what, words(left), words(right)] as const;
  return [
    row('input', ({ input }) => (input === undefined ? 'none' : oneLine(JSON.stringify(input), 120))),
    row('status', ({ status }) => status ?? 'in progress'),
    row('steps', ({ steps }) => withThousands(steps)),
    row('model calls', ({ modelCalls }) => withThousands(modelCalls)),
    row('tool calls', ({ toolCalls }) => withThousands(toolCalls)),
    row('tokens', ({ inputTokens, outputTokens }) => withThousands(inputTokens + outputTokens)),
    row('cost', ({ costUsd }) =>
      costUsd === undefined ? 'unknown' : costUsd === 0 ? 'none' : dollars(costUsd),
    ),
    row('output', ({ output }) => (output === undefined ? 'none' : oneLine(JSON.stringify(output), 120))),
  ];
};
