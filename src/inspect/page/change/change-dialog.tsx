import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { loadSession } from '../feed.ts';
import { showFork } from '../parts/fork-form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Text } from '../parts/text.tsx';
import type { ChangedPlace, ChangeForm, EventEdit } from './change.ts';
import { changing, forkPlace, forkWith, loadChange, nameOfEvent } from './change.ts';
import { EventForm } from './event-form.tsx';

/** The dialog in which an event is changed, and a run forked there. */
export const ChangeDialog = () => {
  const box = useRef<HTMLDialogElement>(null);
  const place = changing.value;
  useLayoutEffect(() => {
    if (place !== undefined && box.current?.open === false) box.current.showModal();
    else if (place === undefined) box.current?.close();
  }, [place]);
  const close = (): void => {
    changing.value = undefined;
  };
  return (
    <dialog
      ref={box}
      class="help again-dialog"
      aria-label="Change and fork"
      onClose={close}
      onKeyDown={(event) => {
        // The keys of the page below are not meant.
        event.stopPropagation();
      }}
    >
      {place !== undefined && (
        <>
          <header>
            <h2>Change and fork</h2>
            <button type="button" class="plain" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
          <Change key={`${place.run} ${place.seq}`} place={place} />
        </>
      )}
    </dialog>
  );
};

interface ChangeState {
  readonly form?: ChangeForm | undefined;
  readonly problem?: string | undefined;
  readonly isAsked?: boolean | undefined;
}

const Change = ({ place }: { readonly place: ChangedPlace }) => {
  const [{ form, problem, isAsked = false }, setState] = useState<ChangeState>({});
  const isLeft = useRef(false);
  useEffect(() => {
    void loadChange(place).then((got) => {
      if (!isLeft.current) setState('problem' in got ? { problem: got.problem } : { form: got.value });
    });
    return () => {
      isLeft.current = true;
    };
  }, [place]);
  const submit = async (edit: EventEdit): Promise<void> => {
    if (form === undefined || isAsked) return;
    setState({ form, isAsked: true });
    const got = await forkWith(place, form, edit);
    if (isLeft.current) return;
    if ('problem' in got) {
      setState({ form, problem: got.problem });
      return;
    }
    await loadSession();
    changing.value = undefined;
    showFork(got.value);
  };
  return (
    <>
      <p class="hint">
        A new run shares all that came before, with {nameOfEvent(place.type)}
        {form === undefined ? '' : forkPlace({ runId: place.run, ...form, seq: place.seq })} as you write it,
        and goes on from there. The original stays as it is. Calls that were under way elsewhere at that point
        are made again.
      </p>
      {form !== undefined && (
        <EventForm
          type={place.type}
          form={form}
          isAsked={isAsked}
          submit={(edit) => {
            void submit(edit);
          }}
        />
      )}
      <div role="status">
        {form === undefined && problem === undefined && <p class="hint">Reading the run …</p>}
        {isAsked && <p class="hint">Forking …</p>}
        {problem !== undefined && (
          <p class="misfit">
            <Text value={problem} />
          </p>
        )}
      </div>
    </>
  );
};
