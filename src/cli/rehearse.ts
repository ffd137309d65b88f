import { several } from '../base/text/number-words.ts';
import { oneLine } from '../base/text/printable.ts';
import { canonical } from '../base/json/canonical.ts';
import type { Json } from '../base/json/json.ts';
import { toJson } from '../base/json/json.ts';
import type { RunDifference } from '../testing/rehearsal/difference.ts';
import type { Estimate } from '../testing/statistics/intervals.ts';
import type { LiveEnd } from '../testing/rehearsal/live-run.ts';
import type { Rehearsal, RehearsedRun } from '../testing/rehearsal/rehearsal.ts';
import { rehearse } from '../testing/rehearsal/rehearse.ts';
import { exitCode } from './exit-code.ts';
import { loadAgent } from './load-agent.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { findRun } from './stored/find-run.ts';
import { withStore } from './stored/open-store.ts';
import { jsonLine } from './stored/run-words.ts';
import { widthOf } from './terminal/terminal.ts';
import { wrappedLine } from './terminal/wrapped-text.ts';
import type { RehearseCommand } from './usage/commands.ts';
import { nameOption } from './usage/name-option.ts';
import { dollars } from './words/ending.ts';
import { briefValue } from './words/brief-value.ts';

/** `troupe rehearse`: drives a changed agent through stored runs, and says where it would do something else. */
export const rehearseRuns = (wanted: RehearseCommand, session: Session): Promise<number> => {
  const { settings, terminal } = session;
  return withStore(session, async ({ store }) => {
    const { file, exportName, run, limit, isLive, tools, budget: budgetUsd } = wanted;
    const candidate = await loadAgent(file, terminal.folder, exportName).catch((thrown: unknown) => {
      throw nameOption(thrown, ['command.usage'], '--candidate');
    });
    const runs = run === undefined ? undefined : [(await findRun(store, run)).runId];
    const rehearsal = await rehearse(candidate, {
      store,
      runs,
      limit,
      signal: session.signal,
      live: isLive && { tools, budgetUsd },
      ...(settings.model === undefined ? {} : { model: modelOf(session) }),
    });
    if (settings.json) {
      const { runs: all, ...summary } = rehearsal;
      for (const each of [...all, summary]) terminal.stdout.write(jsonLine(each));
    } else if (!settings.quiet)
      for (const line of linesOf(rehearsal, session)) terminal.stdout.write(`${line}\n`);
    return rehearsal.same === rehearsal.runs.length ? exitCode.answered : exitCode.unanswered;
  });
};

const linesOf = (rehearsal: Rehearsal, session: Session): readonly string[] => {
  const { runs, same, differs, unseen, failed, spent, recorded, changedOutcomes, costChange } = rehearsal;
  const others = runs.filter(({ verdict }) => verdict !== 'same');
  const counts = [
    `${same} the same`,
    ...(differs === 0 ? [] : [`${differs} ${differs === 1 ? 'differs' : 'differ'}`]),
    ...(unseen === 0 ? [] : [`${unseen} not wholly compared`]),
    ...(failed === 0 ? [] : [`${failed} cannot be replayed`]),
  ];
  const { paint } = session;
  return [
    ...alike(others).flatMap((runs) => linesOfRuns(runs, session)),
    paint.bold(`${several(runs.length, 'run')}: ${counts.join(', ')}`),
    `${several(spent.modelCalls, 'model call')}${costOf(spent.costUsd)}; recorded: ${several(recorded.modelCalls, 'model call')}${costOf(recorded.costUsd)}`,
    ...(changedOutcomes === undefined
      ? []
      : [
          `Ends otherwise: ${percent(changedOutcomes.value)} of the runs (${range(changedOutcomes, percent)})`,
        ]),
    ...(costChange === undefined
      ? []
      : [`Cost of a run that differs: ${withSign(costChange.value)} (${range(costChange, withSign)})`]),
  ];
};

/** Runs whose words are the same but for the place of the difference in each run, together: in the order of the first of each. */
const alike = (runs: readonly RehearsedRun[]): readonly (readonly RehearsedRun[])[] => {
  const groups = new Map<string, RehearsedRun[]>();
  for (const run of runs) {
    const { verdict, difference, unseen, error, ended, live } = run;
    const { part, path, recorded, found } = difference ?? {};
    const end = live === undefined ? null : endOf(live, ended?.output);
    const what = {
      verdict,
      part,
      path,
      recorded,
      found,
      unseen: reasons(unseen),
      error: error?.message,
      end,
    };
    const key = canonical(toJson(what));
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [run]);
    else known.push(run);
  }
  return [...groups.values()];
};

const linesOfRuns = ([first, ...others]: readonly RehearsedRun[], session: Session): readonly string[] => {
  if (first === undefined) return [];
  const [head = '', ...lines] = linesOfRun(first, session);
  const more = others.length === 0 ? '' : session.paint.bold(`  and ${several(others.length, 'run')} alike`);
  return [`${head}${more}`, ...lines];
};

const reasons = (unseen: RehearsedRun['unseen']): string => [...new Set(unseen)].join('; ');

const linesOfRun = (
  { runId, verdict, difference, unseen, error, ended, live }: RehearsedRun,
  { terminal, paint }: Session,
): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const mark = { same: '✓', differs: '≠', unseen: '?', failed: '✗' }[verdict];
  return [
    `${verdict === 'failed' ? paint.red(mark) : paint.yellow(mark)} ${oneLine(runId, 80)}${difference === undefined ? '' : `  ${whereOf(difference)}`}`,
    ...(difference === undefined
      ? []
      : [...text(`was ${briefValue(difference.recorded)}`), ...text(`now ${briefValue(difference.found)}`)]),
    ...(unseen === undefined ? [] : text(reasons(unseen))),
    ...(error === undefined ? [] : text(error.message)),
    ...(live === undefined ? [] : text(endOf(live, ended?.output))),
  ];
};

/** Characters of a line, before it is wrapped. */
const LONGEST = 300;

const whereOf = ({ part, path, step, seq }: RunDifference): string =>
  `${part} of ${oneLine(path, 80)}${step === undefined ? '' : ` in step ${step}`}, event ${seq}`;

const endOf = (
  { isSame, stopped, status, output, modelCalls, costUsd }: LiveEnd,
  before: Json | undefined,
): string => {
  const calls = `${several(modelCalls, 'live call')}${costOf(costUsd)}`;
  if (stopped !== undefined) return `stopped as ${stopped}; ${calls}`;
  return isSame
    ? `ends the same; ${calls}`
    : `ends otherwise, ${status}: ${briefValue(output ?? null)} instead of ${briefValue(before ?? null)}; ${calls}`;
};

const costOf = (costUsd: number | undefined): string =>
  costUsd === undefined ? '' : ` for ${dollars(costUsd)}`;

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

const withSign = (usd: number): string => `${usd < 0 ? '−' : '+'}${dollars(Math.abs(usd))}`;

const range = ({ low, high }: Estimate, words: (value: number) => string): string =>
  `95 % confidence: ${words(low)} to ${words(high)}`;
