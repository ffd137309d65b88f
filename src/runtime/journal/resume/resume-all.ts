import type { Agent } from '../../../contracts/agent.ts';
import { systemClock } from '../../../contracts/clock.ts';
import type { TroupeError } from '../../../contracts/error.ts';
import { errorData, isTroupeError, toError } from '../../../contracts/error.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journal.ts';
import type { UnreadableEntry } from '../../../contracts/listed.ts';
import type { RunHandle } from '../../../contracts/run.ts';
import type { ResumeOptions } from './resume.ts';
import { resume } from './resume.ts';

/** An agent or a team, whatever it takes and gives. */
type AnyAgent = Agent<never, unknown, unknown>;

/** Options with which each of the runs is resumed. */
export type ResumeAllOptions = Omit<ResumeOptions, 'store'>;

/** The unfinished runs of a store after they were resumed. */
export interface ResumedRuns {
  /** They are under way here. */
  readonly resumed: readonly RunHandle<unknown, unknown>[];
  /** Somebody else has them. */
  readonly held: readonly RunEntry[];
  /** None of the agents that were given is theirs. */
  readonly unclaimed: readonly RunEntry[];
  /** They could not be resumed, and why: unreadable, of a later release, or their agent does something else by now. */
  readonly failed: readonly { readonly entry: RunEntry; readonly error: TroupeError }[];
  /** The store cannot say what they are: whether they are over is not known. */
  readonly unreadable: readonly UnreadableEntry[];
}

/**
 * Resumes all runs of a store that are not over, as a server does when it boots: those that were under way when their process ended, and
 * those that wait for a person, a message or a time.
 *
 * Runs that others hold are passed over, and so are those that cannot be read: one of them keeps no other from going on. Each agent is
 * found by its name. A run that was entered in the store and has no record yet is left to the process that begins it, see `runOrResume`.
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
  return resumeEach(store, {
    resumeOne: async ({ agent: name, runId }) => {
      const agent = byName.get(name);
      return agent === undefined ? undefined : resume(agent, runId, { ...options, store });
    },
  });
};

/** The way in which each unfinished run of a store is resumed. */
export interface EachRun<Resumed> {
  /** Resumes one; undefined where nobody here has its agent. */
  readonly resumeOne: (entry: RunEntry) => Promise<Resumed | undefined>;
  /** Leaves out those that wait, and whose time has not come, and to whom nobody has written. Default: none. */
  readonly isDueOnly?: boolean | undefined;
  /** Once it is aborted no other run is resumed. */
  readonly signal?: AbortSignal | undefined;
}

/** The unfinished runs of a store after they were resumed, with what resuming each came to. */
export interface ResumedEach<Resumed> extends Omit<ResumedRuns, 'resumed'> {
  readonly resumed: readonly Resumed[];
}

/** Resumes the unfinished runs of a store one after the other, the oldest first: who came first goes on first. */
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

/** Checks whether a run was under way when its process ended, its time has come, or somebody has written to it. */
const isDue = async (store: JournalStore, { runId, status, dueAt = Infinity }: RunEntry): Promise<boolean> =>
  status === 'running' || dueAt <= systemClock.now() || (await store.letters(runId)).length > 0;

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
