import { TroupeError } from '../../contracts/errors/error.ts';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { LiveBudget } from './live-budget.ts';
import { liveFrom } from './live-run.ts';
import type { Rehearsal, RehearsedRun } from './rehearsal.ts';
import { summaryOf } from './rehearsal.ts';
import type { RehearseOptions } from './rehearse-options.ts';
import { checkRehearse } from './rehearse-options.ts';
import { replayWith } from './replayed-run.ts';

/** Runs that are rehearsed by default, the newest. */
const REHEARSED = 1_000;

/**
 * Drives a changed agent or team through recorded runs, each with its whole team: what it asks as in the run is answered from the journal, for
 * nothing. Says for each run whether it does the same, or where it differs first: another chart, prompt, tool, model, setting or output.
 *
 * With `live`, a run that differs goes on from there in a fork that is thrown away: equal requests are still answered from the journal, all
 * others go to the models. Code inside of an effect is not compared: a tool whose description is the same is the same tool.
 *
 * @example
 * const { same, differs, runs } = await rehearse(clerk, { store: sqliteStore('runs.db') });
 * for (const { runId, difference } of runs) if (difference) console.log(runId, difference.path, difference.step, difference.part);
 *
 * @throws {TroupeError} `input.invalid` for options that are none; `journal.unknown` for a run that is not in the store, and where it has none of
 * the agent.
 */
export const rehearse = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  given: RehearseOptions,
): Promise<Rehearsal> => {
  const options = checkRehearse(given, `agent '${agent.name}'`);
  const candidate = journaledDefinition(agent);
  const { live = false } = options;
  const going = live === true ? {} : live;
  const budget = new LiveBudget(going === false ? 0 : going.budgetUsd);
  const rehearsed: RehearsedRun[] = [];
  for (const entry of await entriesFor(agent.name, options)) {
    if (options.signal?.aborted === true) break;
    const { records, difference, unseen, failure } = await replayWith(candidate, entry.runId, options);
    const { runId, status } = entry;
    const ended = endIn(records);
    const run = { runId, status, ended };
    if (failure !== undefined) rehearsed.push({ ...run, verdict: 'failed', error: failure });
    else if (difference === undefined)
      rehearsed.push(
        unseen.length === 0 ? { ...run, verdict: 'same' } : { ...run, verdict: 'unseen', unseen },
      );
    else if (going === false || ended === undefined)
      rehearsed.push({ ...run, verdict: 'differs', difference });
    else {
      const recorded = { entry, records, ended };
      const { end } = await liveFrom({ agent, candidate }, recorded, difference, options, going, budget);
      rehearsed.push({ ...run, verdict: 'differs', difference, live: end });
    }
  }
  return summaryOf(rehearsed);
};

/** The wanted runs, the earliest first. */
const entriesFor = async (
  agent: string,
  { store, runs, limit = REHEARSED }: RehearseOptions,
): Promise<readonly RunEntry[]> => {
  if (runs !== undefined) return Promise.all(runs.map((runId) => entryOf(runId, store)));
  const found = await store.list();
  const own = found.filter((entry) => entry.agent === agent);
  // Nothing to rehearse would look like nothing that differs.
  if (own.length === 0) throw noRuns(agent, found);
  return own.slice(0, limit).toReversed();
};

const noRuns = (agent: string, found: readonly RunEntry[]): TroupeError => {
  const others = [...new Set(found.map((entry) => `'${entry.agent}'`))].slice(0, NAMED).join(', ');
  const why = others === '' ? 'it is empty' : `it has runs of ${others}`;
  return new TroupeError(
    'journal.unknown',
    `Cannot rehearse '${agent}' as the store has no run of it: ${why}`,
  );
};

/** Agents that are named, where there is no run of the one that is wanted. */
const NAMED = 5;

const entryOf = async (runId: string, store: RehearseOptions['store']): Promise<RunEntry> => {
  const entry = await store.entry(runId);
  if (entry !== undefined) return entry;
  throw new TroupeError('journal.unknown', `Cannot rehearse run '${runId}' as it is not in the store`, {
    runId,
  });
};

const endIn = (records: readonly JournalRecord[]): RehearsedRun['ended'] => {
  const last = records.findLast((each) => each.kind === 'event' && each.event.type === 'run.ended');
  if (last?.kind !== 'event' || last.event.type !== 'run.ended') return undefined;
  const { status, output, totals } = last.event;
  return { status, output, modelCalls: totals.modelCalls, costUsd: totals.costUsd };
};
