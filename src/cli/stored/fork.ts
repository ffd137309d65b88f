import { fork as part } from '../../runtime/journal/resume/fork.ts';
import type { ForkCommand } from '../usage/command-read.ts';
import { perform } from '../perform.ts';
import type { Session } from '../session.ts';
import { agentOfRun } from './agent-of-run.ts';
import { newRunId } from './begin.ts';
import { dropCommands, keepCommand } from './command-record.ts';
import { findRun } from './find-run.ts';
import { nameOption } from '../usage/name-option.ts';
import { withStore } from './open-store.ts';

/** `troupe fork`: starts a run that shares the first steps of another. */
export const fork = (wanted: ForkCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { store } = opened;
    const { step, message, isParked } = wanted;
    const { runId: from } = await findRun(store, wanted.runId);
    const { agent, model, soFar, explain, record } = await agentOfRun(
      wanted,
      { store, runId: from },
      session,
    );
    const runId = newRunId();
    const kept = { ...opened, runId, isParked };
    return perform(
      async ({ signal, person }) => {
        const change = { model, message };
        await keepCommand(store, runId, record);
        try {
          return await part(agent, from, { store, at: { step }, change, runId, signal, person });
        } catch (thrown) {
          await dropCommands(store, [runId]);
          throw nameOption(thrown, ['journal.point-unknown'], '--at', `troupe show ${from} lists the steps`);
        }
      },
      { session, soFar, explain, kept },
    );
  });
