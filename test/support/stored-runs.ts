import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { journaledDefinition } from '../../src/runtime/journal/resume/resume.ts';
import { resumeTaken } from '../../src/runtime/journal/resume/resumed-run.ts';
import { startStored, acquireRun } from '../../src/runtime/journal/resume/stored-run.ts';

/** Starts a stored run, with chance taken out. */
export const startIn = (
  store: JournalStore,
  agent: Agent<string, unknown, unknown>,
  input: string,
  options: RunOptions,
): RunHandle<unknown, unknown> =>
  startStored(
    journaledDefinition(agent),
    input,
    { ...options, store },
    { isAttended: true, random: () => 0.5 },
  );

/** Goes on with a stored run, with whatever clock and options the test has. */
export const goOn = async (
  store: JournalStore,
  agent: Agent<string, unknown, unknown>,
  runId: string,
  options: RunOptions,
): Promise<RunHandle<unknown, unknown>> =>
  resumeTaken(journaledDefinition(agent), await acquireRun(store, runId), options);

/** When a record was written. */
export const timeOf = (record: JournalRecord | undefined): number => {
  if (record === undefined) return 0;
  return record.kind === 'event' ? record.event.at : record.at;
};

/** Numbers that follow from a seed. */
export const numbersFrom = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
