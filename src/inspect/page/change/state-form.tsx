import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { editableJson, readJson } from '../editable-json.ts';
import { YourName, yourName } from '../fields/who-answers.tsx';
import { Text } from '../parts/text.tsx';
import type { StateEdit, StateForm as Form } from './change.ts';

interface FormProps {
  readonly form: Form;
  readonly isAsked: boolean;
  readonly submit: (edit: StateEdit) => void;
}

/** The form of a changed state: all of it, as JSON. */
export const StateForm = ({ form, isAsked, submit }: FormProps) => {
  const about = useId();
  const first = useRef<HTMLTextAreaElement>(null);
  const before = editableJson(form.state);
  const [written, setWritten] = useState(before);
  useLayoutEffect(() => {
    first.current?.focus();
  }, []);
  const read = readJson(written);
  const problem = !read.ok ? read.problem : written === before ? 'Change something first.' : undefined;
  return (
    <form
      class="again-form"
      aria-label="Change"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && read.ok && !isAsked) submit({ state: read.value, by: yourName() });
      }}
    >
      <label class="again-text">
        The state, as JSON
        <textarea
          ref={first}
          class="code"
          spellcheck={false}
          aria-invalid={!read.ok}
          aria-describedby={about}
          rows={Math.min(16, Math.max(4, written.split('\n').length))}
          value={written}
          onInput={({ currentTarget }) => {
            setWritten(currentTarget.value);
          }}
        />
      </label>
      <p class="hint" id={about}>
        {hintOf(form)}
      </p>
      <YourName />
      <div class="answer">
        <button type="submit" class="primary" disabled={problem !== undefined || isAsked}>
          Fork
        </button>
        <p class="misfit" role="status">
          {problem !== undefined && <Text value={oneLine(problem, 400)} />}
        </p>
      </div>
    </form>
  );
};

/** The keys that the state has to have, as far as they are known before the server looks. */
const hintOf = ({ state }: Form): string => {
  const keys =
    typeof state === 'object' && state !== null && !Array.isArray(state)
      ? Object.keys(state).slice(0, 20)
      : [];
  return keys.length === 0
    ? 'The agent has kept nothing in its state so far. What you write is what its rules and tools read.'
    : `Give the whole state: ${keys.map((key) => oneLine(key, 40)).join(', ')}, each with the kind of value that it has.`;
};
