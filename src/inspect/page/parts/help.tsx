import { Modal } from '../dialogs/modal.tsx';
import { keyActions } from '../keyboard.ts';
import { currentRun, isHelpShown, mayControl, session } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';

/** The keys, and what the page shows. */
export const Help = () => (
  <Modal
    name="Keyboard and help"
    title="Keyboard"
    class="help"
    isOpen={isHelpShown.value}
    close={() => {
      isHelpShown.value = false;
    }}
  >
    <dl>
      {keyActions
        .filter(({ needsControl }) => needsControl !== true || mayControl(currentRun.value))
        .map(({ keys, shownAs, means }) => (
          <div key={means}>
            <dt>
              <kbd>{shownAs ?? keys[0]}</kbd>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
    </dl>
    <p>
      In the list of actors, arrow keys select, open and close. In the chart they move it, <kbd>+</kbd> and{' '}
      <kbd>−</kbd> zoom, <kbd>0</kbd> shows all of it. A click on a message, or on a time, goes there; one on
      a state or an arrow of the chart sets breakpoints.
    </p>
    {mayControl(currentRun.value) && (
      <p>
        <b>Change and fork here…</b>, beside an answer, a result or a message from outside, forks a stored run
        there. So does <b>Change the state and fork here…</b> in the context of an agent, at any moment: the
        step that made the state ends with yours, and what followed is done again. A team has no state of its
        own.
      </p>
    )}
    <p class="version">troupe {oneLine(session.value?.version ?? '', 40)}</p>
  </Modal>
);
