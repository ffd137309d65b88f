import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import type { ReadJson } from '../editable-json.ts';
import { editableJson, readJson } from '../editable-json.ts';
import { ModelField } from '../fields/model-field.tsx';
import { YourName, yourName } from '../fields/who-answers.tsx';
import { TextField } from '../fields/text-field.tsx';
import { Text } from '../parts/text.tsx';
import type { EventPlace, ChangeForm, EventEdit } from './change.ts';
import { nameOfEvent } from './change.ts';

interface FormProps extends Pick<EventPlace, 'type'> {
  readonly form: ChangeForm;
  readonly isAsked: boolean;
  readonly submit: (edit: EventEdit) => void;
}

/** The form of a change: the text, the calls of an answer, and the model that is asked from there on. */
export const EventForm = ({ type, form, isAsked, submit }: FormProps) => {
  const about = useId();
  const first = useRef<HTMLTextAreaElement>(null);
  const { calls: recorded, tools = [], models } = form;
  const before = editableJson(recorded ?? []);
  const [text, setText] = useState(form.text);
  const [calls, setCalls] = useState(before);
  const [model, setModel] = useState('');
  useLayoutEffect(() => {
    first.current?.focus();
  }, []);
  const read = calls === before ? undefined : readJson(calls);
  const edit = editOf(form, { text, read, model });
  const problem = problemOf(form, { text, read, model });
  return (
    <form
      class="again-form"
      aria-label="Change"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && !isAsked) submit({ ...edit, by: yourName() });
      }}
    >
      <TextField label={sentence(nameOfEvent(type))} value={text} write={setText} field={first} />
      {recorded !== undefined && (
        <label class="again-text">
          Its calls of tools, as JSON
          <textarea
            class="code"
            spellcheck={false}
            aria-invalid={read?.ok === false}
            aria-describedby={about}
            rows={Math.min(12, Math.max(2, calls.split('\n').length))}
            value={calls}
            onInput={({ currentTarget }) => {
              setCalls(currentTarget.value);
            }}
          />
        </label>
      )}
      {recorded !== undefined && (
        <p class="hint" id={about}>
          {tools.length === 0
            ? 'The model was sent no tools.'
            : `Tools: ${tools.map((name) => oneLine(name, 60)).join(', ')}. Arguments have to fit the schema of their tool.`}
        </p>
      )}
      <ModelField
        label="The model from here on"
        models={models}
        value={model}
        write={setModel}
        placeholder="Those of the agents. Another: provider:model"
      />
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

interface Written {
  readonly text: string;
  /** The calls as they were read; undefined where they are as they were. */
  readonly read: ReadJson | undefined;
  readonly model: string;
}

const editOf = (form: ChangeForm, { text, read, model }: Written): EventEdit => ({
  ...(text === form.text ? {} : { text }),
  ...(read?.ok === true ? { calls: read.value } : {}),
  ...(model.trim() === '' ? {} : { model: model.trim() }),
});

/** The reason why a form cannot be sent. */
const problemOf = (form: ChangeForm, written: Written): string | undefined => {
  const { read, text } = written;
  if (read?.ok === false) return `Calls: ${read.problem}`;
  if (form.calls === undefined && text.trim() === '') return 'Write a text.';
  const edit = editOf(form, written);
  const isEdited = edit.text !== undefined || edit.calls !== undefined;
  if (isEdited) return undefined;
  // Another model alone is asked again where one was asked.
  return edit.model !== undefined && form.askedAt !== undefined ? undefined : 'Change something first.';
};

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
