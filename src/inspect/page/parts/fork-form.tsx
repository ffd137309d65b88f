import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeableState, changeState } from '../change/changeable-state.ts';
import { canFork, forkedRun } from '../state/forked-run.ts';
import { command } from '../control.ts';
import { follow } from '../feed.ts';
import { countOf } from '../figures.ts';
import { closeForm, opened } from '../opened.ts';
import { chooseRun, currentRun, goLive, middleTab, place, shown, storedRun } from '../page-state.ts';
import { scope } from '../run-scope.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { runName } from '../session.ts';
import { Icon } from './icon.tsx';

/** Opens the form of a fork. */
export const ForkButton = () =>
  canFork() && (
    <button
      type="button"
      class="fork"
      title="Fork a new run from here (f)"
      aria-expanded={opened.value === 'fork'}
      onClick={() => {
        opened.value = opened.value === 'fork' ? undefined : 'fork';
      }}
    >
      <Icon name="fork" size={14} /> <span>Fork here</span>
    </button>
  );

/** The form of a fork: where, and what it does otherwise. */
export const ForkForm = () => {
  const first = useRef<HTMLTextAreaElement>(null);
  const [message, setMessage] = useState('');
  const [model, setModel] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  useLayoutEffect(() => {
    first.current?.focus();
  }, []);
  const run = forkedRun();
  if (run === undefined) return null;
  const { at, last } = scope.value;
  const isEnd = place.value === undefined || at >= last;
  const submit = async (): Promise<void> => {
    if (isAsked) return;
    setIsAsked(true);
    await forkHere(run, { message: message.trim(), model: model.trim() });
    setIsAsked(false);
  };
  return (
    <form
      class="notice fork-form"
      aria-label="Fork"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p>
        Fork <bdi>{currentRun.value === undefined ? oneLine(run, 60) : runName(currentRun.value)}</bdi>{' '}
        <b>{isEnd ? 'at its end' : `after entry ${countOf(at)} of ${countOf(last)}`}</b>: a new run, which
        goes on from there.
        {changeableState() !== undefined && (
          <>
            {' '}
            <button
              type="button"
              class="again"
              onClick={() => {
                opened.value = undefined;
                changeState();
              }}
            >
              Change the agent’s state instead…
            </button>
          </>
        )}
      </p>
      <label>
        With a message
        <textarea
          ref={first}
          rows={2}
          value={message}
          placeholder="None. It is read by the root, at its next step"
          onInput={({ currentTarget }) => {
            setMessage(currentTarget.value);
          }}
        />
      </label>
      <label>
        With another model
        <input
          autocomplete="off"
          spellcheck={false}
          value={model}
          placeholder="provider:model. Default: that of the agent"
          onInput={({ currentTarget }) => {
            setModel(currentTarget.value);
          }}
        />
      </label>
      <div class="answer">
        <button type="submit" class="primary" disabled={isAsked}>
          Fork
        </button>
        <button
          type="button"
          onClick={() => {
            opened.value = undefined;
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
};

interface Change {
  readonly message: string;
  readonly model: string;
}

/** Forks a run at the place that is shown, and shows the fork; where that is refused, the form stays as it is. */
const forkHere = async (run: string, { message, model }: Change): Promise<void> => {
  const isEnd = place.peek() === undefined && storedRun.peek() === undefined;
  const said = await command(
    {
      do: 'fork',
      ...(isEnd ? {} : { at: shown.peek().length }),
      ...(message === '' ? {} : { message }),
      ...(model === '' ? {} : { model }),
    },
    run,
  );
  if (typeof said !== 'object' || said === null || !('run' in said) || typeof said.run !== 'string') return;
  closeForm('fork');
  showFork(said.run);
};

/** Shows a fork as it goes on. */
export const showFork = (run: string): void => {
  middleTab.value = 'chart';
  if (storedRun.peek() === undefined) goLive();
  else follow(undefined, currentRun.peek()?.process?.id);
  chooseRun(run);
};
