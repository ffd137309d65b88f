import type { Json } from '../base/json/json.ts';
import { several } from '../base/text/number-words.ts';
import { oneLine } from '../base/text/printable.ts';
import { errorData } from '../contracts/errors/error.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { JournalStore, RunEntry } from '../contracts/journals/journal.ts';
import { DeterminismError } from '../runtime/journal/replay/determinism-error.ts';
import { assertReplays } from '../runtime/journal/replay/replay.ts';
import { exitCode } from './exit-code.ts';
import type { LoadedAgent } from './load-agent.ts';
import { loadAgents } from './load-agent.ts';
import { byName } from './serving/by-name.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { withStore } from './stored/open-store.ts';
import { jsonLine } from './stored/run-words.ts';
import { widthOf } from './terminal/terminal.ts';
import { wrappedLine } from './terminal/wrapped-text.ts';
import type { UpgradeCommand } from './usage/commands.ts';
import { nameOption } from './usage/name-option.ts';
import { briefValue } from './words/brief-value.ts';

/** One run under way, under the new version. */
interface CheckedRun {
  readonly runId: string;
  readonly agent: string;
  readonly status: RunEntry['status'];
  /** `held`: it does something else from `difference` on; `failed`: it cannot be replayed by any version. */
  readonly verdict: 'goes on' | 'held' | 'failed';
  readonly difference?:
    | {
        readonly path: string;
        readonly step: number | undefined;
        readonly recorded: Json;
        readonly found: Json;
      }
    | undefined;
  readonly error?: ErrorData | undefined;
}

/** `troupe upgrade --check`: says which of the runs under way a new version of their agents would resume. */
export const upgrade = (wanted: UpgradeCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const { file, exportName } = wanted;
    const loaded = await loadAgents(file, terminal.folder, exportName).catch((thrown: unknown) => {
      throw nameOption(thrown, ['command.usage'], '--check');
    });
    const agents = byName(loaded);
    const model = settings.model === undefined ? {} : { model: modelOf(session) };
    const checked: CheckedRun[] = [];
    const others: string[] = [];
    for (const entry of (await store.list({ status: ['running', 'waiting'] })).toReversed()) {
      if (session.signal.aborted) return exitCode.aborted;
      const agent = agents[entry.agent];
      if (agent === undefined) others.push(entry.agent);
      else checked.push(await checkRun(agent, entry, { store, ...model }));
    }
    // Of runs of others alone nothing is known: perhaps their agents have other names now.
    const isAll =
      checked.every(({ verdict }) => verdict === 'goes on') && !(checked.length === 0 && others.length > 0);
    if (settings.json) for (const each of checked) terminal.stdout.write(jsonLine(each));
    else if (!settings.quiet)
      for (const line of linesOf(checked, others, session)) terminal.stdout.write(`${line}\n`);
    return isAll ? exitCode.answered : exitCode.unanswered;
  });

const checkRun = async (
  agent: LoadedAgent,
  { runId, agent: name, status }: RunEntry,
  options: { readonly store: JournalStore } & Parameters<typeof assertReplays>[2],
): Promise<CheckedRun> => {
  const run = { runId, agent: name, status };
  try {
    await assertReplays(agent, runId, options);
    return { ...run, verdict: 'goes on' };
  } catch (thrown) {
    if (!(thrown instanceof DeterminismError))
      return { ...run, verdict: 'failed', error: errorData(thrown, 'internal', { runId }) };
    const { path, step, expected, found } = thrown.divergence;
    return { ...run, verdict: 'held', difference: { path, step, recorded: expected, found } };
  }
};

const linesOf = (
  checked: readonly CheckedRun[],
  others: readonly string[],
  session: Session,
): readonly string[] => {
  const count = (verdict: CheckedRun['verdict']): number =>
    checked.filter((run) => run.verdict === verdict).length;
  const [goOn, held, failed] = [count('goes on'), count('held'), count('failed')];
  const counts = [
    `${goOn} ${goOn === 1 ? 'goes' : 'go'} on`,
    ...(held === 0 ? [] : [`${held} would be held`]),
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

const linesOfRun = (
  { runId, agent, verdict, difference, error }: CheckedRun,
  { terminal, paint }: Session,
): readonly string[] => {
  if (verdict === 'goes on') return [];
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const head = `${oneLine(runId, 80)}  ${oneLine(agent, 80)}`;
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
