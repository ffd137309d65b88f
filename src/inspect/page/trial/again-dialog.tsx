import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Text } from '../parts/text.tsx';
import { AgainForm } from './again-form.tsx';
import { ComparedAnswers } from './compared-answers.tsx';
import type { TrialAnswer, TrialEdit, TrialForm, TriedCall } from './trial.ts';
import { loadForm, makeAgain, tried } from './trial.ts';

/** The dialog in which a model call is made again, apart from its run. */
export const AgainDialog = () => {
  const box = useRef<HTMLDialogElement>(null);
  const call = tried.value;
  useLayoutEffect(() => {
    if (call !== undefined && box.current?.open === false) box.current.showModal();
    else if (call === undefined) box.current?.close();
  }, [call]);
  const close = (): void => {
    tried.value = undefined;
  };
  return (
    <dialog
      ref={box}
      class="help again-dialog"
      aria-label="Run again"
      onClose={close}
      onKeyDown={(event) => {
        // The keys of the page below are not meant.
        event.stopPropagation();
      }}
    >
      {call !== undefined && (
        <>
          <header>
            <h2>Run again</h2>
            <button type="button" class="plain" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
          <Trial key={call.attempt.key} call={call} />
        </>
      )}
    </dialog>
  );
};

/** The state of a call that is made again. */
interface TrialState {
  readonly form?: TrialForm | undefined;
  readonly answer?: TrialAnswer | undefined;
  readonly problem?: string | undefined;
  /** Cancels the call that is being made. */
  readonly cancel?: (() => void) | undefined;
}

const Trial = ({ call }: { readonly call: TriedCall }) => {
  const [{ form, answer, problem, cancel }, setState] = useState<TrialState>({});
  const left = useRef(new AbortController());
  useEffect(() => {
    const { current } = left;
    void loadForm(call).then((got) => {
      if (current.signal.aborted) return;
      setState('problem' in got ? { problem: got.problem } : { form: got.value });
    });
    return () => {
      current.abort();
    };
  }, [call]);
  const submit = async (edit: TrialEdit): Promise<void> => {
    const cancelled = new AbortController();
    const signal = AbortSignal.any([cancelled.signal, left.current.signal]);
    setState({
      form,
      cancel: () => {
        cancelled.abort();
      },
    });
    const got = await makeAgain(call, edit, signal);
    if (left.current.signal.aborted) return;
    setState('problem' in got ? { form, problem: got.problem } : { form, answer: got.value });
  };
  return (
    <>
      <p class="hint">
        The request is sent once more, apart from the run: nothing of it is recorded or charged to the run,
        and no tool is called. Its cost is real.
      </p>
      {form !== undefined && (
        <AgainForm
          form={form}
          cancel={cancel}
          submit={(edit) => {
            void submit(edit);
          }}
        />
      )}
      <div role="status">
        {form === undefined && problem === undefined && <p class="hint">Reading the request …</p>}
        {cancel !== undefined && <p class="hint">Waiting for the model …</p>}
        {problem !== undefined && (
          <p class="misfit">
            <Text value={problem} />
          </p>
        )}
      </div>
      {answer !== undefined && <ComparedAnswers call={call} answer={answer} />}
    </>
  );
};
