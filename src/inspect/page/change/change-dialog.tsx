import { Modal } from '../dialogs/modal.tsx';
import { oneLine } from '../../drawing/plain-text.ts';
import type {
  ChangeForm,
  EventEdit,
  EventPlace,
  StateEdit,
  StateForm as Form,
  StatePlace,
} from './change.ts';
import {
  changing,
  forkPlace,
  forkWith,
  forkWithState,
  loadChange,
  loadState,
  nameOfEvent,
} from './change.ts';
import { EventForm } from './event-form.tsx';
import { FormBox } from './form-box.tsx';
import { StateForm } from './state-form.tsx';

/** The dialog in which an event or a state is changed, and a run forked there. */
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
      {place === undefined ? null : 'seq' in place ? (
        <EventChange key={`${place.run} ${place.seq}`} place={place} />
      ) : (
        <StateChange key={`${place.run} ${place.path} ${place.step}`} place={place} />
      )}
    </Modal>
  );
};

const EventChange = ({ place }: { readonly place: EventPlace }) => (
  <FormBox<ChangeForm, EventEdit>
    load={() => loadChange(place)}
    fork={(form, edit) => forkWith(place, form, edit)}
    hint={(form) => (
      <>
        A new run shares all that came before, with {nameOfEvent(place.type)}
        {form === undefined ? '' : forkPlace({ runId: place.run, ...form, seq: place.seq })} as you write it,
        and goes on from there. The original stays as it is. Calls that were under way elsewhere at that point
        are made again.
      </>
    )}
    render={(form, isAsked, submit) => (
      <EventForm type={place.type} form={form} isAsked={isAsked} submit={submit} />
    )}
  />
);

const StateChange = ({ place }: { readonly place: StatePlace }) => (
  <FormBox<Form, StateEdit>
    load={() => loadState(place)}
    fork={(form, edit) => forkWithState(place, form, edit)}
    hint={(form) => (
      <>
        A new run shares all that came before. In it{' '}
        <bdi>{oneLine(form?.agent ?? place.path.split('/').at(-1) ?? '', 40)}</bdi>{' '}
        {place.step === 0
          ? 'starts with the state that you write'
          : `has the state that you write at the end of step ${(form?.step ?? place.step) - 1}`}
        , and goes on from there: what followed is done again. The original stays as it is.
      </>
    )}
    render={(form, isAsked, submit) => <StateForm form={form} isAsked={isAsked} submit={submit} />}
  />
);
