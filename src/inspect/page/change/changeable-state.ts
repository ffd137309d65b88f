import type { ActorView } from '../../recording/tableau.ts';
import { forkedRun } from '../state/forked-run.ts';
import { selectedView } from '../page-state.ts';
import type { StatePlace } from './change.ts';
import { changing } from './change.ts';

/** The state of an agent, as it is at the moment that is shown; undefined for what has none. */
const stateAt = ({ run, actor, role, context }: ActorView): StatePlace | undefined => {
  if (role !== 'agent') return undefined;
  // Before its first move it has what it starts with.
  const { step = 0 } = context;
  return typeof step === 'number' ? { run, path: actor.slice(run.length + 1), step } : undefined;
};

/** The selected agent's state at the moment that is shown, if a run can be forked there with another. */
export const changeableState = (): StatePlace | undefined => {
  const view = selectedView.value;
  return view === undefined || view.run !== forkedRun() ? undefined : stateAt(view);
};

/** Opens the form in which the selected agent's state is changed. */
export const changeState = (): void => {
  changing.value = changeableState();
};
