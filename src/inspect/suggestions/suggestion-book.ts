import { brokenPrefixes } from './rules/broken-prefixes.ts';
import { deadBranches } from './rules/dead-branches.ts';
import { easySteps } from './rules/easy-steps.ts';
import { futileRetries } from './rules/futile-retries.ts';
import { repeatedCalls } from './rules/repeated-calls.ts';
import { repeatedReads } from './rules/repeated-reads.ts';
import { reworkedAnswers } from './rules/reworked-answers.ts';
import { serialTools } from './rules/serial-tools.ts';
import { slowModels } from './rules/slow-models.ts';
import { unreadContext } from './rules/unread-context.ts';
import { unusedTools } from './rules/unused-tools.ts';
import type { Finding, Rule } from './rule.ts';
import type { RunFacts } from './run-facts.ts';
import type { ExpectedGain, Suggestion, Target } from './suggestion.ts';

/** Each rule with the targets that its suggestions serve. */
const rules: readonly (readonly [rule: () => Rule, serves: readonly Target[]])[] = [
  [repeatedCalls, ['latency', 'cost']],

  [repeatedReads, ['latency']],
  [slowModels, ['latency']],
  [serialTools, ['latency', 'cost']],
  [futileRetries, ['latency', 'accuracy']],
  [easySteps, ['cost']],
  [brokenPrefixes, ['cost', 'latency']],
  [unreadContext, ['cost', 'accuracy']],
  [unusedTools, ['cost', 'accuracy']],
  [reworkedAnswers, ['accuracy']],
  [deadBranches, ['accuracy', 'cost']],
];

/** Totals of all runs. */
interface Totals {
  runs: number;
  latencyMs: number;
  tokens: number;
  costUsd: number;
}

/** Collects what rules find in runs. Its size does not depend on the number of runs. */
export class SuggestionBook {
  readonly #target: Target;
  readonly #rules: readonly Rule[];
  readonly #totals: Totals = { runs: 0, latencyMs: 0, tokens: 0, costUsd: 0 };

  constructor(target: Target) {
    this.#target = target;
    this.#rules = rules.filter(([, serves]) => serves.includes(target)).map(([rule]) => rule());
  }

  take(run: RunFacts): void {
    const totals = this.#totals;
    totals.runs += 1;
    totals.latencyMs += run.durationMs;
    totals.tokens += run.tokens;
    totals.costUsd += run.costUsd ?? 0;
    for (const rule of this.#rules) rule.take(run);
  }

  /** The suggestions so far, the greatest share of the target's total first. */
  get suggestions(): readonly Suggestion[] {
    return this.#rules
      .flatMap((rule) => rule.findings())
      .map((finding): Suggestion => ({ ...finding, expected: this.#withShare(finding) }))
      .toSorted((one, other) => other.expected.share - one.expected.share);
  }

  #withShare({ expected, evidence }: Finding): ExpectedGain {
    return {
      ...expected,
      share: shareOf({ ...expected, runs: evidence.runCount }, this.#totals, this.#target),
    };
  }
}

const shareOf = (
  gain: Omit<ExpectedGain, 'share'> & { readonly runs: number },
  totals: Totals,
  target: Target,
): number => {
  const of = (part: number | undefined, whole: number): number =>
    part === undefined || whole <= 0 ? 0 : Math.min(1, part / whole);
  if (target === 'latency') return of(gain.latencyMs, totals.latencyMs);
  if (target === 'accuracy') return of(gain.runs, totals.runs);
  // Where prices are not known, tokens stand for them.
  return of(gain.costUsd, totals.costUsd) || of(gain.tokens, totals.tokens);
};
