import { z } from 'zod';
import type { Json } from './json.ts';

/** What an agent chose to do. Later kinds are added here and nowhere else. */
export type Decision = ActDecision | AnswerDecision | WaitDecision | HandoffDecision;

/** Use tools; at least one. */
export interface ActDecision {
  readonly kind: 'act';
  readonly calls: readonly ChosenCall[];
}

/** A tool to use, before it has a call id. */
export interface ChosenCall {
  readonly name: string;
  readonly input: Json;
}

/** Propose the final answer; critics may still object. */
export interface AnswerDecision {
  readonly kind: 'answer';
  readonly answer: Json;
}

/** Sleep until a message arrives, or for so long. */
export interface WaitDecision {
  readonly kind: 'wait';
  /** What for, in words for people. */
  readonly reason?: string | undefined;
  /** In ms; without it only a message wakes the agent. */
  readonly forMs?: number | undefined;
}

/** Give the task away. Without a team that knows the name, the run ends `handedOff`. */
export interface HandoffDecision {
  readonly kind: 'handoff';
  readonly to: string;
  readonly message?: string | undefined;
}

const json = z.json();

/** The schema behind {@link Decision}: what an agent's own `decide` returns is checked against it. */
export const decisionSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('act'),
    calls: z.array(z.object({ name: z.string().min(1), input: json })).min(1),
  }),
  z.object({ kind: z.literal('answer'), answer: json }),
  z.object({
    kind: z.literal('wait'),
    reason: z.string().optional(),
    forMs: z.number().nonnegative().optional(),
  }),
  z.object({ kind: z.literal('handoff'), to: z.string().min(1), message: z.string().optional() }),
]);

/** Decide to use tools: `act({ name: 'add', input: { a: 1, b: 2 } })`. */
export const act = (...calls: readonly ChosenCall[]): ActDecision => ({ kind: 'act', calls });

/** Decide on the final answer: `answer('42')`. */
export const answer = (value: Json): AnswerDecision => ({ kind: 'answer', answer: value });

/** Decide to sleep until a message comes, or for `forMs`: `wait('the customer')`. */
export const wait = (reason?: string, forMs?: number): WaitDecision => ({ kind: 'wait', reason, forMs });

/** Decide to give the task to another agent: `handoff('billing', 'needs a refund')`. */
export const handoff = (to: string, message?: string): HandoffDecision => ({ kind: 'handoff', to, message });
