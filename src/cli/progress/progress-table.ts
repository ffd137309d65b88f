import { DistinctNames } from './distinct-names.ts';
import { several, withThousands, lasting } from '../../base/text/number-words.ts';
import type { Paint } from '../terminal/paint.ts';
import { cellsOf, padTo } from '../terminal/cells.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import type { Row, Rows } from './run-rows.ts';
import { spinnerFrame } from '../terminal/spinner.ts';

/** The width that names may reach, in cells. */
const WIDEST_NAME = 32;
/** `CHECK_STOP` is the longest phase. */
const PHASE_WIDTH = 10;
const TOKENS_WIDTH = 14;
/** Uses of tools that are shown of one agent. */
const USES = 3;

/** Settings of the block beside the run. */
export interface TableSetting {
  readonly paint: Paint;
  /** Time since the start of the run, in ms. */
  readonly passed: number;
  /** Number of lines available. */
  readonly room: number;
  /** True once the run is over: its totals are then shown elsewhere. */
  readonly isOver: boolean;
}

/** The lines that show a run: one for each agent, below it what its tools did, and at last the sum. Pure. */
export const progressTable = ({ rows: all, progress }: Rows, setting: TableSetting): readonly string[] => {
  const { paint, passed, room, isOver } = setting;
  const names = new DistinctNames();
  for (const { path } of all) names.add(path);
  const rows = all.map((row) => ({ ...row, name: names.of(row.path) || row.name }));
  const shown = keepRows(rows, Math.max(1, room - 3));
  const hidden = rows.length - shown.length;
  const width = Math.min(WIDEST_NAME, Math.max(0, ...shown.map(({ name }) => cellsOf(name))));
  const isRoomy = shown.reduce((sum, { used }) => sum + 1 + Math.min(USES, used.length), 0) <= room - 3;
  const state = progress.status === 'running' ? [] : [progress.status];
  const sum = [
    ...state,
    several(progress.totals.steps, 'step'),
    `${withThousands(progress.totals.inputTokens + progress.totals.outputTokens)} tokens`,
    lasting(passed),
  ];
  return [
    ...shown.flatMap((row) => [`  ${rowLine(row, width, setting)}`, ...(isRoomy ? usesOf(row, paint) : [])]),
    ...(hidden > 0 ? [paint.dim(`  … and ${withThousands(hidden)} more`)] : []),
    ...(isOver ? [] : ['', paint.dim(`  ${sum.join(' · ')}`)]),
  ];
};

/** Keeps as many rows as there is room for: active ones first, then the newest finished ones. */
const keepRows = (rows: readonly Row[], room: number): readonly Row[] => {
  if (rows.length <= room) return rows;
  const working = rows.filter(isUnderWay).slice(-room);
  const done = rows.filter((row) => !isUnderWay(row));
  const shown = new Set([...working, ...done.slice(Math.max(0, done.length - (room - working.length)))]);
  return rows.filter((row) => shown.has(row));
};

const isUnderWay = ({ status }: Row): boolean => status === 'working' || status === 'waiting';

const rowLine = (row: Row, width: number, { paint, passed }: TableSetting): string => {
  const { mark, colour, state, said } = looks(row, paint, passed);
  const name = padTo(fittedLine(row.name, width), width);
  const spent = (row.tokens === 0 ? '' : `${withThousands(row.tokens)} tokens`).padStart(TOKENS_WIDTH);
  const back =
    row.sentBack === 0 ? [] : [`sent back ${row.sentBack === 1 ? 'once' : `${row.sentBack} times`}`];
  const text = [...back, ...(said === '' ? [] : [said])].join(' · ');
  return `${mark} ${name}  ${colour(state.padEnd(PHASE_WIDTH))} ${paint.dim(spent)}  ${text}`.trimEnd();
};

interface Looks {
  readonly mark: string;
  readonly colour: (text: string) => string;
  readonly state: string;
  readonly said: string;
}

const looks = (row: Row, paint: Paint, passed: number): Looks => {
  const { status, phase, doing, task, outcome } = row;
  const summary = [...(task === undefined ? [] : [task]), ...(outcome === undefined ? [] : [outcome])].join(
    ' · ',
  );
  switch (status) {
    case 'working':
      return {
        mark: paint.cyan(spinnerFrame(passed)),
        colour: paint.cyan,
        state: phase,
        said: [doing, ...(task === undefined ? [] : [paint.dim(task)])].join(' · '),
      };
    case 'waiting':
      return { mark: paint.yellow('…'), colour: paint.yellow, state: phase, said: doing };
    case 'completed':
      return { mark: paint.green('✓'), colour: paint.green, state: 'done', said: summary };
    case 'stopped':
      return { mark: paint.yellow('■'), colour: paint.yellow, state: status, said: doing };
    case 'aborted':
      return { mark: paint.yellow('■'), colour: paint.yellow, state: status, said: summary };
    case 'failed':
      return { mark: paint.red('✗'), colour: paint.red, state: status, said: doing };
  }
};

const usesOf = ({ used }: Row, paint: Paint): readonly string[] =>
  used.slice(-USES).map((use) => paint.dim(`    └ ${use}`));
