import { oneLine } from '../../drawing/plain-text.ts';
import type { ListedSchedule } from '../../recording/report/listed-schedule.ts';
import { Modal } from '../dialogs/modal.tsx';
import { several } from '../figures.ts';
import { changeSchedule } from './schedule-feed.ts';

interface RemoveDialogProps {
  /** The schedule that is to be removed; undefined: none. */
  readonly schedule: ListedSchedule | undefined;
  readonly close: () => void;
}

/** Asks before a schedule is removed, as what is pending is lost with it. */
export const RemoveDialog = ({ schedule, close }: RemoveDialogProps) => (
  <Modal
    name="Remove a schedule"
    title={`Remove ${oneLine(schedule?.name ?? '', 60)}?`}
    class="help remove-schedule"
    isOpen={schedule !== undefined}
    close={close}
    keepsKeys
  >
    {schedule !== undefined && (
      <>
        <p>
          It is not due any more, and what of it has not begun is forgotten
          {schedule.pending.length > 0 && ` (${several(schedule.pending.length, 'run')} pending)`}. Its runs
          stay in the store. A process whose code adds it makes it new when it starts again.
        </p>
        <div class="changes">
          <button
            type="button"
            class="danger"
            onClick={() => {
              void changeSchedule('remove', schedule);
              close();
            }}
          >
            Remove
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </>
    )}
  </Modal>
);
