import { contentText } from '../../contracts/content/part.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import type { CachedUse, Usage } from '../../contracts/models/usage.ts';
import type { Desk } from '../desk.ts';

/**
 * Validates a model's answer: a model may be foreign code, and its answer becomes part of contexts and events.
 *
 * @throws {TroupeError} `model.malformed` for something that is no answer; a usage that is none counts as nothing used, and omissions or calls of the provider that are none are dropped.
 */
export const checkAnswer = (answer: ModelAnswer, model: string): ModelAnswer => {
  const found: { readonly [Key in keyof ModelAnswer]?: unknown } | null | undefined = answer;
  const { text, finish, calls } = found ?? {};
  if (typeof text !== 'string' || typeof finish !== 'string' || !Array.isArray(calls) || !calls.every(isCall))
    throw new TroupeError(
      'model.malformed',
      `Cannot use the answer of ${model} as it is invalid: it needs text, calls and finish (see modelAnswer)`,
    );
  const whole = withoutMisfits(answer);
  return isUsage(answer.usage) ? whole : { ...whole, usage: NO_USAGE };
};

/** The answer without omissions or calls of the provider that are none. */
const withoutMisfits = (answer: ModelAnswer): ModelAnswer => {
  const isOmissions = answer.omitted === undefined || isOmitted(answer.omitted);
  const isCalls = answer.providerCalls === undefined || isProviderCalls(answer.providerCalls);
  const isCached = answer.cached === undefined || isCachedUse(answer.cached);
  if (isOmissions && isCalls && isCached) return answer;
  const { omitted, providerCalls, cached, ...rest } = answer;
  return {
    ...rest,
    ...(isOmissions ? { omitted } : {}),
    ...(isCalls ? { providerCalls } : {}),
    ...(isCached ? { cached } : {}),
  };
};

const isCachedUse = (cached: Partial<CachedUse> | null): boolean =>
  isUsage(cached?.usage) && Number.isFinite(cached?.durationMs);

/** Stores the media of an answer; without a text, their names are its text. @throws {TroupeError} `content.*` */
export const withMedia = (answer: ModelAnswer, { content }: Pick<Desk, 'content'>): ModelAnswer => {
  if (answer.media === undefined || answer.media.length === 0) return answer;
  const media = content.take(answer.media);
  return { ...answer, media, text: answer.text.trim() === '' ? contentText(media) : answer.text };
};

const NO_USAGE: Usage = { input: 0, output: 0, isEstimate: true };

const isProviderCalls = (calls: unknown): boolean =>
  Array.isArray(calls) &&
  calls.every(
    (call: Partial<ProviderCall> | null) =>
      typeof call?.tool === 'string' && typeof (call.problem ?? '') === 'string',
  );

/** Checks whether a call has a name: without one it can be neither made nor refused. */
const isCall = (call: unknown): boolean =>
  typeof call === 'object' && call !== null && 'name' in call && typeof call.name === 'string';

const isOmitted = (omitted: unknown): boolean =>
  isJsonObject(omitted) && Object.values(omitted).every((reason) => typeof reason === 'string');

/** Partial, as the value may not have its declared type. */
const isUsage = (usage: Partial<Usage> | undefined): boolean =>
  isCount(usage?.input) &&
  isCount(usage?.output) &&
  COUNTS.every((name) => usage?.[name] === undefined || isCount(usage[name])) &&
  (usage?.billedUsd === undefined || (Number.isFinite(usage.billedUsd) && usage.billedUsd >= 0));

const COUNTS = ['cached', 'stored', 'reasoning', 'webSearches', 'fileSearches'] as const;

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
