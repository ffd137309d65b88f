import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Graph, GraphEdge, GraphNode } from '../../src/coordination/workflow/workflow-graph.ts';
import {
  cycleIn,
  graphProblems,
  impliedEdges,
  kahnOrder,
} from '../../src/coordination/workflow/workflow-graph.ts';
import { referencesIn, resolve } from '../../src/coordination/workflow/workflow-reference.ts';

const RUNS = process.env['TROUPE_FULL'] === '1' ? 10_000 : 500;

const node = (id: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  member: id,
  input: null,
  over: null,
  concurrency: null,
  retry: 2,
  exhausted: 'fail',
  optional: null,
  held: false,
  join: 'all',
  timeMs: null,
  isConditional: false,
  ...more,
});

const edge = (from: string, to: string): GraphEdge => ({ from, to, kind: 'data' });

const graph = (nodes: readonly GraphNode[], edges: readonly GraphEdge[] = [], output = null): Graph => ({
  nodes,
  edges,
  output,
  mode: 'strict',
  concurrency: 8,
  resolveMs: 300_000,
  holdAt: 0.95,
});

/** A graph without circles: edges only go from an earlier to a later node. */
const acyclic = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { selector: ([from, to]) => `${from} ${to}` })
    .map((pairs) => ({
      nodes: Array.from({ length: size }, (_, index) => node(`n${index}`)),
      edges: pairs.filter(([from, to]) => from < to).map(([from, to]) => edge(`n${from}`, `n${to}`)),
    })),
);

describe('the order of nodes', () => {
  test('[KAIZEN-30] by Kahn each node comes once, after all before it, and no circle is seen where there is none', () => {
    fc.assert(
      fc.property(acyclic, ({ nodes, edges }) => {
        const shuffled = nodes.toReversed();
        const order = kahnOrder(shuffled, edges);
        expect(order.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
        for (const { from, to } of edges) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        expect(cycleIn(shuffled, edges)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  test('[KAIZEN-30] an edge backwards that closes a circle is found, and the circle named is one', () => {
    fc.assert(
      fc.property(acyclic, ({ nodes, edges }) => {
        fc.pre(edges.length > 0);
        const [{ from, to }] = edges as [GraphEdge, ...GraphEdge[]];
        const closed = [...edges, edge(to, from)];
        const circle = cycleIn(nodes, closed)?.split(' → ') ?? [];
        expect(circle.length).toBeGreaterThan(2);
        expect(circle.at(0)).toBe(circle.at(-1));
        for (const [index, at] of circle.slice(1).entries())
          expect(closed.some((each) => each.from === circle[index] && each.to === at)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test('a node that comes before itself is a circle of one', () => {
    expect(cycleIn([node('a')], [edge('a', 'a')])).toBe('a → a');
  });
});

describe('what is wrong with a graph is named all at once', () => {
  test('[KAIZEN-26] unknown and doubled ids, references to nobody, and a circle', () => {
    const problems = graphProblems({
      ...graph([
        node('a', { input: { value: '${nobody.text}' } }),
        node('a'),
        node('b', { input: { value: { text: 'the ${item}' } } }),
        node('item'),
      ]),
      edges: [edge('a', 'ghost'), edge('ghost', 'b'), edge('a', 'b'), edge('b', 'a')],
      output: 'nowhere',
    });
    expect(problems).toEqual([
      "several nodes have the id 'a'",
      "the input of 'a' names 'nobody', which there is not (the nodes are 'a', 'a', 'b', 'item')",
      "the input of 'b' refers to ${item}, and it goes over no list",
      "a node cannot be called 'item', which references mean something else by",
      "the data edge from 'a' names 'ghost', which there is not (the nodes are 'a', 'a', 'b', 'item')",
      "the data edge to 'b' names 'ghost', which there is not (the nodes are 'a', 'a', 'b', 'item')",
      "the output names 'nowhere', which there is not (the nodes are 'a', 'a', 'b', 'item')",
      expect.stringMatching(/^its nodes go round in a circle: /),
    ]);
  });

  test('a graph without nodes can do nothing', () => {
    expect(graphProblems(graph([]))).toEqual(['it has no nodes']);
  });

  test('references stand for edges, once for each node, but for the input and the item', () => {
    const found = impliedEdges(
      node('c', { input: { value: ['${a.x}', '${a.y} ${input.z} ${item} ${index}', { deep: '${b}' }] } }),
    );
    expect(found).toEqual([edge('a', 'c'), edge('b', 'c')]);
  });
});

describe('[KAIZEN-29] references', () => {
  const sources = {
    values: { input: 'go', search: { title: 'Tides', list: ['x', { y: 1 }], none: null }, count: 3 },
    absent: new Set(['lost']),
  };

  test.each([
    ['${search.title}', 'Tides'],
    ['${search.list}', ['x', { y: 1 }]],
    ['${search.list.1.y}', 1],
    ['On ${search.title}, ${count} times: ${search.list.1}', 'On Tides, 3 times: {"y":1}'],
    [{ a: ['${input}', 7, null, true] }, { a: ['go', 7, null, true] }],
    ['$${search.title} and ${input}', '${search.title} and go'],
    ['${search.none}', null],
    ['${lost}', null],
    ['${lost.any.field}', null],
    ['no ${ reference } and $ {none}', 'no ${ reference } and $ {none}'],
  ])('%j becomes %j', (template, value) => {
    expect(resolve(template, sources)).toEqual({ ok: true, value });
  });

  test('a missing node or field is named, with what there is, all of them at once', () => {
    expect(
      resolve({ a: '${nobody.text}', b: 'x ${search.titel} ${search.list.9} ${count.x}' }, sources),
    ).toEqual({
      ok: false,
      problems: [
        "${nobody.text}: there is no output of 'nobody'",
        "${search.titel}: 'search' has no field 'titel' (it has title, list, none)",
        "${search.list.9}: 'search.list' has no field '9' (a list of 2)",
        "${count.x}: 'count' has no field 'x' (a number)",
      ],
    });
  });

  test('what objects bring along is no field', () => {
    expect(resolve('${search.constructor}', sources).ok).toBe(false);
    expect(resolve('${search.list.length}', sources).ok).toBe(false);
    expect(resolve('${toString}', sources).ok).toBe(false);
  });

  test('a template without references is what it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const template = value as Parameters<typeof resolve>[0];
        fc.pre(referencesIn(template).length === 0 && !JSON.stringify(template).includes('$$'));
        expect(resolve(template, sources)).toEqual({ ok: true, value: template });
      }),
      { numRuns: RUNS },
    );
  });
});
