import { lasting } from '../../../base/text/number-words.ts';
import { oneLine } from '../../../base/text/printable.ts';
import type { RunEntry } from '../../../contracts/journals/journal.ts';
import type { RunFigures } from '../../../inspect/recording/run-sums.ts';
import { fittedLine } from '../../terminal/fitted-line.ts';
import type { Cell } from '../../terminal/table.ts';
import { tableLines } from '../../terminal/table.ts';
import { dollars } from '../../words/ending.ts';
import type { Notice } from '../../words/notice-lines.ts';
import { noticeLines } from '../../words/notice-lines.ts';
import type { LeftStatus } from '../../../runtime/journal/resume/left-running.ts';
import type { HeldMark } from '../../../runtime/journal/versions/held-marks.ts';
import { agentWidth, ROOMY, startWords, statusPaint, timeWords, WIDEST_ID } from '../run-words.ts';
import type { Screen } from '../../terminal/screen.ts';
import { shownLine } from '../../terminal/screen.ts';

/** A run in a list, with what does not belong to all of them. */
export interface ListedRun {
  readonly entry: Omit<RunEntry, 'status'> &
    Pick<RunFigures, 'durationMs' | 'tokens' | 'costUsd'> & {
      readonly status: RunEntry['status'] | LeftStatus;
      /** Time since it was entered, in ms, of a run that was not executed yet. */
      readonly queuedMs?: number | undefined;
      /** The reason why no worker has resumed it. */
      readonly held?: HeldMark | undefined;
    };
  readonly error: string | undefined;
  readonly notices: readonly Notice[];
}

/**
 * Formats a list of runs. In a file or a pipe each run is one line, without what to type; on a terminal, why it failed
 * and what it waits for are below its row.
 */
export const listLines = (listed: readonly ListedRun[], setting: Screen): readonly string[] => {
  const rows = tableLines(
    listed.map(({ entry }) => cellsOfRun(entry, setting)),
    setting.columns,
  );
  return listed.flatMap((run, index) => {
    const row = rows[index] ?? '';
    return setting.columns === Infinity ? [lineOf(row, run, setting)] : linesOf(row, run, setting);
  });
};

const cellsOfRun = (
  { runId, status, createdAt, durationMs, costUsd = 0, agent, title }: ListedRun['entry'],
  { paint, columns }: Screen,
): readonly Cell[] => [
  { text: shownLine(runId, 80, columns), most: WIDEST_ID },
  { text: status, paint: statusPaint(status, paint) },
  { text: startWords(createdAt, columns) },
  // What a run took and cost gives way to what it is about.
  ...(columns < ROOMY
    ? []
    : [
        { text: durationMs === undefined ? '' : lasting(durationMs), isRight: true },
        { text: costUsd === 0 ? '' : dollars(costUsd), isRight: true },
      ]),
  { text: oneLine(agent), most: agentWidth(columns) },
  { text: shownLine(title, 80, columns) },
];

const lineOf = (row: string, run: ListedRun, { paint, columns }: Screen): string => {
  const { entry, error, notices } = run;
  const more = [...notices.map(({ words }) => words), ...factsOf(entry)];
  return [
    row,
    ...(error === undefined ? [] : [paint.red(shownLine(error, 120, columns))]),
    ...(more.length === 0 ? [] : [paint.dim(`(${more.join(', ')})`)]),
  ].join('  ');
};

const linesOf = (row: string, run: ListedRun, { paint, columns }: Screen): readonly string[] => {
  const { entry, error, notices } = run;
  const facts = factsOf(entry);
  return [
    fittedLine(row, columns),
    ...(error === undefined ? [] : noticeLines(paint.red('✗'), { words: oneLine(error) }, columns, INDENT)),
    ...notices.flatMap((notice) => noticeLines(paint.yellow('!'), notice, columns, INDENT)),
    ...(facts.length === 0 ? [] : [fittedLine(paint.dim(`${INDENT}· ${facts.join(', ')}`), columns)]),
  ];
};

const INDENT = '    ';

const factsOf = ({ dueAt, forkedFrom }: ListedRun['entry']): readonly string[] => [
  ...(dueAt === undefined ? [] : [`due ${timeWords(dueAt)}`]),
  ...(forkedFrom === undefined ? [] : [`forked from ${oneLine(forkedFrom, WIDEST_ID)}`]),
];
