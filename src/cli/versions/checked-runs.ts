import type { Json } from '../../base/json/json.ts';
import { several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import type { UnfitCall } from '../../runtime/journal/versions/open-calls.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { briefValue } from '../words/brief-value.ts';

/** One run under way, under a new version. */
export interface CheckedRun {
  readonly runId: string;
  readonly agent: string;
  readonly status: RunEntry['status'];
  /**
   * `held`: it does something else from `difference` on, or waits with a call whose tool is gone or takes another input; `call fails`: a call
   * that was planned, and not tried yet, does not fit its tool, so that its agent gets an error; `failed`: it cannot be replayed by any version.
   */
  readonly verdict: 'goes on' | 'held' | 'call fails' | 'failed';
  /** The earlier version that it goes on under, if not the current one. */
  readonly version?: string | undefined;
  readonly difference?:
    | {
        readonly path: string;
        readonly step: number | undefined;
        readonly recorded: Json;
        readonly found: Json;
      }
    | undefined;
  /** The calls without a result that the version cannot make. */
  readonly calls?: readonly UnfitCall[] | undefined;
  readonly error?: ErrorData | undefined;
}

/** Formats runs that were checked: those that do not go on, and the counts. `others` are the agents of runs that were not. */
export const checkedLines = (
  checked: readonly CheckedRun[],
  others: readonly string[],
  session: Session,
): readonly string[] => {
  const count = (verdict: CheckedRun['verdict']): number =>
    checked.filter((run) => run.verdict === verdict).length;
  const [goOn, held, unfit, failed] = [count('goes on'), count('held'), count('call fails'), count('failed')];
  const earlier = checked.filter(({ version }) => version !== undefined).length;
  const under = earlier === 0 ? '' : ` (${earlier} under an earlier version)`;
  const counts = [
    `${goOn} ${goOn === 1 ? 'goes' : 'go'} on${under}`,
    ...(held === 0 ? [] : [`${held} would be held`]),
    ...(unfit === 0 ? [] : [`${unfit} with a call that fails`]),
    ...(failed === 0 ? [] : [`${failed} cannot be replayed`]),
  ];
  const names = [...new Set(others)].map((name) => oneLine(name, 80)).join(', ');
  const more =
    others.length === 0
      ? ''
      : ` (and ${several(others.length, 'run')} of ${names}, which it does not export)`;
  return [
    ...checked.flatMap((run) => linesOfRun(run, session)),
    session.paint.bold(`${several(checked.length, 'run')} under way${more}: ${counts.join(', ')}`),
  ];
};

const linesOfRun = (run: CheckedRun, session: Session): readonly string[] => {
  const { runId, agent, verdict, difference, calls, error } = run;
  if (verdict === 'goes on') return [];
  const { terminal, paint } = session;
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const head = `${oneLine(runId, 80)}  ${oneLine(agent, 80)}`;
  if (calls !== undefined)
    return calls.flatMap(({ path, tool, input, problem, reason }) => [
      `${paint.yellow('≠')} ${head}: ${oneLine(path, 80)} waits with a call of ${oneLine(tool, 80)}, ${problem === 'missing' ? 'which is gone' : 'which takes another input'}`,
      ...text(`was ${briefValue(input)}`),
      ...text(`now ${reason}`),
    ]);
  if (difference === undefined) return [`${paint.red('✗')} ${head}`, ...text(error?.message ?? '')];
  const { path, step, recorded, found } = difference;
  const where = `${oneLine(path, 80)}${step === undefined ? '' : ` in step ${step}`}`;
  return [
    `${paint.yellow('≠')} ${head}: ${where} does something else`,
    ...text(`was ${briefValue(recorded)}`),
    ...text(`now ${briefValue(found)}`),
  ];
};

/** Characters of a line, before it is wrapped. */
const LONGEST = 300;
