import type { Suggestion } from '../suggestion.ts';
import type { TrialResult } from './trial-result.ts';

/** The length of long results in a trial of shorter ones, in characters. */
export const SHORTENED = 500;

/** Judges another model by what whole runs took with it. */
export const withModel = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { before, after, own } = result;
  const isFaster = found.type === 'faster-model';
  const [was, is, part] = isFaster
    ? [before.modelMs, after.modelMs, own.modelMs]
    : [before.costUsd, after.costUsd, own.costUsd];
  // Whole runs have to take less, and the gain is of the part that the agent had.
  const isBetter = was !== undefined && is !== undefined && is < was;
  const saved = isBetter && part !== undefined && part > 0 ? Math.min(1, (was - is) / part) : 0;
  const figures = isFaster
    ? `answers took ${after.modelMs} ms instead of ${before.modelMs} ms`
    : `they cost ${dollars(after.costUsd)} instead of ${dollars(before.costUsd)}`;
  const judged = withResult(found, result, isBetter, {
    none: `no completed run of '${found.agent}' could be forked with ${model}`,
    words: `with ${model} ended the same; ${figures}`,
  });
  if (judged.proven === false) return judged;
  const { evidence, expected } = found;
  const { totalMs = 0, totalUsd = 0 } = evidence.measured;
  const gain = isFaster ? { latencyMs: totalMs * saved } : { costUsd: totalUsd * saved };
  const assumed = isFaster ? expected.latencyMs : expected.costUsd;
  const measured = gain.latencyMs ?? gain.costUsd ?? 0;
  const share =
    assumed === undefined || assumed === 0 ? expected.share : (expected.share * measured) / assumed;
  return { ...judged, expected: { ...gain, share: Math.min(1, share) } };
};

/** Judges a stronger model by the runs that were completed with it. */
export const withStronger = (found: Suggestion, result: TrialResult, model: string): Suggestion =>
  withResult(found, result, true, {
    none: `no run that shows it is one of '${found.agent}' that could be forked with ${model}`,
    words: `with ${model} were completed, and nothing was sent back`,
  });

/** Judges shorter results of a tool. */
export const withShorter = (found: Suggestion, result: TrialResult): Suggestion => {
  const { before, after } = result;
  return withResult(found, result, after.tokens < before.tokens, {
    none: noneToFork(found),
    words: `with results of '${found.tool ?? ''}' cut to ${SHORTENED} characters ended the same; they took ${after.tokens} tokens instead of ${before.tokens}`,
  });
};

/** Judges calls in one answer. Tools that write may change what the others read, which no answer from the record shows. */
export const withJoined = (found: Suggestion, result: TrialResult): Suggestion => {
  const { before, after, writers } = result;
  const isShorter = found.expected.tokens === undefined;
  const isBetter = isShorter
    ? after.modelCalls <= before.modelCalls
    : after.modelCalls < before.modelCalls && after.tokens < before.tokens;
  const judged = withResult(found, result, isBetter && writers.size === 0, {
    none: noneToFork(found),
    words: `with these calls in one answer, in either order, ended the same; they took ${after.modelCalls} model calls instead of ${before.modelCalls}, and ${after.tokens} tokens instead of ${before.tokens}; the time is computed from that of the recorded calls`,
  });
  return writers.size === 0
    ? judged
    : {
        ...judged,
        basis: `${judged.basis}; not proven as ${[...writers].map((name) => `'${name}'`).join(' and ')} may change what others read: declare \`safety: 'read'\` where it only reads`,
      };
};

/** Judges the answers of a cache. */
export const withCached = (found: Suggestion, result: TrialResult, model: string): Suggestion =>
  withFewerTokens(found, result, { change: 'the answers that a cache would have given', model });

/** Judges a tool that is not offered. */
export const withoutUnused = (found: Suggestion, result: TrialResult, model: string): Suggestion =>
  withFewerTokens(found, result, { change: `no tool '${found.tool ?? ''}' offered`, model });

const withFewerTokens = (
  found: Suggestion,
  result: TrialResult,
  { change, model }: { readonly change: string; readonly model: string },
): Suggestion => {
  const { before, after } = result;
  return withResult(found, result, after.tokens < before.tokens, {
    none: noneToFork(found),
    words: `with ${change} ended the same; they took ${after.tokens} tokens instead of ${before.tokens}; ${askedWords(found, result, model)}`,
  });
};

/** Judges calls that are not retried. */
export const withoutRetries = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { before, after } = result;
  return withResult(found, result, after.durationMs < before.durationMs, {
    none: noneToFork(found),
    words: `without these retries ended the same; they took ${after.durationMs} ms instead of ${before.durationMs} ms; ${askedWords(found, result, model)}`,
  });
};

/** Judges prompts with what changes at their end: all have to begin alike, with something. */
export const withSteady = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { beginnings } = result;
  const isAlike = beginnings.size === 1 && !beginnings.has(JSON.stringify(['', []]));
  const how = isAlike
    ? 'all of their prompts began alike'
    : `their prompts had ${beginnings.size} beginnings of use to a cache`;
  return withResult(found, result, isAlike, {
    none: noneToFork(found),
    words: `with what changes at the end ended the same; ${how}; ${askedWords(found, result, model)}`,
  });
};

/** Judges a router whose judge is not shown a member. */
export const withoutBranch = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { before, after } = result;
  return withResult(found, result, after.tokens <= before.tokens, {
    none: noneToFork(found),
    words: `whose judge was not shown it ended the same; they took ${after.tokens} tokens instead of ${before.tokens}; ${askedWords(found, result, model)}`,
  });
};

const noneToFork = ({ agent }: Suggestion): string =>
  `no run that shows it is one of '${agent}' that could be forked`;

/** The number of calls that were really made: of the agent to the model that was given, of others to their own. */
const askedWords = ({ agent }: Suggestion, { asked }: TrialResult, model: string): string =>
  asked === 0
    ? 'no model was asked, as all is on record'
    : `models were asked ${asked} times, for what is not on record: of '${agent}' ${model}`;

/** A suggestion is proven if each of its forks has passed, and all together are better. */
const withResult = (
  found: Suggestion,
  { runs, tried, passed }: TrialResult,
  isBetter: boolean,
  { none, words }: { readonly none: string; readonly words: string },
): Suggestion => ({
  ...found,
  proven: tried > 0 && passed === tried && isBetter ? { by: 'forks', runs } : false,
  basis: tried === 0 ? none : `${passed} of ${tried} forks ${words}`,
});

const dollars = (cost: number | undefined): string =>
  cost === undefined ? 'an unknown price' : `${Number(cost.toPrecision(3))} US dollars`;
