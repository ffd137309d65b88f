import { andThen } from '../../base/promises/thenable.ts';
import type { Engine, EngineOptions } from '../../contracts/runs/engine.ts';
import { bothTerms } from '../../contracts/people/approval-terms.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { ProposedCall, RunGuard, SafetyStrategy, SafetyVerdict } from '../../contracts/tools/safety.ts';

/** The options of a run in an engine: its own, else the engine's; hooks and safety rules of both. */
export const withDefaults = (engine: EngineOptions, run: RunOptions): RunOptions => ({
  ...run,
  model: run.model ?? engine.model,
  clock: run.clock ?? engine.clock,
  person: run.person ?? engine.person,
  executor: run.executor ?? engine.executor,
  ...(engine.limits === undefined ? {} : { limits: { ...engine.limits, ...run.limits } }),
  hooks: [...(engine.hooks ?? []), ...(run.hooks ?? [])],
  resources: [...(engine.resources ?? []), ...(run.resources ?? [])],
  safety: strictest(engine.safety, run.safety),
});

/** Combines two safety rules: a call has to pass both; the second is not consulted about a denied call. */
const strictest = (
  first: SafetyStrategy | undefined,
  second: SafetyStrategy | undefined,
): SafetyStrategy | undefined => {
  if (first === undefined || second === undefined) return first ?? second;
  const both = (call: ProposedCall): SafetyVerdict | Promise<SafetyVerdict> =>
    andThen(first(call), (said) => {
      if (said.verdict === 'allow') return second(call);
      // A deny stands; so does an invalid verdict, which counts as one.
      if (said.verdict !== 'ask') return said;
      return andThen(second(call), (other) => {
        if (other.verdict === 'allow') return said;
        return other.verdict === 'ask' ? { verdict: 'ask' as const, ...bothTerms(said, other) } : other;
      });
    });
  return Object.assign(both, {
    keepOrigins: first.keepOrigins ?? second.keepOrigins,
    guard: (...next: Parameters<RunGuard>) => first.guard?.(...next) ?? second.guard?.(...next),
  });
};

/** The part of an engine that runs get which it does not start itself, as it does not start those that are resumed. */
export interface EngineShare {
  /** The options of a run as the engine would start it. */
  readonly optionsFor: (run: RunOptions) => RunOptions;
  /** The tenant of a run with that context, as `by` of the engine names it. */
  readonly tenantOf: (context: unknown) => string | undefined;
}

const shares = new WeakMap<Engine, EngineShare>();

/** Registers the share of an engine. */
export const rememberShare = (engine: Engine, share: EngineShare): void => {
  shares.set(engine, share);
};

/** The share of an engine; of one that was made elsewhere nothing is known. */
export const shareOf = (engine: Engine): EngineShare => shares.get(engine) ?? NO_SHARE;

const NO_SHARE: EngineShare = { optionsFor: (run) => run, tenantOf: () => undefined };
