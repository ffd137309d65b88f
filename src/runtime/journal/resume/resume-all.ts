import type { ResumeAllOptions } from './resume-options.ts';
import { checkResumeAll } from './resume-schema.ts';
import type { Agent } from '../../../contracts/agents/agent.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { errorData, isTroupeError, toError } from '../../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { UnreadableEntry } from '../../../contracts/errors/listed.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import { isDue } from './is-due.ts';
import { resume } from './resume.ts';

/** An agent or a team of any input and output. */
type AnyAgent = Agent<never, unknown, unknown>;

/** The unfinished runs of a store, by what became of them. */
export interface ResumedRuns {
  /** Resumed, and running in this process. */
  readonly resumed: readonly RunHandle<unknown, unknown>[];
  /** Held by another process. */
  readonly held: readonly RunEntry[];
  /** Runs of agents that were not given. */
  readonly unclaimed: readonly RunEntry[];
  /** Could not be resumed, and why: unreadable, of a later release, or their agent does something else now. */
  readonly failed: readonly { readonly entry: RunEntry; readonly error: TroupeError }[];
  /** Entries that the store cannot read: it is not known whether they are over. */
  readonly unreadable: readonly UnreadableEntry[];
}

/**
 * Resumes all unfinished runs of a store, as a server does when it boots: those that were running when their process ended, and those that
 * wait for a person, a message or a time.
 *
 * Runs that other processes hold are skipped, and so are unreadable ones: one of them does not keep the others from resuming. Agents are
 * found by name. A run without a record yet is left to the process that starts it, see `runOrResume`.
 *
 * @example
 * const { resumed, held, failed } = await resumeAll(store, [clerk, desk]);
 * for (const { entry, error } of failed) console.warn(entry.runId, error.message);
 *
 * @throws {TroupeError} `journal.failed` where the store cannot be listed; `agent.invalid` where two agents bear one name.
 */
export const resumeAll = async (
  store: JournalStore,
  agents: readonly AnyAgent[],
  options: ResumeAllOptions = {},
): Promise<ResumedRuns> => {
  checkResumeAll(options);
  const byName = agentsByName(agents);
  return resumeEach(store, {
    resumeOne: async ({ agent: name, runId }) => {
      const agent = byName.get(name);
      return agent === undefined ? undefined : resume(agent, runId, { ...options, store });
    },
  });
};

/** Options of {@link resumeEach}. */
export interface EachRun<Resumed> {
  /** Resumes one run; undefined if its agent is not known here. */
  readonly resumeOne: (entry: RunEntry) => Promise<Resumed | undefined>;
  /** Skips runs that wait, are not due, and have no letters. Default: none. */
  readonly isDueOnly?: boolean | undefined;
  /** Once aborted, no further run is resumed. */
  readonly signal?: AbortSignal | undefined;
}

/** The unfinished runs of a store, with what `resumeOne` returned for each. */
export interface ResumedEach<Resumed> extends Omit<ResumedRuns, 'resumed'> {
  readonly resumed: readonly Resumed[];
}

/** Resumes the unfinished runs of a store one after the other, oldest first. */
export const resumeEach = async <Resumed>(
  store: JournalStore,
  { resumeOne, isDueOnly = false, signal }: EachRun<Resumed>,
): Promise<ResumedEach<Resumed>> => {
  const resumed: Resumed[] = [];
  const held: RunEntry[] = [];
  const unclaimed: RunEntry[] = [];
  const failed: { entry: RunEntry; error: TroupeError }[] = [];
  const open = await store.list({ status: ['running', 'waiting'] });
  for (const entry of open.toReversed()) {
    if (signal?.aborted === true) break;
    try {
      if (isDueOnly && !(await isDue(store, entry))) continue;
      const one = await resumeOne(entry);
      if (one === undefined) unclaimed.push(entry);
      else resumed.push(one);
    } catch (thrown) {
      if (isTroupeError(thrown, 'journal.held')) held.push(entry);
      else
        failed.push({ entry, error: toError(errorData(thrown, 'journal.failed', { message: NOT_RESUMED })) });
    }
  }
  return { resumed, held, unclaimed, failed, unreadable: open.unreadable ?? [] };
};

const NOT_RESUMED = 'Cannot resume the run as something threw';

const agentsByName = (agents: readonly AnyAgent[]): ReadonlyMap<string, AnyAgent> => {
  const byName = new Map<string, AnyAgent>();
  for (const agent of agents) {
    const known = byName.get(agent.name);
    if (known !== undefined && known !== agent) throw twoOfOneName(agent.name);
    byName.set(agent.name, agent);
  }
  return byName;
};

const twoOfOneName = (name: string): TroupeError =>
  toError({
    code: 'agent.invalid',
    message: `Cannot resume the runs of '${name}' as two agents bear that name: give each run's agent once`,
    retryable: 'no',
  });
