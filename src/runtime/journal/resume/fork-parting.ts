import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ForkedEvent, ForkPoint, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { ChangeableEvent } from './changed-event.ts';
import { changeableAt } from './changed-event.ts';
import type { EventParting } from './changed-parting.ts';
import { partingWith } from './changed-parting.ts';
import type { ForkChange, ForkOptions } from './resume-options.ts';
import { partingAt } from './run-point.ts';
import type { ReplayableRun, StateParting } from './state-parting.ts';
import { partingWithState } from './state-parting.ts';

/** A fork's share of a run, and what it has otherwise. */
export interface ChangedParting extends EventParting, Pick<StateParting, 'states' | 'arrived'> {
  readonly changed?: ForkedEvent | undefined;
  /** The agent and the step at which it is forked, where those are not of the point. */
  readonly place?: Pick<ForkPoint, 'path' | 'step'> | undefined;
}

/**
 * Splits a run at the point of a fork, by what the fork changes there.
 *
 * @throws (rejects with) {TroupeError} `journal.point-unknown`; `input.invalid` for an event or a state that cannot be changed, or not so.
 */
export const partingFor = async (
  run: ReplayableRun,
  at: ForkOptions['at'],
  change: ForkChange<unknown> = {},
): Promise<ChangedParting> => {
  const { records } = run;
  if (change.state !== undefined) {
    if (change.text !== undefined || change.calls !== undefined)
      throw new TroupeError(
        'input.invalid',
        'Cannot fork the run with another state and another event as one follows from the other: change one of them',
      );
    const { path, step, ...parting } = partingWithState(run, at, change.state);
    return { ...parting, place: { path, step } };
  }
  const event = eventToChange(records, at, change);
  if (event === undefined) return partingAt(records, at);
  return { ...(await partingWith(records, event, change)), changed: forkedEvent(event) };
};

/** The event that a fork changes; undefined if it changes none. */
const eventToChange = (
  records: readonly JournalRecord[],
  at: ForkOptions['at'],
  { text, calls }: ForkChange<unknown>,
): ChangeableEvent | undefined => {
  if (text === undefined && calls === undefined) return undefined;
  if (at !== undefined && 'seq' in at) return changeableAt(records, at.seq);
  throw new TroupeError(
    'input.invalid',
    'Cannot fork the run with another text or other calls as the event is not named: give its number as `at: { seq }`',
  );
};

const forkedEvent = (event: ChangeableEvent): ForkedEvent => {
  const { seq, type } = event;
  return event.type === 'model.answered' ? { seq, type, key: event.key } : { seq, type };
};
