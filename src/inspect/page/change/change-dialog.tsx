import { useEffect, useRef, useState } from 'preact/hooks';
import { Modal } from '../dialogs/modal.tsx';
import { loadSession } from '../feed.ts';
import { showFork } from '../parts/fork-form.tsx';
import { Text } from '../parts/text.tsx';
import type { ChangedPlace, ChangeForm, EventEdit } from './change.ts';
import { changing, forkPlace, forkWith, loadChange, nameOfEvent } from './change.ts';
import { EventForm } from './event-form.tsx';

/** The dialog in which an event is changed, and a run forked there. */
export const ChangeDialog = () => {
  const place = changing.value;
  return (
    <Modal
      name="Change and fork"
      class="help again-dialog"
      isOpen={place !== undefined}
      close={() => {
        changing.value = undefined;
      }}
      keepsKeys
    >
      {place !== undefined && <Change key={`${place.run} ${place.seq}`} place={place} />}
    </Modal>
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
