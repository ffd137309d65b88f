import type { ActorView } from '../../recording/tableau.ts';
import { currentRun, selectedView, session } from '../page-state.ts';
import { forkedRun } from '../state/forked-run.ts';
import { runName } from '../session.ts';
import { authorWords } from './change.ts';
import { changeableState, changeState } from './changeable-state.ts';
import { isOfState, stateMomentOf } from './changed-note.tsx';

/** Above a context: what of it can be changed, and what a fork has otherwise. */
export const StateBar = () => {
  const view = selectedView.value;
  if (view === undefined) return null;
  const canFork = view.run === forkedRun();
  return (
    <div class="state-bar">
      {canFork &&
        (changeableState() === undefined ? (
          <p class="hint">
            {view.role === 'team'
              ? 'A team has no state to change: select one of its agents.'
              : 'Nothing here can be changed: select an agent.'}
          </p>
        ) : (
          <button
            type="button"
            class="again"
            title="Fork a new run here, in which the agent has another state (t)"
            onClick={changeState}
          >
            Change the state and fork here…
          </button>
        ))}
      <StateNotes view={view} />
    </div>
  );
};

/** The links of a state that a fork has otherwise: to the original, and from there to its forks. */
const StateNotes = ({ view }: { readonly view: ActorView }) => {
  const run = currentRun.value;
  if (run === undefined || run.run !== view.run) return null;
  const { fork } = run;
  const path = view.actor.slice(view.run.length + 1);
  const forks = (session.value?.runs ?? []).flatMap((each) =>
    each.fork?.runId === run.run && each.fork.path === path && isOfState(each.fork)
      ? [{ name: runName(each), run: each.run, fork: each.fork }]
      : [],
  );
  return (
    <>
      {fork !== undefined && fork.path === path && isOfState(fork) && (
        <p class="changed-here">
          The state was changed in this fork
          {authorWords(fork)}:{' '}
          <a href={stateMomentOf(run.run, fork)}>as it became at step {fork.step ?? 0}</a>,{' '}
          <a href={stateMomentOf(fork.runId, fork)}>as it was in the original</a>
        </p>
      )}
      {forks.map((each) => (
        <p key={each.run} class="changed-here">
          Otherwise in a fork at step {each.fork.step ?? 0}:{' '}
          <a href={stateMomentOf(each.run, each.fork)}>{each.name}</a>
        </p>
      ))}
    </>
  );
};
