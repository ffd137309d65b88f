import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { branching } from '../../src/actors/strategies/branching.ts';
import { dynamicTree, greedy, keyOf } from '../../src/actors/strategies/search-policy.ts';
import { searchTree } from '../../src/actors/strategies/search-tree.ts';
import { treeSearch } from '../../src/actors/strategies/tree-search.ts';
import { act, answer, bestCandidate } from '../../src/contracts/agents/decision.ts';
import type { Candidate } from '../../src/contracts/agents/decision.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo, settled, start } from '../support/runs.ts';
import { strategic } from './strategic.ts';

const candidate = (label: string, score?: number): Candidate => ({ decision: answer(label), label, score });

/** A tree by labels: what hangs below a path. */
const tree =
  (nodes: Record<string, readonly Candidate[]>) =>
  (path: readonly Candidate[]): readonly Candidate[] =>
    nodes[path.map(({ label }) => label).join('/')] ?? [];

const labels = (path: readonly Candidate[]) => path.map(({ label }) => label);

describe('a search', () => {
  test('[QITOS-15] of the same candidates greedy takes the highest score, the tree the less visited of equals', async () => {
    const expand = () => [candidate('a', 0.5), candidate('b', 0.5), candidate('c', 0.4)];
    const visits = new Map([[keyOf(answer('a')), 1]]);
    expect(labels((await searchTree({ policy: greedy(), expand, visits })).path)).toEqual(['a']);
    expect(labels((await searchTree({ policy: dynamicTree(), expand, visits })).path)).toEqual(['b']);
    // 0.5 + 0.25 / 2 < 0.4 + 0.25: what was never taken may beat what scored higher.
    expect(
      labels(
        (
          await searchTree({
            policy: dynamicTree(),
            expand: () => [candidate('a', 0.5), candidate('c', 0.4)],
            visits,
          })
        ).path,
      ),
    ).toEqual(['c']);
  });

  test('[QITOS-15] without scores those named first count more', async () => {
    const expand = () => [candidate('a'), candidate('b')];
    expect(labels((await searchTree({ policy: greedy(), expand })).path)).toEqual(['a']);
  });

  test('[QITOS-14] expands, scores, prunes and selects, and says so', async () => {
    const { moves } = await searchTree({
      policy: dynamicTree({ keep: 2, minScore: 0.2 }),
      expand: () => [candidate('a'), candidate('b'), candidate('c')],
      score: () => [0.1, 0.9, 0.5],
    });
    expect(moves).toEqual([
      { type: 'expanded', depth: 1, scores: [0.1, 0.9, 0.5] },
      { type: 'pruned', depth: 1, count: 1 },
      { type: 'selected', depth: 1, key: keyOf(answer('b')), score: 0.9 },
    ]);
  });

  test('[QITOS-14] backtracks from a dead end to the best that still waits', async () => {
    const expand = tree({
      '': [candidate('a', 0.9), candidate('b', 0.5), candidate('c', 0.6)],
      c: [candidate('d', 0.1)],
    });
    const { path, moves } = await searchTree({ policy: dynamicTree(), expand, maxDepth: 2 });
    expect(labels(path)).toEqual(['c', 'd']);
    expect(moves.map(({ type }) => type)).toEqual([
      'expanded',
      'selected',
      'backtracked',
      'selected',
      'expanded',
      'selected',
    ]);
  });

  test('where every way is a dead end there is no path, and a score that is none is refused', async () => {
    const expand = tree({ '': [candidate('a', 1), candidate('b', 1)] });
    expect((await searchTree({ policy: dynamicTree(), expand, maxDepth: 3 })).path).toEqual([]);
    await expect(searchTree({ policy: greedy(), expand, score: () => [1] })).rejects.toMatchObject({
      code: 'decision.invalid',
    });
  });

  test('ends, within its expansions and its frontier, whatever the tree', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 12 }),
        async (scores, maxDepth, maxExpansions) => {
          let expansions = 0;
          const expand = () =>
            (scores[expansions++] ?? []).map((score, at) => candidate(`${expansions}.${at}`, score));
          const { path } = await searchTree({
            policy: dynamicTree({ frontier: 3 }),
            expand,
            maxDepth,
            maxExpansions,
          });
          expect(expansions).toBeLessThanOrEqual(maxExpansions);
          expect(path.length).toBeLessThanOrEqual(maxDepth);
        },
      ),
    );
  });

  test('[QITOS-15] in a run, what was done counts as visited, and the first decision of the best path is taken', async () => {
    const say = (text: string, score: number): Candidate => ({
      decision: act({ name: 'echo', input: { text } }),
      score,
    });
    const searched: number[] = [];
    const strategy = treeSearch({
      expand: ({ step }, path) => (step < 3 && path.length === 0 ? [say('a', 0.5), say('b', 0.45)] : []),
      onSearched: ({ moves }) => void searched.push(moves.length),
    });
    const { records, output } = await strategic(strategy, scriptedModel(['done']), { tools: [echo] }).run(
      'go',
    );
    expect(records.flatMap(({ results }) => results.map(({ text }) => text))).toEqual(['a', 'b', 'a']);
    expect(output).toBe('done');
    expect(searched).toEqual([2, 2, 2, 1]);
  });
});

describe('a branch', () => {
  const candidates = [candidate('a', 0.1), candidate('b', 0.9), candidate('c', 0.9)];

  test('[QITOS-14] without a selector the first candidate is taken, with one the one it picks', async () => {
    const propose = () => candidates;
    expect((await strategic(branching({ propose }), scriptedModel([])).run('go')).output).toBe('a');
    const picking = branching({ propose, select: bestCandidate });
    expect((await strategic(picking, scriptedModel([])).run('go')).output).toBe('b');
  });

  test('the agent goes first, and without candidates the model decides', async () => {
    const strategy = branching({ propose: () => [] });
    const own = { decide: () => answer('own') };
    expect((await strategic(strategy, scriptedModel([]), own).run('go')).output).toBe('own');
    expect((await strategic(strategy, scriptedModel(['model'])).run('go')).output).toBe('model');
  });

  test('what was not proposed cannot be picked', async () => {
    const strategy = branching({ propose: () => candidates, select: () => candidate('z') });
    const { error } = await settled(start(strategic(strategy, scriptedModel([])), 'go'));
    expect(error).toMatchObject({ code: 'decision.invalid' });
  });
});
