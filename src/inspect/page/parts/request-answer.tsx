import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { command } from '../control.ts';
import { editableJson, readJson } from '../editable-json.ts';
import { asksForName } from '../../drawing/approval-words.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { AskedRequest } from '../session.ts';
import { whoAnswers, WhoAnswers } from '../fields/who-answers.tsx';

interface AnswerProps {
  readonly request: AskedRequest;
  readonly run: string | undefined;
}

/** An answer to a request that is being written. */
interface Draft {
  /** The form that is open; undefined for none. */
  readonly form: 'input' | 'reason' | undefined;
  readonly text: string;
}

/** By request: one whose answer is refused later is shown again with what was written. */
const drafts = new Map<string, Draft>();
const MOST_DRAFTS = 100;

const useDraft = ({ id, run }: AskedRequest): readonly [Draft, (draft: Draft) => void] => {
  const key = `${run ?? ''} ${id}`;
  const [draft, setDraft] = useState<Draft>(drafts.get(key) ?? { form: undefined, text: '' });
  const keep = (next: Draft): void => {
    drafts.delete(key);
    drafts.set(key, next);
    const [oldest] = drafts.keys();
    if (oldest !== undefined && drafts.size > MOST_DRAFTS) drafts.delete(oldest);
    setDraft(next);
  };
  return [draft, keep];
};

/** Answers to a call: it is made, made with other arguments, or not made, for a reason. */
export const Decide = ({ request, run }: AnswerProps) => {
  const { id, kind } = request;
  const [{ form, text }, setDraft] = useDraft(request);
  const isNamed = kind !== 'question' && asksForName(request);
  const by = isNamed ? whoAnswers() : undefined;
  const close = (): void => {
    setDraft({ form: undefined, text: '' });
  };
  const open = (wanted: 'input' | 'reason', first: string) => () => {
    if (form === wanted) close();
    else setDraft({ form: wanted, text: first });
  };
  const write = (next: string): void => {
    setDraft({ form, text: next });
  };
  return (
    <>
      {isNamed && <WhoAnswers />}
      <div class="answer">
        <button
          type="button"
          class="primary"
          disabled={isNamed && by === undefined}
          onClick={() => {
            void command({ do: 'approve', id, by }, run);
          }}
        >
          {kind === 'ambiguous' ? 'Do it again' : 'Approve'}
        </button>
        {kind === 'approval' && (
          <button
            type="button"
            title="Make the call with other arguments"
            aria-expanded={form === 'input'}
            onClick={open('input', editableJson(request.input))}
          >
            Change…
          </button>
        )}
        <span class="joined">
          <button
            type="button"
            onClick={() => {
              void command({ do: 'deny', id, by }, run);
            }}
          >
            Deny
          </button>
          <button
            type="button"
            title="Say no, with a reason that the model reads"
            aria-expanded={form === 'reason'}
            onClick={open('reason', '')}
          >
            With reason…
          </button>
        </span>
      </div>
      {form === 'input' && kind !== 'question' && (
        <InputForm {...{ text, write, close, by }} tool={request.tool} id={id} run={run} />
      )}
      {form === 'reason' && <ReasonForm {...{ text, write, close, by }} id={id} run={run} />}
    </>
  );
};

interface FormProps {
  readonly id: string;
  readonly run: string | undefined;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly close: () => void;
  /** The person who answers, where it matters. */
  readonly by: ReturnType<typeof whoAnswers>;
}

const InputForm = ({ id, run, text, write, close, tool, by }: FormProps & { readonly tool: string }) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
  }, []);
  const read = readJson(text);
  const problem = read.ok ? undefined : read.problem;
  const submit = (): void => {
    if (read.ok) void command({ do: 'approve', id, input: read.value, by }, run);
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        aria-label={`Arguments of ${oneLine(tool, 60)}`}
        aria-invalid={problem !== undefined}
        aria-describedby="arguments-problem"
        spellcheck={false}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        value={text}
        onInput={({ currentTarget }) => {
          write(currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <div class="answer">
        <button type="submit" class="primary" disabled={problem !== undefined}>
          Make this call
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <p id="arguments-problem" class="misfit" role="status">
          {problem === undefined ? '' : oneLine(problem, 240)}
        </p>
      </div>
    </form>
  );
};

const ReasonForm = ({ id, run, text, write, close, by }: FormProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
  }, []);
  const submit = (): void => {
    const reason = text.trim();
    if (reason !== '') void command({ do: 'deny', id, reason, by }, run);
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField label="Reason" placeholder="Its model reads it" field={field} {...{ text, write, submit }} />
      <div class="answer">
        <button type="submit" class="danger" disabled={text.trim() === ''}>
          Say no
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
};

interface FieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly submit: () => void;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
}

/** A text that grows; Enter sends it, Shift and Enter begin a line. */
const TextField = ({ label, placeholder, text, write, submit, field }: FieldProps) => (
  <textarea
    {...(field === undefined ? {} : { ref: field })}
    aria-label={label}
    placeholder={placeholder}
    rows={Math.min(8, text.split('\n').length)}
    value={text}
    onInput={({ currentTarget }) => {
      write(currentTarget.value);
    }}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      submit();
    }}
  />
);

/** The answer to a question. */
export const Reply = ({ request, run }: AnswerProps) => {
  const [{ text }, setDraft] = useDraft(request);
  const submit = (): void => {
    if (text.trim() !== '') void command({ do: 'reply', id: request.id, text }, run);
  };
  return (
    <form
      class="answer reply"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Answer"
        text={text}
        write={(next) => {
          setDraft({ form: undefined, text: next });
        }}
        submit={submit}
      />
      <button type="submit" class="primary" disabled={text.trim() === ''}>
        Answer
      </button>
    </form>
  );
};
