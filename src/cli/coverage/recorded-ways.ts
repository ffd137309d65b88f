import type { Agent } from '../../contracts/agents/agent.ts';
import type { Recording } from '../../inspect/recording/recording.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';

/** The ways of stored runs through their charts. */
export interface RecordedWays {
  readonly recordings: readonly Recording[];
  /** Ids of runs that are left out: their code is another by now, or their journal is damaged. */
  readonly left: readonly string[];
  /** The names of other agents that the store has runs of. */
  readonly others: readonly string[];
}

/** Replays the newest stored runs of an agent, and records how each of its actors moved. */
export const recordedWays = async (
  agent: Agent<unknown, unknown>,
  store: JournalStore,
  limit: number,
): Promise<RecordedWays> => {
  const { replay } = await import('../../runtime/journal/replay/replay.ts');
  const { recorder } = await import('../../inspect/recording/recorder.ts');
  const all = await store.list({});
  const runs = all.filter((run) => run.agent === agent.name).slice(0, limit);
  const others = [...new Set(all.map((run) => run.agent))].filter((name) => name !== agent.name);
  const recordings: Recording[] = [];
  const left: string[] = [];
  for (const { runId } of runs) {
    const record = recorder({ capacity: Infinity });
    try {
      await replay(agent, runId, { store, inspect: record });
      recordings.push(record.recording);
    } catch {
      // What it did is not what this chart does.
      left.push(runId);
    }
  }
  return { recordings, left, others };
};
