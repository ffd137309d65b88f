import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { command } from '../control.ts';
import { closeForm, opened } from '../opened.ts';
import { complaint, currentRun, held, mayControl, select, selectedView } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { SessionRun } from '../session.ts';
import { nameOf } from '../actor-tree.ts';
import type { IconName } from './icon.tsx';
import { canFork } from '../state/forked-run.ts';
import { ForkForm } from './fork-form.tsx';
import { Icon } from './icon.tsx';

/** Checks whether the current run takes commands. */
export const isControlled = (): boolean => mayControl(currentRun.value) && currentRun.value?.isLive === true;

/** The address of the selected actor in its run. */
const pathOf = (actor: string, run: string): string => actor.slice(run.length + 1);

interface ActionProps {
  readonly icon: IconName;
  readonly name: string;
  readonly title: string;
  readonly isDanger?: boolean;
  readonly isWordless?: boolean;
  readonly isOff?: boolean;
  readonly act: () => void;
}

const Action = ({
  icon,
  name,
  title,
  act,
  isDanger = false,
  isWordless = false,
  isOff = false,
}: ActionProps) => (
  <button
    type="button"
    class={`action ${isDanger ? 'danger' : ''}`}
    title={title}
    aria-label={name}
    disabled={isOff}
    onClick={act}
  >
    <Icon name={icon} size={14} />
    {!isWordless && <span>{name}</span>}
  </button>
);

/** The bar with controls to pause, step, message and end a run. */
export const Controls = () => {
  if (!isControlled()) return null;
  const view = selectedView.value;
  const isMember =
    view?.parent !== undefined && ['agent', 'team'].includes(view.role) && view.status === 'active';
  const open = (what: 'message' | 'abort' | 'kill') => () => {
    opened.value = opened.value === what ? undefined : what;
  };
  const tell = (what: 'pause' | 'resume' | 'step' | 'effect') => () => {
    void command({ do: what });
  };
  return (
    <div class="controls" role="toolbar" aria-label="Run">
      <div class="joined">
        <Action icon="pause" name="Pause" title="Pause the run (p)" act={tell('pause')} />
        <Action icon="play" name="Resume" title="Go on (r)" act={tell('resume')} />
        <Action icon="step" name="Step" title="To the end of the step (s)" act={tell('step')} />
        <Action icon="effect" name="Effect" title="By one effect (e)" act={tell('effect')} />
      </div>
      <Action icon="message" name="Message" title="Send a message (m)" act={open('message')} />
      <Action
        icon="close"
        name="Kill"
        title={isMember ? 'End the selected actor' : 'Select a member to end it'}
        act={open('kill')}
        isOff={!isMember}
        isDanger
      />
      <Action icon="stop" name="Abort" title="End the run" act={open('abort')} isDanger />
    </div>
  );
};

/** The open form or confirmation below the bar, and the last error. */
export const Composer = () => {
  const what = isControlled() ? opened.value : undefined;
  return (
    <>
      {complaint.value !== undefined && (
        <div class="notice bad" role="alert">
          <span>{oneLine(complaint.value, 400)}</span>
          <button
            type="button"
            class="plain"
            aria-label="Close"
            onClick={() => {
              complaint.value = undefined;
            }}
          >
            <Icon name="close" size={12} />
          </button>
        </div>
      )}
      {held.value !== undefined && isControlled() && (
        <div class="notice held" role="status">
          <Icon name="pause" size={14} />
          <span>
            Held: <bdi>{oneLine(held.value.why, 200)}</bdi>
          </span>
          <button
            type="button"
            class="link"
            onClick={() => {
              select(held.value?.actor);
            }}
          >
            show
          </button>
          <span class="space" />
          <button
            type="button"
            class="primary"
            onClick={() => {
              void command({ do: 'resume' });
            }}
          >
            Resume
          </button>
        </div>
      )}
      {opened.value === 'fork' && canFork() && <ForkForm />}
      {what === 'message' && <MessageForm />}
      {(what === 'abort' || what === 'kill') && <EndForm what={what} />}
    </>
  );
};

const close = (): void => {
  opened.value = undefined;
};

/** Focuses the first field of a form when it opens. */
const useFocus = <Element extends HTMLElement>() => {
  const element = useRef<Element>(null);
  useLayoutEffect(() => {
    element.current?.focus();
  }, []);
  return element;
};

const MessageForm = () => {
  const first = useFocus<HTMLInputElement>();
  const [text, setText] = useState('');
  const view = selectedView.value;
  const run = currentRun.value?.run ?? '';
  const isAgent = view !== undefined && ['agent', 'team', 'call'].includes(view.role);
  const path = isAgent ? pathOf(view.actor, run) : undefined;
  return (
    <form
      class="notice"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        void command({ do: 'send', text, ...(path === undefined ? {} : { path }) }).then((said) => {
          if (said !== undefined) closeForm('message');
        });
      }}
    >
      <label for="message">To {oneLine(path ?? 'the run', 50)}</label>
      <input
        id="message"
        ref={first}
        autocomplete="off"
        value={text}
        placeholder="It is read at its next step"
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
        }}
      />
      <button type="submit" class="primary" disabled={text.trim() === ''}>
        Send
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </form>
  );
};

const EndForm = ({ what }: { readonly what: 'abort' | 'kill' }) => {
  // Focus is on "cancel", so that a stray key cannot end work.
  const cancel = useFocus<HTMLButtonElement>();
  const view = selectedView.value;
  const current = currentRun.value;
  if (current === undefined) return null;
  const { run } = current;
  return (
    <form
      class="notice bad"
      aria-label={what === 'kill' ? 'Kill' : 'Abort'}
      onSubmit={(event) => {
        event.preventDefault();
        if (what === 'kill' && view !== undefined)
          void command({ do: 'kill', path: pathOf(view.actor, run) }, run);
        else if (what === 'abort') void command({ do: 'abort', reason: 'from the inspector' }, run);
        close();
      }}
    >
      <span>
        {what === 'kill' && view !== undefined && (
          <>
            End <bdi>{oneLine(nameOf(view), 50)}</bdi> of{' '}
          </>
        )}
        {what === 'abort' && 'Abort '}
        <RunTitle {...current} />?
      </span>
      <span class="space" />
      <button type="submit" class="danger">
        {what === 'kill' ? 'Kill' : 'Abort'}
      </button>
      <button type="button" ref={cancel} onClick={close}>
        Cancel
      </button>
    </form>
  );
};

/** A run's title for people: its agent, and its input. */
const RunTitle = ({ agent, title, run }: SessionRun) => (
  <span title={run}>
    <bdi>{oneLine(agent, 50)}</bdi>
    {title !== undefined && title !== '' && (
      <>
        {' · “'}
        <bdi>{oneLine(title, 80)}</bdi>”
      </>
    )}
  </span>
);
