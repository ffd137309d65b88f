import type { ModelAttempt, ModelItem } from '../model-calls.ts';
import { currentRun, embedded, mayControl, recorded } from '../page-state.ts';
import { tried } from './trial.ts';

interface AgainProps {
  /** The agent whose call it is. */
  readonly actor: string;
  readonly item: ModelItem;
  readonly attempt: ModelAttempt;
}

/** Opens the form by which a model call is made again. */
export const AgainButton = ({ actor, item, attempt }: AgainProps) => {
  const run = recorded.value.timeline.head.actors.get(actor)?.run;
  if (!mayControl(currentRun.value) || embedded.value !== undefined || run === undefined) return null;
  const isKnown = attempt.sent !== undefined;
  return (
    <button
      type="button"
      class="again"
      disabled={!isKnown}
      title={
        isKnown
          ? 'Send this request once more, edited or to another model, apart from the run'
          : 'It cannot be sent once more: this recording does not hold what was sent'
      }
      onClick={() => {
        tried.value = { run, item, attempt };
      }}
    >
      Run again…
    </button>
  );
};
