import type { Allotment } from './budget.ts';
import type { Turn } from './transcript.ts';

/**
 * What becomes of an answer that is given while work that was given away is still under way: `tell` has the agent told once,
 * and takes its next answer; `wait` puts the answer back until the work has come back; `leave` takes it, and calls the work off.
 */
export type BeforeEnd = 'tell' | 'wait' | 'leave';

/** Work that an agent gave to another, as a tool sees it. */
export interface Delegation {
  /** The name to go on with it by. */
  readonly id: string;
  readonly to: string;
  /** The tool by which it was given. */
  readonly tool: string;
  /** Where whoever is at it sits, or sat last. */
  readonly path: string;
  /** `done` says nothing of how it ended; who was called off can neither end it nor be asked again. */
  readonly status: 'working' | 'done' | 'calledOff';
  /** What was said to it and by it, where it can be asked again. */
  readonly conversation?: readonly Turn[] | undefined;
}

/** On what terms a child works. */
export interface ChildTerms {
  /** Earlier turns of its conversation, to go on from. Default: none. */
  readonly history?: readonly Turn[] | undefined;
  /** What was said in its team before, from its point of view; it follows its earlier turns. */
  readonly sees?: readonly Turn[] | undefined;
  /** The author of its input, where that is not the user: the name of an agent, or `runtime`. */
  readonly inputFrom?: string | undefined;
  /** The phase of the work; what it starts itself is in this phase, too. Default: that of the actor that starts it. */
  readonly phase?: string | undefined;
  /** The part of the parent's budget that it may use, within what its definition says. What it leaves was never taken. */
  readonly budget?: Allotment | undefined;
  /** Tools that it has not, by name. */
  readonly without?: readonly string[] | undefined;
  /** Its end has what was said to it and by it. */
  readonly keepsConversation?: boolean | undefined;
}

/** How a tool runs another agent. */
export interface ChildOptions extends ChildTerms {
  /** In ms; then it is stopped, wherever it is, and the call rejects with `agent.timeout`. Default: as long as the tool may take. */
  readonly timeoutMs?: number | undefined;
}
