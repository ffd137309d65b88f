import type { CallFact, RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';

/** The end of a fork. */
export interface ForkEnd {
  /** Undefined where it could not be made. */
  readonly facts: RunFacts | undefined;
  /** True where it called a tool as the run did not. */
  readonly hasDiverged: boolean;
  /** Tools of the given calls that are not declared to read only. */
  readonly writers: ReadonlySet<string>;
  /** The number of model calls that were not answered from the record. */
  readonly asked: number;
  /** Beginnings of prompts of the changed agent, each once. */
  readonly beginnings: ReadonlySet<string>;
}

/** The use of models and of time by whole runs, before or after a change. */
export interface Used {
  readonly durationMs: number;
  readonly modelMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  readonly modelCalls: number;
}

/** The result of all forks of a trial. */
export interface TrialResult {
  /** The number of runs that were forked. */
  readonly runs: number;
  /** The number of forks, and of those that ended as they should. */
  readonly tried: number;
  readonly passed: number;
  readonly before: Used;
  readonly after: Used;
  /** The part of `before` that the changed agent had. */
  readonly own: Used;
  readonly writers: ReadonlySet<string>;
  readonly asked: number;
  readonly beginnings: ReadonlySet<string>;
}

/** Checks whether a fork ended the same as its run. */
export const hasEndedTheSame = (before: RunFacts, { facts, hasDiverged }: ForkEnd): boolean =>
  !hasDiverged && facts?.status === before.status && facts.output === before.output;

/** Adds a fork to a result. One in which the changed agent did nothing says nothing about it. */
export const withFork = (
  result: TrialResult,
  before: RunFacts,
  after: ForkEnd,
  {
    changed,
    hasPassed,
  }: { readonly changed: string; readonly hasPassed: (before: RunFacts, after: ForkEnd) => boolean },
): TrialResult => {
  const { facts } = after;
  const isConcerned = facts !== undefined && isActive(facts, changed);
  return {
    runs: result.runs,
    tried: result.tried + 1,
    passed: result.passed + (isConcerned && hasPassed(before, after) ? 1 : 0),
    before: sum(result.before, useOf(before)),
    after: sum(result.after, facts === undefined ? UNKNOWN : useOf(facts)),
    own: sum(result.own, useOf(before, changed)),
    writers: new Set([...result.writers, ...after.writers]),
    asked: result.asked + after.asked,
    beginnings: new Set([...result.beginnings, ...after.beginnings]),
  };
};

/** Checks whether an agent called a model or a tool in a run, or chose between others. */
export const isActive = (run: RunFacts, name: string): boolean =>
  [...run.moves, ...run.failures, ...run.choices].some(({ agent }) => agent === name);

/** The use of models by a run, or by one of its agents. */
const useOf = (run: RunFacts, agent?: string): Used => {
  const calls: readonly CallFact[] = callsIn(run).filter(
    (call) => agent === undefined || call.agent === agent,
  );
  const used = calls.map(({ ms, costUsd, usage: { input, output } }): Used => ({
    durationMs: ms,
    modelMs: ms,
    costUsd,
    tokens: input + output,
    modelCalls: 1,
  }));
  const all = used.reduce(sum, NOTHING);
  const { durationMs, costUsd, tokens } = run;
  return agent === undefined ? { ...all, durationMs, costUsd, tokens } : all;
};

const NOTHING: Used = { durationMs: 0, modelMs: 0, costUsd: 0, tokens: 0, modelCalls: 0 };
const UNKNOWN: Used = { ...NOTHING, costUsd: undefined };

export const UNTRIED: TrialResult = {
  runs: 0,
  tried: 0,
  passed: 0,
  before: NOTHING,
  after: NOTHING,
  own: NOTHING,
  writers: new Set(),
  asked: 0,
  beginnings: new Set(),
};

const sum = (one: Used, other: Used): Used => ({
  durationMs: one.durationMs + other.durationMs,
  modelMs: one.modelMs + other.modelMs,
  costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  tokens: one.tokens + other.tokens,
  modelCalls: one.modelCalls + other.modelCalls,
});
