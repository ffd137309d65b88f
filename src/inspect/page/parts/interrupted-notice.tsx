import { oneLine } from '../../drawing/plain-text.ts';
import { INTERRUPTED } from '../home/runs-query.ts';
import { currentRun } from '../page-state.ts';
import { Icon } from './icon.tsx';

/** Ids that mean nothing else to a shell. */
const PLAIN = /^[\w./:@%+=-]+$/;

/** The way on of a run whose process is gone before its end. */
export const InterruptedNotice = () => {
  const run = currentRun.value;
  if (run?.status !== INTERRUPTED) return null;
  return (
    <p class="notice interrupted" role="status">
      <Icon name="stop" />
      <span>
        Interrupted: its process is gone before the end. Resume it
        {PLAIN.test(run.run) ? (
          <>
            {' '}
            by <code>troupe resume {oneLine(run.run, 200)}</code>
          </>
        ) : (
          ' by its id'
        )}
        , with the same store.
      </span>
    </p>
  );
};
