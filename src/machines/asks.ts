import type { Effect, Port } from '../contracts/effect.ts';
import type { ModelFailure } from '../contracts/model-failure.ts';
import type { PlannedCall } from './call-plan.ts';
import type { AgentContext } from './agent-context.ts';
import type { PendingFailure } from './recovery-state.ts';

/** An effect with what its port has to know: plain JSON, taken from the asker's context by reference. */
export type Ask =
  | AskOn<'prepare' | 'observe' | 'decide' | 'critique', AgentContext>
  | AskOn<'act' | 'tool' | 'approve', ToolAsk>
  | AskOn<'model', ModelAsk>
  | AskOn<'recover', RecoverAsk>
  | AskOn<'wake' | 'pause', { readonly dueAt: number }>;

/** One member for each port, so that a port's name tells its input's type. */
type AskOn<P extends Port, Input> = P extends Port
  ? Effect & { readonly port: P; readonly input: Input }
  : never;

/** The ask of one port. */
export type AskOf<Port extends Ask['port']> = Extract<Ask, { port: Port }>;

/** The call that an effect works for; undefined for one that works for none. */
export const callIn = (ask: Ask): PlannedCall | undefined =>
  ask.port === 'act' || ask.port === 'tool' || ask.port === 'approve' ? ask.input.call : undefined;

/** One tool call to carry out. */
export interface ToolAsk {
  readonly call: PlannedCall;
  readonly context: AgentContext;
  /** A person said yes to this very call. */
  readonly isApproved: boolean;
}

/** A failure to decide on. */
export interface RecoverAsk extends PendingFailure {
  readonly context: AgentContext;
}

/** One attempt of a troubled model call. */
export interface ModelAsk {
  readonly context: AgentContext;
  /** Which of the agent's models. */
  readonly model: number;
  /** Waited so far for this call, in ms. */
  readonly waitedMs: number;
  /** A `maybe` has been tried. */
  readonly hasTriedMaybe: boolean;
  /** Said to the model in this attempt only, where sending the same again would be no use. */
  readonly nudge: string | null;
  /** The text of an attempt that broke off, to go on from. */
  readonly partial?: string | undefined;
  /** What went wrong before, where retries adapt to it. */
  readonly failures?: readonly ModelFailure[] | undefined;
}
