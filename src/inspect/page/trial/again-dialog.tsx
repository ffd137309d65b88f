import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Modal } from '../dialogs/modal.tsx';
import { Text } from '../parts/text.tsx';
import { AgainForm } from './again-form.tsx';
import { ComparedAnswers } from './compared-answers.tsx';
import type { AnswerSoFar, TrialAnswer, TrialEdit, TrialForm, TriedCall } from './trial.ts';
import { loadForm, makeAgain, tried } from './trial.ts';

/** The dialog in which a model call is made again, apart from its run. */
export const AgainDialog = () => {
  const call = tried.value;
  return (
    <Modal
      name="Run again"
      class="help again-dialog"
      isOpen={call !== undefined}
      close={() => {
        tried.value = undefined;
      }}
      keepsKeys
    >
      {call !== undefined && <Trial key={call.attempt.key} call={call} />}
    </Modal>
  );
};

/** The state of a call that is made again. */
interface TrialState {
  readonly form?: TrialForm | undefined;
  readonly answer?: TrialAnswer | undefined;
  readonly problem?: string | undefined;
  /** The answer that is arriving, or as far as it came before it was cancelled or failed. */
  readonly soFar?: AnswerSoFar | undefined;
  /** Cancels the call that is being made. */
  readonly cancel?: (() => void) | undefined;
}

const Trial = ({ call }: { readonly call: TriedCall }) => {
  const [{ form, answer, problem, soFar, cancel }, setState] = useState<TrialState>({});
  const left = useRef(new AbortController());
  const outcome = useRef<HTMLDivElement>(null);
  const isArriving = soFar !== undefined;
  // On a small screen it begins below what is in sight.
  useLayoutEffect(() => {
    outcome.current?.querySelector('.compared > *')?.scrollIntoView({ block: 'nearest' });
  }, [isArriving, answer]);
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
    const got = await makeAgain(call, edit, signal, (more) => {
      if (!signal.aborted) setState((before) => ({ ...before, soFar: more }));
    });
    if (left.current.signal.aborted) return;
    setState(({ soFar: said }) =>
      'problem' in got ? { form, problem: got.problem, soFar: said } : { form, answer: got.value },
    );
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
        {cancel !== undefined && (
          <p class="hint">{soFar === undefined ? 'Waiting for the model …' : 'The model answers …'}</p>
        )}
        {problem !== undefined && (
          <p class="misfit">
            <Text value={problem} />
          </p>
        )}
      </div>
      <div ref={outcome}>
        {soFar !== undefined && <SoFar soFar={soFar} isArriving={cancel !== undefined} />}
        {answer !== undefined && <ComparedAnswers call={call} answer={answer} />}
      </div>
    </>
  );
};

/** An answer as far as it came. */
const SoFar = ({
  soFar: { text, reasoning },
  isArriving,
}: {
  readonly soFar: AnswerSoFar;
  readonly isArriving: boolean;
}) => (
  <section class="compared" aria-label="The answer so far">
    <article>
      <h3>{isArriving ? 'Now' : 'As far as it came'}</h3>
      {reasoning !== '' && (
        <details class="reasoning" open={text === ''}>
          <summary>reasoning</summary>
          <Text value={reasoning} />
        </details>
      )}
      <p class="prose">
        <Text value={text} />
        {isArriving && <span class="caret" />}
      </p>
    </article>
  </section>
);
