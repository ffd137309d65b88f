import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { ApprovalTerms } from '../contracts/people/approval-terms.ts';
import type { Effect, Port } from '../contracts/runs/effect.ts';
import type { ModelFailure } from '../contracts/models/model-failure.ts';
import type { PlannedCall } from './agent/call-plan.ts';
import type { AgentContext } from './agent/agent-context.ts';
import type { PendingFailure } from './recovery/recovery-state.ts';

/** An effect with its input: plain JSON, referenced from the asker's context. */
export type Ask =
  | AskOn<'prepare' | 'observe' | 'decide' | 'critique', AgentContext>
  | AskOn<'act' | 'tool' | 'approve', ToolAsk>
  | AskOn<'model', ModelAsk>
  | AskOn<'recover', RecoverAsk>
  | AskOn<'wake' | 'pause', WaitAsk>;

/** One member per port, so that the port's name determines the type of the input. */
type AskOn<P extends Port, Input> = P extends Port
  ? Effect & { readonly port: P; readonly input: Input }
  : never;

/** The ask of one port. */
export type AskOf<Port extends Ask['port']> = Extract<Ask, { port: Port }>;

/** The call that an effect works for; undefined if there is none. */
export const callIn = (ask: Ask): PlannedCall | undefined =>
  ask.port === 'act' || ask.port === 'tool' || ask.port === 'approve' ? ask.input.call : undefined;

/** A wait for a time. */
export interface WaitAsk {
  readonly dueAt: number;
  /** The addresses of members that wait for people: the wait is over as soon as one of them continues, too. */
  readonly standing?: readonly string[] | undefined;
}

/** One tool call to execute. */
export interface ToolAsk {
  readonly call: PlannedCall;
  readonly context: AgentContext;
  /** True if a person approved this call. */
  readonly isApproved: boolean;
  /** The error of the tool's `approval`, which could not tell. */
  readonly error?: ErrorData | undefined;
  /** The terms on which the run's safety strategy has it approved. */
  readonly terms?: ApprovalTerms | undefined;
}

/** A failure to decide about. */
export interface RecoverAsk extends PendingFailure {
  readonly context: AgentContext;
}

/** One attempt of a troubled model call. */
export interface ModelAsk {
  readonly context: AgentContext;
  /** Index of the agent's model. */
  readonly model: number;
  /** Total wait for this call so far, in ms. */
  readonly waitedMs: number;
  /** True if a `maybe` has been tried. */
  readonly hasTriedMaybe: boolean;
  /** A note to the model in this attempt only, if repeating the same request would be pointless. */
  readonly nudge: string | null;
  /** Partial text of an interrupted attempt, to continue from. */
  readonly partial?: string | undefined;
  /** Earlier failures, for adaptive retries. */
  readonly failures?: readonly ModelFailure[] | undefined;
}
