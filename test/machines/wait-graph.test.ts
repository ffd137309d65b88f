import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WaitGraph } from '../../src/machines/messages/wait-graph.ts';
import type { Wait, WaitKind } from '../../src/machines/messages/wait-graph.ts';
import { sized } from '../support/thorough.ts';

const numRuns = sized(300, 10_000);

const kinds: readonly WaitKind[] = ['ask', 'child', 'lock', 'slot', 'call'];
const kind = fc.constantFrom(...kinds);
const wait = (
  who: string,
  on: string | readonly string[],
  extra: Partial<Wait<string>> = {},
): Wait<string> => ({
  who,
  on: typeof on === 'string' ? [on] : on,
  kind: 'ask',
  ...extra,
});
const names = (circle: readonly { readonly from: string; readonly to: string }[] | undefined) =>
  circle?.map(({ from, to }) => `${from} → ${to}`);

/** Arrows from lower to higher numbers only: there is no circle in any order of them. */
const acyclic = fc
  .array(fc.tuple(fc.nat(30), fc.nat(30), kind, fc.boolean()), { maxLength: 80 })
  .map((arrows) => arrows.filter(([from, to]) => from !== to));

describe('the wait graph', () => {
  test('[TENEX-Q16] [KAIZEN-52] a circle of 2 to 10 is found at the very wait that closes it, and named', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10 }).chain((size) =>
          fc.record({
            size: fc.constant(size),
            order: fc.shuffledSubarray(
              Array.from({ length: size }, (_, at) => at),
              { minLength: size },
            ),
            kinds: fc.array(kind, { minLength: size, maxLength: size }),
            others: acyclic,
          }),
        ),
        ({ size, order, kinds: by, others }) => {
          const graph = new WaitGraph<string>();
          // Bystanders who wait for members of the circle, and for each other: none of them is in it.
          for (const [from, to, each] of others)
            graph.add(wait(`other-${Math.min(from, to)}`, `other-${Math.max(from, to)}`, { kind: each }));
          graph.add(wait('other-0', 'party-0'));
          const arrow = (at: number) =>
            wait(`party-${at}`, `party-${(at + 1) % size}`, { kind: by[at] ?? 'ask' });
          for (const at of order.slice(0, -1)) expect(graph.add(arrow(at))).toBeUndefined();
          const last = order.at(-1) ?? 0;
          const circle = graph.add(arrow(last));
          expect(names(circle)).toEqual(
            Array.from({ length: size }, (_, step) => {
              const at = (last + step) % size;
              return `party-${at} → party-${(at + 1) % size}`;
            }),
          );
          // It was not taken in: without any other of them, all can go on.
          expect([...graph.waitsOf(`party-${last}`)]).toEqual([]);
        },
      ),
      { numRuns: sized(100, 2_000) },
    );
  });

  test('[TENEX-Q16] graphs without a circle raise no alarm, whatever comes and goes', () => {
    fc.assert(
      fc.property(acyclic, fc.infiniteStream(fc.boolean()), (arrows, goes) => {
        const graph = new WaitGraph<number>();
        const there: Wait<number>[] = [];
        for (const [from, to, each, isOne] of arrows) {
          const next: Wait<number> = {
            who: Math.min(from, to),
            on: [Math.max(from, to)],
            kind: each,
            ...(isOne ? { enough: 'one' } : {}),
          };
          expect(graph.add(next)).toBeUndefined();
          there.push(next);
          const gone = goes.next().value === true ? there.shift() : undefined;
          if (gone !== undefined) graph.remove(gone);
        }
        for (const each of there) graph.remove(each);
        expect(graph.size).toBe(0);
      }),
      { numRuns },
    );
  });

  test('a wait is refused exactly where, without it being over, somebody could never go on', () => {
    const waits = fc.array(
      fc.record({
        who: fc.nat(6),
        on: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 3 }),
        kind,
        enough: fc.constantFrom('one' as const, 'all' as const),
      }),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(waits, (given) => {
        const graph = new WaitGraph<number>();
        const taken: Wait<number>[] = [];
        for (const each of given) {
          const circle = graph.add(each);
          expect(circle !== undefined).toBe(isDeadlocked([...taken, each]));
          if (circle === undefined) {
            taken.push(each);
            continue;
          }
          // Each arrow is a wait of its own party, and they come round.
          expect(circle[0]?.from).toBe(each.who);
          expect(circle.at(-1)?.to).toBe(each.who);
          for (const [at, { from, to, wait: by }] of circle.entries()) {
            expect(by.who).toBe(from);
            expect(by.on).toContain(to);
            expect(from).toBe(circle.at(at - 1)?.to);
          }
        }
      }),
      { numRuns },
    );
  });

  test('who waits for a place that several hold waits for any of them', () => {
    const graph = new WaitGraph<string>();
    graph.add(wait('ada', 'cy'));
    expect(graph.add(wait('cy', ['ada', 'bob'], { kind: 'slot', enough: 'one' }))).toBeUndefined();
    // Now the other holder would wait for it, too.
    expect(names(graph.add(wait('bob', 'cy')))).toEqual(['bob → cy', 'cy → bob']);
  });

  test('a resource that changes hands waits for whoever holds it', () => {
    const graph = new WaitGraph<string>();
    const held = wait('lock:db', 'ada', { kind: 'lock' });
    graph.add(held);
    graph.add(wait('bob', 'lock:db', { kind: 'lock', what: 'db' }));
    expect(names(graph.add(wait('ada', 'bob')))).toEqual(['ada → bob', 'bob → lock:db', 'lock:db → ada']);
    graph.remove(held);
    graph.add(wait('lock:db', 'bob', { kind: 'lock' }));
    expect(graph.add(wait('ada', 'bob'))).toBeUndefined();
  });

  test('who waits for itself is told so, and who is gone waits for nobody', () => {
    const graph = new WaitGraph<string>();
    expect(names(graph.add(wait('ada', 'ada')))).toEqual(['ada → ada']);
    graph.add(wait('ada', 'bob'));
    graph.forget('ada');
    expect(graph.add(wait('bob', 'ada'))).toBeUndefined();
    // What was never there, or is gone already, is no matter.
    graph.remove(wait('ada', 'bob'));
    expect(graph.size).toBe(1);
  });

  test('a wait costs what is reached from it, not what there is', () => {
    const graph = new WaitGraph<number>();
    // Ten thousand children of one; each would be quadratic if the graph were gone through.
    for (let child = 1; child <= 10_000; child += 1) graph.add({ who: 0, on: [child], kind: 'child' });
    expect(graph.circleOf({ who: 5_000, on: [0], kind: 'ask' })?.map(({ to }) => to)).toEqual([0, 5_000]);
    expect(graph.circleOf({ who: 5_000, on: [5_001], kind: 'ask' })).toBeUndefined();
  });
});

/** By definition: who can go on does, and lets others go on; whoever is left never will. */
const isDeadlocked = (waits: readonly Wait<number>[]): boolean => {
  const going = new Set(
    Array.from({ length: 7 }, (_, party) => party).filter((party) => waits.every(({ who }) => who !== party)),
  );
  for (let before = -1; before !== going.size;) {
    before = going.size;
    for (let party = 0; party < 7; party += 1) {
      const own = waits.filter(({ who }) => who === party);
      const isOver = ({ on, enough }: Wait<number>): boolean =>
        enough === 'one' ? on.some((each) => going.has(each)) : on.every((each) => going.has(each));
      if (own.every(isOver)) going.add(party);
    }
  }
  return going.size < 7;
};
