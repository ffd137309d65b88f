import { partialOutput, runningTools, waitingRequests } from '../client/select-progress.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { Progress } from '../events/progress/progress.ts';
import { noProgress } from '../events/progress/progress.ts';
import type { ProgressMessage } from '../events/progress/progress-message.ts';
import type { AgentSessionView, SessionControls } from './agent-session-view.ts';

/** The part of a session of which its view is made. */
export interface SessionState {
  readonly progress: Progress;
  readonly hasBegun: boolean;
  readonly failure: ErrorData | undefined;
  /** True if the failure is that of the run: there is none. */
  readonly hasNoRun: boolean;
}

/** The state of a session before its first run. */
export const restingState = (messages: readonly ProgressMessage[]): SessionState => ({
  progress: { ...noProgress, messages },
  hasBegun: false,
  failure: undefined,
  hasNoRun: true,
});

/** The side of a session that a component sees: the same view as long as nothing changes, and one notification for simultaneous changes. */
export class SessionScreen<State extends SessionState, View> {
  readonly #listeners = new Set<() => void>();
  readonly #viewOf: (state: State) => View;
  #state: State;
  #view: View;
  #isNotifying = false;

  constructor(state: State, viewOf: (state: State) => View) {
    this.#viewOf = viewOf;
    this.#state = state;
    this.#view = viewOf(state);
  }

  get state(): State {
    return this.#state;
  }

  readonly getSnapshot = (): View => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    // Wrapped, as the same function may subscribe twice.
    const each = (): void => {
      listener();
    };
    this.#listeners.add(each);
    return () => {
      this.#listeners.delete(each);
    };
  };

  change(news: Partial<State>): void {
    this.#state = { ...this.#state, ...news };
    this.#view = this.#viewOf(this.#state);
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** The view of a session in a state, with its controls. */
export const viewOf = <Input, Output>(
  { progress, hasBegun, failure, hasNoRun }: SessionState,
  controls: SessionControls<Input>,
): AgentSessionView<Input, Output> => {
  const { phase, step, speaker, text, isStreaming, messages, totals } = progress;
  const status = failure !== undefined && hasNoRun ? 'failed' : progress.status;
  return {
    status: hasBegun ? status : 'idle',
    phase,
    step,
    speaker,
    text,
    isStreaming,
    messages,
    totals,
    progress,
    error: failure ?? progress.error,
    // The definition that types the session also produces the output.
    output: progress.output as Output | undefined,
    get partial() {
      return partialOutput(progress) as AgentSessionView<Input, Output>['partial'];
    },
    get requests() {
      return waitingRequests(progress);
    },
    get tools() {
      return runningTools(progress);
    },
    ...controls,
  };
};
