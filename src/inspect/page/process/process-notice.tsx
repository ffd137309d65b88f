import { computed } from '@preact/signals';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { PROCESS_ENDED } from '../home/runs-query.ts';
import { currentRun, session } from '../page-state.ts';
import { Icon } from '../parts/icon.tsx';
import { processName } from '../session.ts';

/** The reason why the run that is shown is not continued for the time being. */
const heldReason = computed(
  () => session.value?.held?.find(({ run }) => run === currentRun.value?.run)?.reason,
);

/** Says of a run why it is held, and what lets it go on. */
export const HeldNotice = () => {
  const reason = heldReason.value;
  return reason === undefined ? null : (
    <p class="notice interrupted" role="status">
      <Icon name="stop" />
      <span>
        Held: <bdi>{oneLine(reason, 900)}</bdi> It goes on once the file is as it was there; or fork it at an
        earlier step.
      </span>
    </p>
  );
};

/** Says of a run that it was cut short by the end of its process. */
export const ProcessNotice = () => {
  const run = currentRun.value;
  if (run?.process === undefined || run.status !== PROCESS_ENDED || heldReason.value !== undefined)
    return null;
  return (
    <p class="notice interrupted" role="status">
      <Icon name="stop" />
      <span>
        The process of this run has ended before it: <bdi>{processName(run.process)}</bdi>.
        {run.isKept === true && ' What it wrote is in its store, from which it can be resumed.'}
      </span>
    </p>
  );
};

/** The message of the command that serves the page. */
export const SessionNote = () => {
  const note = session.value?.note;
  return note === undefined ? null : (
    <p class="notice bad" role="alert" title={plain(note)}>
      <bdi>{oneLine(note, 600)}</bdi>
    </p>
  );
};
