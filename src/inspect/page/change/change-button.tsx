import { recorded } from '../page-state.ts';
import { forkedRun } from '../state/forked-run.ts';
import type { EventPlace } from './change.ts';
import { changing } from './change.ts';

interface ChangeProps extends Pick<EventPlace, 'type'> {
  /** The agent whose transcript it is in. */
  readonly actor: string;
  /** The number of the event; undefined while there is none. */
  readonly seq: number | undefined;
}

/** Opens the form by which an event is changed in a fork. */
export const ChangeButton = ({ actor, seq, type }: ChangeProps) => {
  const run = recorded.value.timeline.head.actors.get(actor)?.run;
  if (seq === undefined || run === undefined || run !== forkedRun()) return null;
  return (
    <button
      type="button"
      class="again"
      title="Fork a new run here, in which this is otherwise"
      onClick={() => {
        changing.value = { run, seq, type };
      }}
    >
      Change and fork here…
    </button>
  );
};
