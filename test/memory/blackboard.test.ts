import { describe, expect, test } from 'vitest';
import { blackboard, queryInsights, type Insight } from '../../src/memory/blackboard.ts';

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
    const board = await blackboard().open({ runId: '1', agent: 'ada' });
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
    const board = await blackboard().open({ runId: '1', agent: 'ada' });
    board.share(insight('x', { importance }));
    expect(board.query()).toMatchObject([{ importance: kept }]);
  });
});

test('[KAIZEN-44] [D11] one run shares a board, and two runs never do', async () => {
  const boards = blackboard();
  const place = (runId: string, agent: string) => boards.open({ runId, agent });
  (await place('1', 'ada')).share(insight('found', { tags: ['vote'] }));
  (await place('2', 'ada')).share(insight('elsewhere', { tags: ['vote'] }));
  expect(contents((await place('1', 'bob')).query({ tags: ['vote'] }))).toEqual(['found']);
  await boards.release({ runId: '1', agent: 'ada' });
  expect((await place('1', 'bob')).query()).toEqual([]);
});
