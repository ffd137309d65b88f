import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { ModelField } from '../fields/model-field.tsx';
import { TextField } from '../fields/text-field.tsx';
import { Text } from '../parts/text.tsx';
import type { TrialEdit, TrialForm } from './trial.ts';

interface FormProps {
  readonly form: TrialForm;
  /** Cancels the call that is being made; undefined if none is. */
  readonly cancel: (() => void) | undefined;
  readonly submit: (edit: TrialEdit) => void;
}

/** The most seconds that an answer is waited for. */
const MOST_SECONDS = 600;

/** The form of a model call that is made again: what may be edited in it. */
export const AgainForm = ({ form, cancel, submit }: FormProps) => {
  const first = useRef<HTMLTextAreaElement>(null);
  const [model, setModel] = useState(form.model);
  const [instructions, setInstructions] = useState(form.instructions);
  const [message, setMessage] = useState(form.message ?? '');
  const [seconds, setSeconds] = useState(String(form.timeMs / 1_000));
  useLayoutEffect(() => {
    first.current?.focus();
  }, []);
  const problem = problemOf(form, { model, message, seconds });
  const send = (): void => {
    if (problem !== undefined || cancel !== undefined) return;
    submit({
      model: model.trim(),
      ...(instructions === form.instructions ? {} : { instructions }),
      ...(form.message === undefined || message === form.message ? {} : { message }),
      timeMs: Math.round(Number(seconds) * 1_000),
    });
  };
  return (
    <form
      class="again-form"
      aria-label="Request"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <ModelField label="Model" models={form.models} value={model} write={setModel} />
      <label>
        Give up after (seconds)
        <input
          inputMode="decimal"
          value={seconds}
          onInput={({ currentTarget }) => {
            setSeconds(currentTarget.value);
          }}
        />
      </label>
      <TextField label="Instructions" value={instructions} write={setInstructions} />
      {form.message !== undefined && (
        <TextField label="Last message of the user" value={message} write={setMessage} field={first} />
      )}
      <p class="hint">
        All else is as it was: earlier messages, tools
        {form.settings == null ? '' : `, settings ${brief(form.settings, 300)}`}.
      </p>
      <div class="answer">
        <button type="submit" class="primary" disabled={problem !== undefined || cancel !== undefined}>
          Send
        </button>
        <button type="button" disabled={cancel === undefined} onClick={cancel}>
          Cancel
        </button>
        <p class="misfit" role="status">
          {problem !== undefined && <Text value={oneLine(problem, 400)} />}
        </p>
      </div>
    </form>
  );
};

/** The reason why a form cannot be sent. */
const problemOf = (
  { missing, message: sent }: TrialForm,
  { model, message, seconds }: { readonly model: string; readonly message: string; readonly seconds: string },
): string | undefined => {
  const [lost] = missing;
  if (lost !== undefined) return `Its media are missing: ${lost}`;
  if (model.trim() === '') return 'Name a model: provider:model.';
  if (message !== (sent ?? '') && message.trim() === '') return 'Write a message.';
  const limit = Number(seconds);
  return limit >= 0.001 && limit <= MOST_SECONDS ? undefined : `Wait from 0.001 to ${MOST_SECONDS} seconds.`;
};
