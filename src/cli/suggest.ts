import { lasting, several } from '../base/text/number-words.ts';
import { oneLine } from '../base/text/printable.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import type { Suggestion } from '../inspect/suggestions/suggestion.ts';
import { suggestions } from '../inspect/suggestions/suggestions.ts';
import { exitCode } from './exit-code.ts';
import type { Session } from './session.ts';
import { agentOfRun } from './stored/agent-of-run.ts';
import { withStore } from './stored/open-store.ts';
import { jsonLine } from './stored/run-words.ts';
import { widthOf } from './terminal/terminal.ts';
import { wrappedLine } from './terminal/wrapped-text.ts';
import type { SuggestCommand } from './usage/commands.ts';
import { dollars } from './words/ending.ts';

/** `troupe suggest`: what would make stored runs faster, cheaper or better, with the proof. */
export const suggest = (wanted: SuggestCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const { target, limit, isUnprovenShown } = wanted;
    const all = await tryOnForks(
      await suggestions(store, { target, limit, unproven: true }),
      store,
      wanted,
      session,
    );
    const found = isUnprovenShown ? all : all.filter(({ proven }) => proven !== false);
    if (settings.json) for (const each of found) terminal.stdout.write(jsonLine(each));
    else
      for (const line of found.flatMap((each) => linesOf(each, session))) terminal.stdout.write(`${line}\n`);
    if (settings.json || settings.quiet) return exitCode.answered;
    if (all.length === 0) terminal.stderr.write(`Nothing to suggest for ${target} in ${store.name}\n`);
    terminal.stderr.write(describeUntried(all, wanted, session));
    const hidden = all.length - found.length;
    if (hidden > 0)
      terminal.stderr.write(
        `${several(hidden, 'suggestion')} ${hidden === 1 ? 'is' : 'are'} not proven: --unproven shows ${hidden === 1 ? 'it' : 'them'}, --model tries another model on forks\n`,
      );
    return exitCode.answered;
  });

/** Says what was not tried, where an agent was named for that and no model: forks ask one, which is paid for. */
const describeUntried = (
  found: readonly Suggestion[],
  { file }: SuggestCommand,
  { settings: { model } }: Session,
): string => {
  if (file === undefined || model !== undefined || found.length === 0) return '';
  const what = found.map(({ type, agent }) => `${type} of '${oneLine(agent, 80)}'`).join(', ');
  return `Nothing was tried on forks of ${file} as no --model is named, which they ask: with one, ${oneLine(what, LONGEST)}\n`;
};

/** Tries what forks can prove with the model of the command line, if it names one: that is paid for. */
const tryOnForks = async (
  found: readonly Suggestion[],
  store: JournalStore,
  code: SuggestCommand,
  session: Session,
): Promise<readonly Suggestion[]> => {
  if (session.settings.model === undefined) return found;
  // Forks need all of the runtime.
  const { proveByForks } = await import('../inspect/suggestions/proof/prove-by-forks.ts');
  let proven = found;
  // Of a member of a team, the runs are those of the team.
  const roots = new Map<string, string>();
  for (const { evidence } of found)
    for (const runId of evidence.runs) {
      const root = (await store.entry(runId))?.agent;
      if (root !== undefined && !roots.has(root)) roots.set(root, runId);
    }
  for (const runId of roots.values()) {
    const { agent, model } = await agentOfRun(code, { store, runId }, session);
    proven = await proveByForks(proven, store, { agent, model });
  }
  return proven;
};

/** Longest text of a line, in characters: names may be of any length. */
const LONGEST = 400;

const linesOf = (
  { type, description, expected, evidence, proven, basis }: Suggestion,
  { terminal, paint }: Session,
): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const mark = proven === false ? paint.dim('not proven') : paint.green(`proven by ${proven.by}`);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const { runs, runCount } = evidence;
  const shown = runs.slice(0, SHOWN).join(', ');
  return [
    `${paint.bold(type)}  ${mark}  ${gainWords(expected)}`,
    ...text(`${description}.`),
    ...text(`${basis}.`).map((line) => paint.dim(line)),
    ...text(
      `In ${runCount === 1 ? '1 run' : `${runCount} runs`}: ${shown}${runCount > SHOWN ? ', …' : ''}`,
    ).map((line) => paint.dim(line)),
  ];
};

/** Runs that are named. */
const SHOWN = 3;

/** The savings over all recorded runs together. */
const gainWords = ({ latencyMs, costUsd, tokens, share }: Suggestion['expected']): string =>
  [
    `saves ${Math.round(share * 100)} %`,
    ...(latencyMs === undefined ? [] : [lasting(latencyMs)]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [dollars(costUsd)]),
    ...(tokens === undefined ? [] : [`${Math.round(tokens)} tokens`]),
  ].join(' · ');
