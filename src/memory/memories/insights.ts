import type { JsonObject } from '../../base/json/json.ts';

/** A finding that an agent shares. */
export type Insight = {
  readonly agent: string;
  readonly content: string;
  readonly tags: readonly string[];
  /** From 0 to 1. */
  readonly importance: number;
  /** The aspect of the subject that it concerns. */
  readonly segment: string;
  /** Time, in ms since 1970. */
  readonly at: number;
  readonly metadata?: JsonObject | undefined;
  /** Origins of what its agent had read; see `MemoryRecord`. */
  readonly origins?: readonly string[] | undefined;
};

/** A filter on insights; omitted fields do not filter. */
export type InsightQuery = {
  /** Leaves out those of this agent. */
  readonly notBy?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The tags that a tool needs: all, or one of them. Default `any`. */
  readonly tagMode?: 'any' | 'all' | undefined;
  readonly minImportance?: number | undefined;
  readonly segments?: readonly string[] | undefined;
  /** In ms, counted back from `now`. */
  readonly maxAgeMs?: number | undefined;
  /** In ms since 1970. Default: when the newest insight was had. */
  readonly now?: number | undefined;
  readonly limit?: number | undefined;
};

/** Limits on shared insights. */
export type InsightBounds = {
  /** Insights; one more, and the least important goes, of equals the oldest. */
  readonly size: number;
  /** Time to live, in ms; null: until there is no room. */
  readonly maxAgeMs: number | null;
};

/** Statistics of the stored insights. */
export interface InsightStatistics {
  readonly insights: number;
  readonly agents: readonly string[];
  readonly tags: Readonly<Record<string, number>>;
  readonly segments: Readonly<Record<string, number>>;
  readonly meanImportance: number;
}

/**
 * Proven bounds by kind of cooperation: a debate produces a lot in an hour, a hierarchy little in two.
 *
 * @example insightMemory(insightBounds.consensus) // 500 insights, half an hour
 */
export const insightBounds = {
  debate: { size: 1_000, maxAgeMs: 3_600_000 },
  consensus: { size: 500, maxAgeMs: 1_800_000 },
  hierarchy: { size: 200, maxAgeMs: 7_200_000 },
  team: { size: 300, maxAgeMs: 3_600_000 },
} as const satisfies Readonly<Record<string, InsightBounds>>;

/**
 * Returns matching insights, the most important first, and among equals the newest. Pure.
 *
 * @example queryInsights(insights, { tags: ['risk'], minImportance: 0.5, limit: 3 })
 */
export const queryInsights = (
  insights: readonly Insight[],
  { notBy, tags, tagMode = 'any', minImportance = 0, segments, maxAgeMs, now, limit }: InsightQuery = {},
): readonly Insight[] => {
  const newest = now ?? newestOf(insights);
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

/**
 * Adds an insight, within the bounds: expired ones are dropped, then the least important. Pure; in order of arrival.
 *
 * The new one is not exempt: if it is the least important and there is no room, it is dropped.
 */
export const withInsight = (
  insights: readonly Insight[],
  insight: Insight,
  bounds: InsightBounds,
): readonly Insight[] => {
  const all = [...insights, { ...insight, importance: importanceOf(insight.importance) }];
  const kept = withoutOld(all, bounds, newestOf(all));
  if (kept.length <= bounds.size) return kept;
  const least = leastOf(kept);
  return kept.filter((each) => each !== least);
};

/** The insights that are not too old at a time, in ms since 1970. Pure. */
export const withoutOld = (
  insights: readonly Insight[],
  { maxAgeMs }: InsightBounds,
  now: number,
): readonly Insight[] => insights.filter(({ at }) => maxAgeMs === null || now - at <= maxAgeMs);

/** Computes statistics of insights. Pure. */
export const insightStatistics = (insights: readonly Insight[]): InsightStatistics => ({
  insights: insights.length,
  agents: [...new Set(insights.map(({ agent }) => agent))],
  tags: countsOf(insights.flatMap(({ tags }) => tags)),
  segments: countsOf(insights.map(({ segment }) => segment)),
  meanImportance:
    insights.length === 0
      ? 0
      : insights.reduce((all, { importance }) => all + importance, 0) / insights.length,
});

/** Clamps to 0 to 1; NaN becomes 0. */
const importanceOf = (given: number): number => Math.min(1, Math.max(0, Number.isNaN(given) ? 0 : given));

const newestOf = (insights: readonly Insight[]): number =>
  insights.reduce((latest, { at }) => Math.max(latest, at), 0);

const leastOf = (insights: readonly Insight[]): Insight | undefined =>
  insights.reduce<Insight | undefined>((least, each) => {
    const isLess =
      least === undefined ||
      each.importance < least.importance ||
      (each.importance === least.importance && each.at < least.at);
    return isLess ? each : least;
  }, undefined);

const countsOf = (names: readonly string[]): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
};
