import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import { settled } from '../runs.ts';
import { CLERK_RUN, clerkWho } from './clerk.ts';
import type { Situation } from './situation.ts';
import { clockAtNine } from './situation.ts';

/** Two hours, for which nobody saw that the process had died. */
const UNSEEN_MS = 7_200_000;

/** The store of a run that outlives its process. */
export interface LeftStore {
  readonly store: JournalStore;
  close(): Promise<void>;
}

/** Starts the clerk in a process of its own, which dies while it writes the receipt. */
export const leaveRun = async (): Promise<LeftStore> => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-left-'));
  const file = join(folder, 'runs.db');
  const program = new AnotherProcess('../../support/situations/killed-clerk.ts');
  await program.build();
  const { wasKilled, failure } = await program.run({ file });
  program.remove();
  if (!wasKilled) throw new Error(`The process was not killed: ${failure}`);
  const store = sqliteStore(file);
  return {
    store,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A run whose process died, resumed by another: what was paid is not paid again. */
export const resumedCrash = (): Situation => {
  const clock = clockAtNine();
  const write = async (): Promise<string> => {
    await clock.advance(1_500);
    return 'The receipt is written.';
  };
  const clerk = clerkWho(clock, write, 2);
  return {
    name: 'resumed-crash',
    agent: clerk,
    runId: CLERK_RUN,
    play: async ({ store }) => {
      await clock.advance(UNSEEN_MS);
      const run = await resume(clerk, CLERK_RUN, { store, clock });
      await settled(run);
      return run;
    },
  };
};
