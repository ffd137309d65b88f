import type { GivenPart } from '../content/part.ts';
import type { Allotment } from '../runs/budget.ts';
import type { Turn } from '../conversations/transcript.ts';

/**
 * Handling of an answer that is given while delegated work is in flight: `tell` reminds the agent once and accepts its
 * next answer; `wait` holds the answer until the work returns; `leave` accepts it and cancels the work.
 */
export type BeforeEnd = 'tell' | 'wait' | 'leave';

/** Delegated work, as a tool sees it. */
export interface Delegation {
  /** The id by which it can be continued. */
  readonly id: string;
  readonly to: string;
  /** The tool that delegated it. */
  readonly tool: string;
  /** Current or last address of the delegate. */
  readonly path: string;
  /** `done` says nothing of the outcome; a cancelled delegate can neither finish nor be asked again. */
  readonly status: 'working' | 'done' | 'calledOff';
  /** The delegate's conversation, where it can be asked again. */
  readonly conversation?: readonly Turn[] | undefined;
}

/** On what terms a child works. */
export interface ChildTerms {
  /** Earlier turns of its conversation, to be continued. Default: none. */
  readonly history?: readonly Turn[] | undefined;
  /** The team's earlier conversation, from its point of view; placed before its own turns. */
  readonly sees?: readonly Turn[] | undefined;
  /** The author of its input, where that is not the user: the name of an agent, or `runtime`. */
  readonly inputFrom?: string | undefined;
  /** The phase of the work; what it starts itself is in this phase, too. Default: that of the actor that starts it. */
  readonly phase?: string | undefined;
  /** The part of the parent's budget that it may use, within its own definition's limits. Nothing is set aside. */
  readonly budget?: Allotment | undefined;
  /** Tools that it has not, by name. */
  readonly without?: readonly string[] | undefined;
  /** Keeps the delegate's conversation with its result. */
  readonly keepsConversation?: boolean | undefined;
}

/** Options for running another agent from a tool. */
export interface ChildOptions extends Omit<ChildTerms, 'history'> {
  /** Earlier turns of its conversation, to be continued; they may have the bytes of media in them. Default: none. */
  readonly history?: readonly Turn<GivenPart>[] | undefined;
  /** In ms; then it is stopped, wherever it is, and the call rejects with `agent.timeout`. Default: as long as the tool may take. */
  readonly timeoutMs?: number | undefined;
}
