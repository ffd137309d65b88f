import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { activityOf } from '../../events/progress/activity.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Parted, RunComparison, RunSummary } from '../../runtime/journal/replay/compare.ts';
import { compare as setBeside } from '../../runtime/journal/replay/compare.ts';
import { exitCode } from '../exit-code.ts';
import { withThousands } from '../../base/text/number-words.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from '../session.ts';
import { findRun } from './find-run.ts';
import { withStore } from './open-store.ts';
import { jsonLine } from './run-words.ts';
import type { StoredRun } from './stored-run.ts';
import { readStoredRun } from './stored-run.ts';

/** Of what comes after two runs part, so much of each kind is shown. */
const SHOWN = 5;

/** `troupe compare`: shows where two runs diverge, and the result of each. Exit code 1 if they do. */
export const compare = (
  { runId, other }: { readonly runId: string; readonly other: string },
  session: Session,
): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings, paint } = session;
    const [left, right] = [await soundRun(store, runId), await soundRun(store, other)];
    const found = setBeside(left, right);
    if (settings.json) terminal.stdout.write(jsonLine(found));
    else if (!settings.quiet) {
      const names = [left.entry.runId, right.entry.runId] as const;
      for (const line of lines(found, names, paint)) terminal.stdout.write(`${line}\n`);
    }
    return found.isSame ? exitCode.answered : exitCode.unanswered;
  });

const soundRun = async (store: JournalStore, named: string): Promise<StoredRun> => {
  const run = await readStoredRun(store, await findRun(store, named));
  if (run.damage !== undefined) throw run.damage;
  return run;
};

type Names = readonly [left: string, right: string];

const lines = (found: RunComparison, names: Names, paint: Paint): readonly string[] => {
  const { parted, shared, totals } = found;
  const [one, other] = names;
  if (parted === undefined)
    return [`${paint.green('✓')} ${one} and ${other} are the same: ${withThousands(shared)} events`];
  const [left, right] = sidesOf(parted);
  return [
    ...(differ(totals.left.input, totals.right.input) ? [paint.yellow('! Their inputs differ.')] : []),
    `${one} and ${other} share ${withThousands(shared)} events, then part ${placeOf(parted)}:`,
    `  ${paint.red('−')} ${one}: ${left}`,
    `  ${paint.green('+')} ${other}: ${right}`,
    ...section('Calls after that', found.calls, paint),
    ...section('Messages after that', found.messages, paint),
    '',
    ...rowsOf(totals.left, totals.right).map(
      ([what, left, right]) => `  ${what.padEnd(13)} ${left === right ? left : `${left} → ${right}`}`,
    ),
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

const section = (title: string, { left, right }: RunComparison['calls'], paint: Paint): readonly string[] => {
  if (left.length === 0 && right.length === 0) return [];
  const part = (items: readonly string[], mark: string): readonly string[] => [
    ...items.slice(0, SHOWN).map((item) => `  ${mark} ${oneLine(item)}`),
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
      costUsd === undefined ? 'unknown' : costUsd === 0 ? 'none' : `$${costUsd.toPrecision(2)}`,
    ),
    row('output', ({ output }) => (output === undefined ? 'none' : oneLine(JSON.stringify(output), 120))),
  ];
};
