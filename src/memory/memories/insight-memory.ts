import { aBound, aTime, optional, shapeWithout } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { toJson } from '../../base/json/json.ts';
import type { Memory, MemoryRecord, MemorySource } from '../../contracts/conversations/memory.ts';
import type { Insight, InsightBounds, InsightQuery, InsightStatistics } from './insights.ts';
import { insightStatistics, queryInsights, withInsight, withoutOld } from './insights.ts';
import { memoryShape, memorySource, type MemoryOptions } from './memory-source.ts';
import { memoryText } from './memory-text.ts';

/** A memory that several agents write to, and find what the others wrote. */
export interface InsightMemory extends Memory {
  share(insight: Insight): void;
  /** The most important first, and of those the newest. */
  query(query?: InsightQuery): readonly Insight[];
  statistics(): InsightStatistics;
}

/** Options of {@link insightMemory}. */
export interface InsightMemoryOptions extends Omit<MemoryOptions, 'files'> {
  /** Insights; one more, and the least important goes, of equals the oldest. Default 1,000. */
  readonly size?: number | undefined;
  /** Time to live, in ms, counted back from the newest insight. Default: until there is no room. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * Findings shared between the agents of one run.
 *
 * Its default scope is the run: votes and results of two runs never mix. For a team whose members take turns at a board
 * use the pattern `blackboard`.
 *
 * @example
 * const insights = insightMemory({ size: 300, maxAgeMs: 3_600_000 });
 * const board = await insights.open({ runId: 'r', agent: 'ada' });
 * board.query({ tags: ['risk'], minImportance: 0.5 });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const insightMemory = (options: InsightMemoryOptions = {}): MemorySource<InsightMemory> => {
  const { size = 1_000, maxAgeMs = null, ...place } = check(options);
  return memorySource('insights', { scope: 'run', ...place }, () =>
    Promise.resolve(new Shared({ size, maxAgeMs })),
  );
};

const check = optionsCheck<InsightMemoryOptions>(
  { code: 'agent.invalid', owner: 'an insight memory' },
  () => ({
    ...shapeWithout(memoryShape(), ['files']),
    size: optional(aBound(0)),
    maxAgeMs: optional(aTime()),
  }),
);

class Shared implements InsightMemory {
  readonly #bounds: InsightBounds;
  #insights: readonly Insight[] = [];
  #gone = 0;

  constructor(bounds: InsightBounds) {
    this.#bounds = bounds;
  }

  share(insight: Insight): void {
    const before = this.#insights.length;
    this.#insights = withInsight(this.#insights, { ...insight, tags: [...insight.tags] }, this.#bounds);
    this.#gone += before + 1 - this.#insights.length;
  }

  query(query: InsightQuery = {}): readonly Insight[] {
    const { now } = query;
    const kept = now === undefined ? this.#insights : withoutOld(this.#insights, this.#bounds, now);
    return queryInsights(kept, query);
  }

  statistics(): InsightStatistics {
    return insightStatistics(this.#insights);
  }

  append(records: readonly MemoryRecord[]): void {
    for (const { agent = '', text, kind, at, metadata, origins } of records)
      this.share({
        agent,
        content: text,
        tags: [kind],
        importance: 0.5,
        segment: 'record',
        at,
        ...(metadata === undefined ? {} : { metadata }),
        ...(origins === undefined ? {} : { origins }),
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
      .map(({ insight: { agent, content, at, tags, importance, origins } }) => {
        const metadata = toJson({ tags, importance });
        const marks = origins === undefined ? {} : { origins };
        return { kind: 'fact', text: content, at, agent, metadata: { insight: metadata }, ...marks };
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
