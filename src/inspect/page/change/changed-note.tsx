import type { ForkPoint } from '../../../contracts/journals/journal-record.ts';
import { currentRun, session } from '../page-state.ts';
import { hashOf, openingRoute } from '../state/route.ts';
import { runName } from '../session.ts';
import { nameOfEvent } from './change.ts';

/** The address of a moment of a run, by the number of its event. */
export const momentOf = (run: string, event: number): string =>
  hashOf({ ...openingRoute, run, thread: 'agent', event });

/** The moment at which a fork has what was changed. A model is asked once more before it answers. */
export const changedMoment = (run: string, { seq, changed }: ForkPoint): string =>
  momentOf(run, changed === undefined ? seq : changed.type === 'model.answered' ? seq + 1 : changed.seq);

/** The address of an agent's state, at the event by which it came to it. */
export const stateMomentOf = (run: string, { path, changed, seq }: ForkPoint): string =>
  hashOf({
    ...openingRoute,
    run,
    side: 'context',
    actor: path === undefined ? undefined : `${run}/${path}`,
    event: changed?.seq ?? seq,
  });

/** Checks whether a fork has the state of an agent otherwise. */
export const isOfState = ({ changed }: ForkPoint): boolean =>
  changed?.type === 'agent.reduced' || changed?.type === 'agent.prepared';

interface NoteProps {
  /** The number of the event, and of a model call its key. */
  readonly seq: number | undefined;
  readonly modelKey?: string | undefined;
}

/** The links of an event that a fork has otherwise: to the original, and from there to its forks. */
export const ChangedNote = ({ seq, modelKey }: NoteProps) => {
  const run = currentRun.value;
  if (run === undefined || seq === undefined) return null;
  const isIt = ({ changed }: ForkPoint): boolean =>
    changed !== undefined &&
    (changed.key === undefined
      ? modelKey === undefined && changed.seq === seq
      : modelKey === `${run.run}/${changed.key}`);
  const { fork } = run;
  const forks = (session.value?.runs ?? []).filter(
    (each) => each.fork?.runId === run.run && each.fork.changed !== undefined && isIt(each.fork),
  );
  return (
    <>
      {fork?.changed !== undefined && isIt(fork) && (
        <p class="changed-here">
          Changed here: {nameOfEvent(fork.changed.type)}.{' '}
          <a href={momentOf(fork.runId, fork.changed.seq)}>As it was in the original</a>
        </p>
      )}
      {forks.map((each) => (
        <p key={each.run} class="changed-here">
          Otherwise in a fork:{' '}
          <a href={each.fork === undefined ? '' : changedMoment(each.run, each.fork)}>{runName(each)}</a>
        </p>
      ))}
    </>
  );
};
