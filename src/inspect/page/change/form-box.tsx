import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadSession } from '../feed.ts';
import { showFork } from '../parts/fork-form.tsx';
import { Text } from '../parts/text.tsx';
import type { Got } from './change.ts';
import { changing } from './change.ts';

interface BoxProps<Form, Edit> {
  readonly load: () => Promise<Got<Form>>;
  readonly fork: (form: Form, edit: Edit) => Promise<Got<string>>;
  /** Words above the form, which may not be there yet. */
  readonly hint: (form: Form | undefined) => ComponentChildren;
  readonly render: (form: Form, isAsked: boolean, submit: (edit: Edit) => void) => ComponentChildren;
}

interface BoxState<Form> {
  readonly form?: Form | undefined;
  readonly problem?: string | undefined;
  readonly isAsked?: boolean | undefined;
}

/** A form that the server gives, by which a run is forked: then the fork is shown. */
export const FormBox = <Form, Edit>({ load, fork, hint, render }: BoxProps<Form, Edit>) => {
  const [{ form, problem, isAsked = false }, setState] = useState<BoxState<Form>>({});
  const isLeft = useRef(false);
  useEffect(() => {
    void load().then((got) => {
      if (!isLeft.current) setState('problem' in got ? { problem: got.problem } : { form: got.value });
    });
    return () => {
      isLeft.current = true;
    };
  }, []);
  const submit = async (edit: Edit): Promise<void> => {
    if (form === undefined || isAsked) return;
    setState({ form, isAsked: true });
    const got = await fork(form, edit);
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
      <p class="hint">{hint(form)}</p>
      {form !== undefined &&
        render(form, isAsked, (edit) => {
          void submit(edit);
        })}
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
