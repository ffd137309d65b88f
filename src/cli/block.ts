import { grouped, lasting } from './number-words.ts';
import type { Paint } from './paint.ts';
import type { Row, Rows } from './run-rows.ts';
import { spinnerFrame } from './spinner.ts';

/** How wide the names may get, in characters. */
const WIDEST_NAME = 24;
/** `CHECK_STOP` is the longest phase. */
const PHASE_WIDTH = 10;

/** The lines that show a run: one for each agent, those at work first to be kept, and the sum. Pure. */
export const blockLines = (
  { rows, progress }: Rows,
  { paint, passed, room }: { readonly paint: Paint; readonly passed: number; readonly room: number },
): readonly string[] => {
  const shown = kept(rows, Math.max(1, room - 3));
  const width = Math.min(WIDEST_NAME, Math.max(0, ...shown.map(({ name }) => name.length)));
  const hidden = rows.length - shown.length;
  const lines = shown.map((row) => `  ${line(row, width, paint, passed)}`);
  return [
    ...lines,
    ...(hidden > 0 ? [paint.dim(`  … and ${grouped(hidden)} more`)] : []),
    paint.dim(
      `  ${progress.status === 'running' ? '' : `${progress.status} · `}${grouped(progress.steps)} steps · ${grouped(progress.tokens)} tokens · ${lasting(passed)}`,
    ),
  ];
};

/** As many rows as there is room for: those at work before those that are done, the newest of them. */
const kept = (rows: readonly Row[], room: number): readonly Row[] => {
  if (rows.length <= room) return rows;
  const working = rows.filter(({ status }) => status === 'working' || status === 'waiting').slice(-room);
  const done = rows.filter((row) => !working.includes(row)).slice(working.length - room || rows.length);
  return rows.filter((row) => working.includes(row) || done.includes(row));
};

const line = (row: Row, width: number, paint: Paint, passed: number): string => {
  const name = row.name.slice(0, width).padEnd(width);
  if (row.status === 'working' || row.status === 'waiting') {
    const mark = row.status === 'working' ? paint.cyan(spinnerFrame(passed)) : paint.yellow('…');
    return `${mark} ${paint.bold(name)}  ${paint.cyan(row.phase.padEnd(PHASE_WIDTH))}  ${row.doing}`;
  }
  const back = row.sentBack > 0 ? [`sent back ${row.sentBack === 1 ? 'once' : `${row.sentBack} times`}`] : [];
  const facts = [...back, `${grouped(row.tokens)} tokens`].join(' · ');
  const said = row.status === 'completed' ? (row.task ?? '') : row.doing;
  return `${marks(paint)[row.status]} ${name}  ${paint.dim(facts)}${said === '' ? '' : `${paint.dim(' · ')}${paint.dim(said)}`}`;
};

const marks = (paint: Paint): Readonly<Record<'completed' | 'stopped' | 'aborted' | 'failed', string>> => ({
  completed: paint.green('✓'),
  stopped: paint.yellow('■'),
  aborted: paint.yellow('■'),
  failed: paint.red('✗'),
});
