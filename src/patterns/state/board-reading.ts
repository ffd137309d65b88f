import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import {
  aText,
  fulfilling,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { confidenceOf, wordsOf } from '../../coordination/round/reply-text.ts';
import { saidJson, textOf } from '../../coordination/round/said-json.ts';
import type { Insight, InsightQuery } from '../../memory/memories/insights.ts';

/** The decision of a controller that has read the board. */
export type BoardDecision =
  | { readonly complete: true; readonly answer: string | null }
  | { readonly complete: false; readonly next: string; readonly task: string | null };

/**
 * A controller's decision: as data (`{"complete": false, "next": "numbers"}`), or as a word with the rest after it (`numbers: add them up`,
 * `complete: it is 42`). Undefined for anything else, and for a specialist that there is not.
 *
 * @example decisionOf('Numbers: add them up', ['numbers']) // => { complete: false, next: 'numbers', task: 'add them up' }
 */
export const decisionOf = (said: Json, specialists: readonly string[]): BoardDecision | undefined => {
  const data = saidJson(said);
  if (isJsonObject(data)) {
    if (isYes(data['complete'])) return { complete: true, answer: wordsOf(data['answer']) };
    return consultation(wordsOf(data['next']) ?? '', wordsOf(data['task']), specialists);
  }
  if (typeof said !== 'string') return undefined;
  const plain = said.replaceAll(/[*_`"']/g, '').trim();
  const [, word = '', rest = ''] = /^([^\s.,:;!]+)\s*(?:[.!]?$|:([^]*))/.exec(plain) ?? [];
  if (/^(?:complete|done)$/i.test(word) && !specialists.includes(word))
    return { complete: true, answer: wordsOf(rest) };
  return consultation(word, wordsOf(rest), specialists);
};

const isYes = (given: Json | undefined): boolean => given === true || given === 'true';

const consultation = (
  named: string,
  task: string | null,
  specialists: readonly string[],
): BoardDecision | undefined => {
  const alike = specialists.filter((name) => bare(name) === bare(named));
  const next = specialists.includes(named) ? named : alike.length === 1 ? alike[0] : undefined;
  return next === undefined ? undefined : { complete: false, next, task };
};

/** A name as a text may have it: without marks, in whatever case. */
const bare = (name: string): string => name.replaceAll(/[*_`"']/g, '').toLowerCase();

/**
 * Reads findings as insights: `{"insights": [{ content, importance, tags, segment, metadata }]}`, a list of them, one of them, or
 * any text or data, which is one insight of importance 0.5. None where nothing was said.
 *
 * @example insightsIn('Whales sing.', { agent: 'sea', at: 0 }) // one insight, of the segment 'finding'
 */
export const insightsIn = (
  said: Json,
  by: { readonly agent: string; readonly at: number },
): readonly Insight[] => {
  const data = saidJson(said);
  const list = isJsonObject(data) && Array.isArray(data['insights']) ? data['insights'] : data;
  if (Array.isArray(list) && list.every(isFinding)) return list.flatMap((each) => insight(each, by));
  return insight(isJsonObject(data) && isFinding(data) ? data : said, by);
};

const isFinding = (given: Json): boolean =>
  typeof given === 'string' || (isJsonObject(given) && wordsOf(given['content']) !== null);

const insight = (found: Json, by: { readonly agent: string; readonly at: number }): readonly Insight[] => {
  const given = isJsonObject(found) && isFinding(found) ? found : {};
  const content = wordsOf(given['content']) ?? (found === null ? null : wordsOf(textOf(found)));
  if (content === null) return [];
  const { tags, metadata } = given;
  const kept: readonly Json[] = Array.isArray(tags) ? tags : [];
  return [
    {
      ...by,
      content,
      tags: kept.filter((tag): tag is string => typeof tag === 'string'),
      importance: confidenceOf(given['importance']),
      segment: wordsOf(given['segment']) ?? 'finding',
      ...(isJsonObject(metadata) ? { metadata } : {}),
    },
  ];
};

/** Insights as somebody reads them, a line each. */
export const insightLines = (insights: readonly Insight[]): string =>
  insights
    .map(({ agent, content, tags, importance, segment }) => {
      const marks = [segment, ...tags.map((tag) => `#${tag}`)].join(' ');
      return `- [${importance}] ${agent} (${marks}): ${content}`;
    })
    .join('\n');

/** Which insights of the board somebody reads. */
export type BoardReads = Omit<InsightQuery, 'now'>;

/** The schema of a controller's decision; what it leaves out is null. */
export const boardDecisionSchema = onDemand(() =>
  z.object({
    complete: z.boolean().describe('Whether the board has all that the request needs.'),
    next: z.string().nullable().catch(null).describe('Whom to consult next; null once it is complete.'),
    task: z
      .string()
      .nullable()
      .catch(null)
      .describe('What to find out in particular; null for the request as it is.'),
    answer: z
      .string()
      .nullable()
      .catch(null)
      .describe('The answer, once it is complete; null for the board as it is.'),
  }),
);

/** Without what is undefined: as JSON that would be null, and null filters. */
export const withoutGaps = (reads: BoardReads): BoardReads =>
  Object.fromEntries(Object.entries(reads).filter(([, value]) => value !== undefined));

/** The schema of what somebody reads of the board. */
export const readsSchema = onDemand(() =>
  optionsSchema<BoardReads>({
    notBy: optional(aText()),
    tags: optional(listOf(aText())),
    tagMode: optional(oneOf(['any', 'all'])),
    minImportance: optional(
      fulfilling(
        (given) => typeof given === 'number' && given >= 0 && given <= 1,
        'not a number from 0 to 1',
      ),
    ),
    segments: optional(listOf(aText())),
    maxAgeMs: optional(wholeNumber(1)),
    limit: optional(wholeNumber(1)),
  }),
);
