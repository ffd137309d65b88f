import * as z from 'zod/mini';
import type { AgentView } from './agent-view.ts';
import type { Json } from '../../base/json/json.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';

/** An agent's decision. Later kinds are added here and nowhere else. */
export type Decision<Answer = Json> = TakenDecision<Answer> | BranchDecision;

/** A decision as it is carried out: of a branch, the selected candidate. */
export type TakenDecision<Answer = Json> =
  | ActDecision
  | AnswerDecision<Answer>
  | WaitDecision
  | HandoffDecision;

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
export interface AnswerDecision<Answer = Json> {
  readonly kind: 'answer';
  /** Parsed by the agent's output schema, if it has one. */
  readonly answer: Answer;
}

/** Sleep until a message arrives, or for so long. */
export interface WaitDecision {
  readonly kind: 'wait';
  /** The reason, in words for people. */
  readonly reason?: string | undefined;
  /** In ms; without it only a message wakes the agent. */
  readonly forMs?: number | undefined;
}

/** Hands the task to another agent. Without a team that knows the name, the run ends `handedOff`. */
export interface HandoffDecision {
  readonly kind: 'handoff';
  readonly to: string;
  readonly message?: string | undefined;
}

/** Several alternatives, one of which is selected before anything is carried out. */
export interface BranchDecision {
  readonly kind: 'branch';
  /** At least one; a candidate may itself be a branch. */
  readonly candidates: readonly Candidate[];
  /** Default: the first. */
  readonly select?: Selector | undefined;
}

/** One alternative of a branch. */
export interface Candidate {
  readonly decision: Decision;
  /** From 0 to 1; without it those named first count more. */
  readonly score?: number | undefined;
  /** For people. */
  readonly label?: string | undefined;
}

/** Picks one of several; undefined leaves the choice to the model. */
export type Selector = (
  candidates: readonly Candidate[],
  view: AgentView,
) => Candidate | undefined | Promise<Candidate | undefined>;

/** A branch that was taken, as plain JSON: what there was to choose from, and what was chosen. */
export interface BranchTaken {
  /** Without their selectors. */
  readonly candidates: readonly Candidate[];
  /** Index of the selected candidate; where that is itself a branch, the index within it follows, and so on. */
  readonly chosen: readonly number[];
}

/** The one named first. */
export const firstCandidate: Selector = ([first]) => first;

/** The one with the highest score; of equals, the first. */
export const bestCandidate: Selector = (candidates) =>
  candidates
    .map((candidate, position) => ({ candidate, score: scoreOf(candidate, position) }))
    .toSorted((a, b) => b.score - a.score)[0]?.candidate;

/** Returns the score of a candidate; without one, earlier candidates score higher. */
export const scoreOf = ({ score }: Candidate, position: number): number => score ?? 1 / (1 + position);

/**
 * The schema behind {@link Decision}: validates what an agent's own `decide` returns. Plain JSON comes out, without the
 * selector.
 */
export const decisionSchema: z.ZodMiniType<Decision> = z.lazy(() => {
  const json = z.json();
  const text = inEnglish(z.string().check(z.minLength(1)));
  const candidate: z.ZodMiniType<Candidate> = z.object({
    decision: decisionSchema,
    score: z.optional(z.number()),
    label: z.optional(z.string()),
  });
  return z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('act'),
      calls: z.array(z.object({ name: text, input: json })).check(z.minLength(1)),
    }),
    z.object({ kind: z.literal('answer'), answer: json }),
    z.object({
      kind: z.literal('wait'),
      reason: z.optional(z.string()),
      forMs: z.optional(z.number().check(z.nonnegative())),
    }),
    z.object({ kind: z.literal('handoff'), to: text, message: z.optional(z.string()) }),
    z.object({ kind: z.literal('branch'), candidates: z.array(candidate).check(z.minLength(1)) }),
  ]);
});

/** Decide to use tools: `act({ name: 'add', input: { a: 1, b: 2 } })`. */
export const act = (...calls: readonly ChosenCall[]): ActDecision => ({ kind: 'act', calls });

/** Decide on the final answer: `answer('42')`. */
export const answer = <const Answer extends Json>(value: Answer): AnswerDecision<Answer> => ({
  kind: 'answer',
  answer: value,
});

/** Decide to sleep until a message comes, or for `forMs`: `wait('the customer')`. */
export const wait = (reason?: string, forMs?: number): WaitDecision => ({ kind: 'wait', reason, forMs });

/** Decides to hand the task to another agent: `handoff('billing', 'needs a refund')`. */
export const handoff = (to: string, message?: string): HandoffDecision => ({ kind: 'handoff', to, message });

/**
 * Decides by a choice:
 * `branch([{ decision: act(…), score: 0.4 }, { decision: answer('x'), score: 0.9 }], bestCandidate)`.
 *
 * The selector picks before anything is carried out; without one the first candidate is taken.
 */
export const branch = (candidates: readonly Candidate[], select?: Selector): BranchDecision => ({
  kind: 'branch',
  candidates,
  ...(select === undefined ? {} : { select }),
});
