import { fork as part } from '../../../runtime/journal/resume/fork.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import { perform } from '../../perform.ts';
import type { Session } from '../../session.ts';
import type { ForkCommand } from '../../usage/commands.ts';
import { nameOption } from '../../usage/name-option.ts';
import { agentOfRun } from '../agent-of-run.ts';
import { newRunId } from '../begin.ts';
import { dropCommands, keepCommand } from '../command-record.ts';
import { findRun } from '../find-run.ts';
import { withStore } from '../open-store.ts';
import type { StoredRun } from '../../../runtime/journal/replay/read-stored-run.ts';
import { readStoredRun } from '../../../runtime/journal/replay/read-stored-run.ts';
import { forkPlan } from './fork-change.ts';
import { eventAdvice, stateAdvice, stepAdvice } from './fork-places.ts';

/** `troupe fork`: starts a run that shares the beginning of another. */
export const fork = (wanted: ForkCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { store } = opened;
    const { message, isParked } = wanted;
    const entry = await findRun(store, wanted.runId);
    const { runId: from } = entry;
    const { agent, model, soFar, explain, record } = await agentOfRun(
      wanted,
      { store, runId: from },
      session,
    );
    const runId = newRunId();
    const kept = { ...opened, runId, isParked, forkedAt: Date.now() };
    return perform(
      async ({ signal, person }) => {
        const run = await readStoredRun(store, entry);
        try {
          const { at, change } = await forkPlan(wanted, { ...run, agent, runId: from, store }, session);
          await keepCommand(store, runId, record);
          return await part(agent, from, {
            store,
            at,
            change: { model, message, ...change },
            by: wanted.by,
            runId,
            signal,
            person,
          });
        } catch (thrown) {
          await dropCommands(store, [runId]);
          throw nameOptions(thrown, wanted, run);
        }
      },
      { session, soFar, explain, kept },
    );
  });

/** The error with the options that named the place and the change, and with a way on. */
const nameOptions = (
  thrown: unknown,
  { at, text, calls, state }: ForkCommand,
  { entry, events }: Pick<StoredRun, 'entry' | 'events'>,
): unknown => {
  if (state !== undefined && !isTroupeError(thrown, 'journal.point-unknown'))
    return nameOption(thrown, ['input.invalid'], '--state');
  if ('step' in at) {
    const advice =
      state === undefined ? stepAdvice(entry.runId, events) : stateAdvice(entry.runId, events, at.step);
    return nameOption(thrown, ['journal.point-unknown'], '--at', advice);
  }
  const options = [
    '--event',
    ...(text === undefined ? [] : ['--text']),
    ...(calls === undefined ? [] : ['--calls']),
  ];
  return nameOption(
    thrown,
    ['journal.point-unknown', 'input.invalid'],
    options.join(', '),
    eventAdvice(events),
  );
};
