import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { Content } from '../../../contracts/content/part.ts';
import type { Json } from '../../../base/json/json.ts';
import type { RunInspector } from '../../../contracts/events/inspection.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Message } from '../../../contracts/messages/message.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { LaterLimits, RunOptions } from '../../../contracts/runs/run-options.ts';
import type { RunPoint } from './run-point.ts';

/** Options of `resume`; those that the run was started with are in its journal. */
export type ResumeOptions = Omit<
  RunOptions,
  'runId' | 'history' | 'thread' | 'task' | 'limits' | 'store' | 'inspect' | 'paused'
> & {
  readonly store: JournalStore;
  /** Its other limits are in its journal. */
  readonly limits?: LaterLimits | undefined;
};

/** Options that apply to each of the runs. */
export type ResumeAllOptions = Omit<ResumeOptions, 'store'>;

/** Options for starting or resuming a run. A resumed run keeps what it was started with, as its journal has it. */
export type RunOrResumeOptions = Omit<RunOptions, 'runId' | 'store' | 'inspect' | 'paused'> & {
  readonly store: JournalStore;
  /** The id of the run: the same id is the same run, however often it is requested. */
  readonly runId: string;
};

/** The point at which a run is forked, and the changes made there. */
export interface ForkOptions<State = Json> extends Omit<ResumeOptions, 'model'> {
  /**
   * Before this step or event; with `change.text` or `change.calls`, the event that is changed; with `change.state`, an event of the agent whose
   * state is changed, or a step of the root. Default: the end of the journal.
   */
  readonly at?: RunPoint | undefined;
  readonly change?: ForkChange<State> | undefined;
  /** The name of the person who forks it, for the record. The caller vouches for it. */
  readonly by?: string | undefined;
  /** Id of the fork. Default: a random UUID. */
  readonly runId?: string | undefined;
  /** Inspects the fork from its beginning, including the part that it shares. */
  readonly inspect?: RunOptions['inspect'];
}

/** Changes made in a fork. Another prompt or other tools are another agent: pass that one to `fork`. */
export interface ForkChange<State = Json> {
  readonly model?: ModelChoice | undefined;
  /** Sent to the run's root when the fork starts. */
  readonly message?: Content | Message | undefined;
  /**
   * In place of the text of the event that `at` names by its number: a model's answer (`model.answered`), a tool's result (`tool.finished`),
   * or a message from outside (`message.sent`).
   */
  readonly text?: string | undefined;
  /** In place of the calls of the model's answer that `at` names. Each has to fit a tool that the model was sent. */
  readonly calls?: readonly ChosenCall[] | undefined;
  /**
   * In place of the state that the agent has at the point: the step that made the state ends with this one, and what follows is done again. It has to
   * have the keys of the agent's state, and their kinds of values.
   */
  readonly state?: State | undefined;
}

/** The journal to replay, and how far. */
export interface ReplayOptions extends Pick<RunOptions, 'context' | 'secrets' | 'secretKey'> {
  /** Inspects the run during its replay; see `recorder` of `troupe/inspect`. */
  readonly inspect?: RunInspector | undefined;
  readonly store: JournalStore;
  /** Default: the end of the journal. */
  readonly to?: RunPoint | undefined;
}
