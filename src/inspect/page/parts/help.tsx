import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyActions } from '../keyboard.ts';
import { isHelpShown, session } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { Icon } from './icon.tsx';

/** The keys, and what the page shows. */
export const Help = () => {
  const box = useRef<HTMLDialogElement>(null);
  const isShown = isHelpShown.value;
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog === null) return;
    if (isShown && !dialog.open) dialog.showModal();
    else if (!isShown && dialog.open) dialog.close();
  }, [isShown]);
  const close = (): void => {
    isHelpShown.value = false;
  };
  return (
    <dialog ref={box} class="help" aria-label="Keyboard and help" onClose={close}>
      {isShown && (
        <>
          <header>
            <h2>Keyboard</h2>
            <button type="button" class="plain" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
          <dl>
            {keyActions
              .filter(({ needsControl }) => needsControl !== true || session.value?.control === true)
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
            In the list of actors, arrow keys select, open and close. In the chart they move it, <kbd>+</kbd>{' '}
            and <kbd>−</kbd> zoom, <kbd>0</kbd> shows all of it. A click on a message, or on a time, goes
            there; one on a state or an arrow of the chart sets breakpoints.
          </p>
          {session.value?.control === true && (
            <p>
              <b>Change and fork here…</b>, beside an answer, a result or a message from outside, forks a
              stored run there. The state of an agent follows from these by its reducer, so it is changed
              through them: a state that was set would not be what a replay of the fork comes to.
            </p>
          )}
          <p class="version">troupe {oneLine(session.value?.version ?? '', 40)}</p>
        </>
      )}
    </dialog>
  );
};
