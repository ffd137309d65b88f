import { describe, expect, test } from 'vitest';
import { directionProblem, wakeOf } from '../../src/machines/messages/message-rules.ts';

const PARENT = 'desk';
const CHILD = 'desk/writer-1';
const GRANDCHILD = 'desk/writer-1/checker-2';
const SIBLING = 'desk/critic-3';

/** By kind: from whom to whom it may go, of all who could. */
const table: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'delegation',
    [
      [PARENT, CHILD],
      [CHILD, GRANDCHILD],
    ],
  ],
  [
    'status',
    [
      [CHILD, PARENT],
      [GRANDCHILD, CHILD],
    ],
  ],
  [
    'completion',
    [
      [CHILD, PARENT],
      [GRANDCHILD, CHILD],
    ],
  ],
  [
    'clarification',
    [
      [PARENT, CHILD],
      [CHILD, GRANDCHILD],
      [CHILD, PARENT],
      [GRANDCHILD, CHILD],
    ],
  ],
  [
    'escalation',
    [
      [CHILD, PARENT],
      [GRANDCHILD, CHILD],
      [GRANDCHILD, PARENT],
    ],
  ],
];
const everybody = [PARENT, CHILD, GRANDCHILD, SIBLING];
const pairs = everybody.flatMap((from) =>
  everybody.filter((to) => to !== from).map((to) => [from, to] as const),
);
const bySibling = ([from, to]: readonly [string, string]) => from === SIBLING || to === SIBLING;

describe('what may be said to whom', () => {
  test.each(table)('[KAIZEN-82] [M60] %s goes one way only', (kind, allowed) => {
    const found = pairs.filter(
      ([from, to]) => directionProblem({ kind, correlation: 'm1' }, from, to) === undefined,
    );
    const within = found.filter((pair) => !bySibling(pair));
    expect(new Set(within.map(String))).toEqual(new Set(allowed.map(String)));
    // Siblings have the same parent, and that is all.
    const withSibling = found.filter(bySibling);
    expect(withSibling.every((pair) => pair.includes(PARENT))).toBe(true);
  });

  test.each(['system', 'answer', 'chat', undefined])('[KAIZEN-82] %s goes to anybody', (kind) => {
    for (const [from, to] of pairs)
      expect(directionProblem({ kind, correlation: 'm1' }, from, to)).toBeUndefined();
  });

  test.each(['completion', 'answer'])('[KAIZEN-82] %s has to name what it belongs to', (kind) => {
    expect(directionProblem({ kind }, CHILD, PARENT)).toBe(
      `a '${kind}' has to name what it belongs to (correlation)`,
    );
  });

  test('a refusal says where it would go', () => {
    expect(directionProblem({ kind: 'status' }, PARENT, CHILD)).toBe(
      "a 'status' goes to the parent of who sends it",
    );
    // No name is a part of another.
    expect(directionProblem({ kind: 'escalation' }, 'desk-2/writer-1', 'desk')).toBe(
      "a 'escalation' goes to somebody above who sends it",
    );
  });
});

describe('in whose wake something is said', () => {
  test('what follows from the messages that were read last counts on from the deepest', () => {
    expect(wakeOf([])).toEqual({});
    expect(wakeOf([{ from: 'person', text: 'go' }])).toEqual({});
    const first = { from: 'ada', text: 'go', id: 'm1' };
    expect(wakeOf([first])).toEqual({ causation: 'm1', task: 'm1', hops: 1 });
    const deep = { from: 'bob', text: 'on', id: 'm7', task: 'm2', hops: 4 };
    expect(wakeOf([first, deep])).toEqual({ causation: 'm7', task: 'm2', hops: 5 });
  });
});
