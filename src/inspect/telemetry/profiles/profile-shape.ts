import type { RunStatus } from '../../../contracts/runs/run-status.ts';

/** Time, tokens and money used under one name. */
export interface ProfileRow {
  readonly name: string;
  readonly count: number;
  /** In ms, summed up: concurrent work counts separately. */
  readonly ms: number;
  /** In tokens, of model calls and summaries, also of attempts that gave no answer. */
  readonly tokens: number;
  /** In US dollars, as far as prices are known. */
  readonly costUsd: number;
}

/** One agent or team of a run: how long it stayed in each of its states. */
export interface ActorProfile {
  readonly path: string;
  readonly agent: string;
  readonly ms: number;
  readonly costUsd: number;
  /** Their times add up to `ms`, but for what passes before the first. */
  readonly phases: readonly ProfileRow[];
}

/** Self time of a stack, in it and in none of its parts, and the tokens and money that it used itself. */
export interface StackTime {
  /** From the outside in: agent, phase, agent of a member, phase, tool or model. */
  readonly frames: readonly string[];
  readonly ms: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Profile of a run's time and money, as plain JSON. */
export interface Profile {
  readonly runId: string;
  readonly agent: string;
  /** Undefined for a run that is not over, or whose end is unknown. */
  readonly status: RunStatus | undefined;
  readonly startedAt: number;
  /** Duration, in ms. */
  readonly ms: number;
  readonly costUsd: number;
  /** Each by name, the longest first. */
  readonly agents: readonly ProfileRow[];
  readonly phases: readonly ProfileRow[];
  readonly models: readonly ProfileRow[];
  readonly tools: readonly ProfileRow[];
  /** In the order in which they were engaged. */
  readonly actors: readonly ActorProfile[];
  readonly stacks: readonly StackTime[];
}
