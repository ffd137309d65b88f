import type { Agent } from '../../contracts/agent.ts';
import type { TroupeError } from '../../contracts/error.ts';
import { errorData, isTroupeError, toError } from '../../contracts/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journal.ts';
import type { RunHandle } from '../../contracts/run.ts';
import type { ResumeOptions } from './resume.ts';
import { resume } from './resume.ts';

/** An agent or a team, whatever it takes and gives. */
type AnyAgent = Agent<never, unknown, unknown>;

/** What the runs are resumed with, each alike. */
export type ResumeAllOptions = Omit<ResumeOptions, 'store'>;

/** What became of the unfinished runs of a store. */
export interface ResumedRuns {
  /** They are under way here. */
  readonly resumed: readonly RunHandle<unknown, unknown>[];
  /** Somebody else has them. */
  readonly held: readonly RunEntry[];
  /** None of the agents that were given is theirs. */
  readonly unclaimed: readonly RunEntry[];
  /** They could not be resumed, and why: unreadable, of a later release, or their agent does something else by now. */
  readonly failed: readonly { readonly entry: RunEntry; readonly error: TroupeError }[];
}

/**
 * Resumes all runs of a store that are not over, as a server does when it boots: those that were under way when their process ended, and
 * those that wait for a person, a message or a time.
 *
 * Runs that others hold are passed over, and so are those that cannot be read: one of them keeps no other from going on. Each agent is
 * found by its name. A run that was entered in the store and has no record yet is left to whoever begins it, see `runOrResume`.
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
  const byName = agentsByName(agents);
  const resumed: RunHandle<unknown, unknown>[] = [];
  const held: RunEntry[] = [];
  const unclaimed: RunEntry[] = [];
  const failed: { entry: RunEntry; error: TroupeError }[] = [];
  const open = await store.list({ status: ['running', 'waiting'] });
  // Oldest first: who came first goes on first.
  for (const entry of open.toReversed()) {
    const agent = byName.get(entry.agent);
    if (agent === undefined) {
      unclaimed.push(entry);
      continue;
    }
    try {
      resumed.push(await resume(agent, entry.runId, { ...options, store }));
    } catch (thrown) {
      if (isTroupeError(thrown, 'journal.held')) held.push(entry);
      else
        failed.push({ entry, error: toError(errorData(thrown, 'journal.failed', { message: NOT_RESUMED })) });
    }
  }
  return { resumed, held, unclaimed, failed };
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
