import { describe, expect, test } from 'vitest';
import { insightMemory } from '../../src/memory/memories/insight-memory.ts';
import type { Insight } from '../../src/memory/memories/insights.ts';
import { insightBounds, queryInsights } from '../../src/memory/memories/insights.ts';

const insight = (content: string, given: Partial<Insight> = {}): Insight => ({
  agent: 'ada',
  content,
  tags: [],
  importance: 0.5,
  segment: 'main',
  at: 0,
  ...given,
});

const contents = (insights: readonly Insight[]) => insights.map(({ content }) => content);

describe('[KAIZEN-49] insights', () => {
  const all = [
    insight('own', { agent: 'me', importance: 1 }),
    insight('low', { importance: 0.1, tags: ['vote'] }),
    insight('old', { tags: ['vote', 'final'], at: 10 }),
    insight('new', { tags: ['vote'], at: 20 }),
    insight('aside', { segment: 'aside', tags: ['final'], at: 15, importance: 0.9 }),
  ];

  test.each([
    [{}, ['own', 'aside', 'new', 'old', 'low']],
    [{ notBy: 'me' }, ['aside', 'new', 'old', 'low']],
    [{ tags: ['vote', 'final'] }, ['aside', 'new', 'old', 'low']],
    [{ tags: ['vote', 'final'], tagMode: 'all' as const }, ['old']],
    [{ minImportance: 0.5 }, ['own', 'aside', 'new', 'old']],
    [{ segments: ['main'], notBy: 'me' }, ['new', 'old', 'low']],
    [{ maxAgeMs: 5, now: 20 }, ['aside', 'new']],
    [{ maxAgeMs: 5 }, ['aside', 'new']],
    [{ notBy: 'me', limit: 2 }, ['aside', 'new']],
  ])('by %j are %j', (query, found) => {
    expect(contents(queryInsights(all, query))).toEqual(found);
  });

  test('are summed up', async () => {
    const board = await insightMemory().open({ runId: '1', agent: 'ada' });
    for (const each of all) board.share(each);
    expect(board.statistics()).toMatchObject({
      insights: 5,
      agents: ['me', 'ada'],
      tags: { vote: 3, final: 2 },
      segments: { main: 4, aside: 1 },
      meanImportance: expect.closeTo(0.6),
    });
  });

  test.each([
    [1.5, 1],
    [-1, 0],
    [Number.NaN, 0],
  ])('are as important as from 0 to 1: %d is %d', async (importance, kept) => {
    const board = await insightMemory().open({ runId: '1', agent: 'ada' });
    board.share(insight('x', { importance }));
    expect(board.query()).toMatchObject([{ importance: kept }]);
  });
});

test('[D11] one run shares a board, and two runs never do', async () => {
  const boards = insightMemory();
  const place = (runId: string, agent: string) => boards.open({ runId, agent });
  (await place('1', 'ada')).share(insight('found', { tags: ['vote'] }));
  (await place('2', 'ada')).share(insight('elsewhere', { tags: ['vote'] }));
  expect(contents((await place('1', 'bob')).query({ tags: ['vote'] }))).toEqual(['found']);
  await boards.release({ runId: '1', agent: 'ada' });
  expect((await place('1', 'bob')).query()).toEqual([]);
});

describe('[KAIZEN-50] what is shared is bounded', () => {
  const opened = (bounds: { size?: number; maxAgeMs?: number }) =>
    insightMemory(bounds).open({ runId: '1', agent: 'ada' });

  test('one too many, and the least important goes, whoever came last; of equals the oldest', async () => {
    const board = await opened({ size: 2 });
    board.share(insight('great', { importance: 0.9, at: 1 }));
    board.share(insight('small', { importance: 0.1, at: 2 }));
    board.share(insight('fair', { importance: 0.5, at: 3 }));
    expect(contents(board.query())).toEqual(['great', 'fair']);
    board.share(insight('smaller', { importance: 0.2, at: 4 }));
    expect(contents(board.query())).toEqual(['great', 'fair']);
    board.share(insight('as fair', { importance: 0.5, at: 5 }));
    expect(contents(board.query())).toEqual(['great', 'as fair']);
    expect(board.evict()).toBe(3);
  });

  test('past its time an insight is gone, when another comes or when it is asked for', async () => {
    const board = await opened({ maxAgeMs: 10 });
    board.share(insight('old', { importance: 1, at: 0 }));
    board.share(insight('newer', { at: 10 }));
    expect(contents(board.query())).toEqual(['old', 'newer']);
    expect(contents(board.query({ now: 11 }))).toEqual(['newer']);
    board.share(insight('newest', { at: 11 }));
    expect(contents(board.query())).toEqual(['newest', 'newer']);
    expect(board.evict()).toBe(1);
  });

  test.each([
    ['debate', 1_000, 3_600],
    ['consensus', 500, 1_800],
    ['hierarchy', 200, 7_200],
    ['team', 300, 3_600],
  ] as const)('in a %s by %d and %d s', (kind, size, seconds) => {
    expect(insightBounds[kind]).toEqual({ size, maxAgeMs: seconds * 1_000 });
  });
});
