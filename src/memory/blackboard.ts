import type { JsonObject } from '../contracts/json.ts';
import { toJson } from '../contracts/json.ts';
import type { Memory, MemoryRecord, MemorySource } from '../contracts/memory.ts';
import { memorySource, type MemoryOptions } from './memory-source.ts';
import { memoryText } from './memory-text.ts';

/** Something that an agent found out and lets the others know. */
export interface Insight {
  readonly agent: string;
  readonly content: string;
  readonly tags: readonly string[];
  /** From 0 to 1. */
  readonly importance: number;
  readonly segment: string;
  /** When, in ms since 1970. */
  readonly at: number;
  readonly metadata?: JsonObject | undefined;
}

/** Which insights; what is left out does not filter. */
export interface InsightQuery {
  /** Leaves out those of this agent. */
  readonly notBy?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Whether one of the tags is enough. Default `any`. */
  readonly tagMode?: 'any' | 'all' | undefined;
  readonly minImportance?: number | undefined;
  readonly segments?: readonly string[] | undefined;
  /** In ms, counted back from `now`. */
  readonly maxAgeMs?: number | undefined;
  readonly now?: number | undefined;
  readonly limit?: number | undefined;
}

/** What is on a board. */
export interface InsightStatistics {
  readonly insights: number;
  readonly agents: readonly string[];
  readonly tags: Readonly<Record<string, number>>;
  readonly segments: Readonly<Record<string, number>>;
  readonly meanImportance: number;
}

/** A board that several agents write on. */
export interface Blackboard extends Memory {
  share(insight: Insight): void;
  /** The most important first, and of those the newest. */
  query(query?: InsightQuery): readonly Insight[];
  statistics(): InsightStatistics;
}

/** What {@link blackboard} can be told. */
export interface BlackboardOptions extends Omit<MemoryOptions, 'files'> {
  /** Insights; the oldest go first. Default 1,000. */
  readonly size?: number | undefined;
}

/**
 * A board for the agents of one run: what one shares, the others find.
 *
 * Its scope is the run unless said otherwise: votes and results of two runs never mix.
 */
export const blackboard = (options: BlackboardOptions = {}): MemorySource<Blackboard> =>
  memorySource('blackboard', { scope: 'run', ...options }, () =>
    Promise.resolve(new Board(options.size ?? 1_000)),
  );

/** The insights that fit, in the order in which they matter. Pure. */
export const queryInsights = (
  insights: readonly Insight[],
  { notBy, tags, tagMode = 'any', minImportance = 0, segments, maxAgeMs, now, limit }: InsightQuery = {},
): readonly Insight[] => {
  const newest = now ?? insights.reduce((latest, { at }) => Math.max(latest, at), 0);
  const hasTags = (insight: Insight): boolean =>
    tags === undefined ||
    (tagMode === 'all'
      ? tags.every((tag) => insight.tags.includes(tag))
      : tags.some((tag) => insight.tags.includes(tag)));
  return insights
    .filter(({ agent }) => agent !== notBy)
    .filter(hasTags)
    .filter(({ importance }) => importance >= minImportance)
    .filter(({ segment }) => segments === undefined || segments.includes(segment))
    .filter(({ at }) => maxAgeMs === undefined || newest - at <= maxAgeMs)
    .sort((a, b) => b.importance - a.importance || b.at - a.at)
    .slice(0, limit);
};

class Board implements Blackboard {
  readonly #size: number;
  #insights: Insight[] = [];
  #gone = 0;

  constructor(size: number) {
    this.#size = size;
  }

  share(insight: Insight): void {
    const importance = Math.min(1, Math.max(0, Number.isFinite(insight.importance) ? insight.importance : 0));
    this.#insights.push({ ...insight, importance, tags: [...insight.tags] });
    if (this.#insights.length > this.#size) {
      this.#insights = this.#insights.slice(-this.#size);
      this.#gone += 1;
    }
  }

  query(query?: InsightQuery): readonly Insight[] {
    return queryInsights(this.#insights, query);
  }

  statistics(): InsightStatistics {
    const insights = this.#insights;
    return {
      insights: insights.length,
      agents: [...new Set(insights.map(({ agent }) => agent))],
      tags: countsOf(insights.flatMap(({ tags }) => tags)),
      segments: countsOf(insights.map(({ segment }) => segment)),
      meanImportance:
        insights.length === 0
          ? 0
          : insights.reduce((all, { importance }) => all + importance, 0) / insights.length,
    };
  }

  append(records: readonly MemoryRecord[]): void {
    for (const { agent = '', text, kind, at, metadata } of records)
      this.share({
        agent,
        content: text,
        tags: [kind],
        importance: 0.5,
        segment: 'record',
        at,
        ...(metadata === undefined ? {} : { metadata }),
      });
  }

  recall(query: string, k = 8): readonly MemoryRecord[] {
    const words = new Set(wordsOf(query));
    const fit = ({ content }: Insight): number => wordsOf(content).filter((word) => words.has(word)).length;
    return this.query()
      .map((insight, index) => ({ insight, index, score: fit(insight) }))
      .sort((a, b) => b.score - a.score || a.index - b.index)
      .slice(0, Math.max(0, k))
      .reverse()
      .map(({ insight: { agent, content, at, tags, importance } }) => {
        const metadata = toJson({ tags, importance });
        return { kind: 'fact', text: content, at, agent, metadata: { insight: metadata } };
      });
  }

  summarise(k = 5): string {
    return memoryText(this.recall('', k));
  }

  evict(): number {
    const gone = this.#gone;
    this.#gone = 0;
    return gone;
  }

  reset(): void {
    this.#insights = [];
    this.#gone = 0;
  }
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];

const countsOf = (names: readonly string[]): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
};
