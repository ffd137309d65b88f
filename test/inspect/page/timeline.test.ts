import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countBelow, Timeline } from '../../../src/inspect/page/timeline.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';

const names = ['a', 'b', 'c'];

/** A recording of three actors that move and go as it happens. */
const recordings = fc
  .array(
    fc.record({
      actor: fc.constantFrom(...names),
      kind: fc.constantFrom('moved' as const, 'published' as const, 'gone' as const),
      key: fc.constantFrom('x', 'y'),
      value: fc.integer(),
    }),
    { maxLength: 60 },
  )
  .map((steps): readonly Entry[] => {
    const come = names.map((name, n): Entry => ({
      n,
      at: n,
      kind: 'actor',
      actor: name,
      run: 'r',
      name,
      role: 'agent',
    }));
    const rest = steps.map(({ actor, kind, key, value }, index): Entry => {
      const base = { n: names.length + index, at: index, actor };
      if (kind === 'gone') return { ...base, kind, status: 'done' };
      const about = { v: 1 as const, at: index, runId: 'r', path: actor, agent: actor };
      if (kind === 'published') return { ...base, kind, event: { ...about, seq: index, type: 'run.paused' } };
      const moved: Entry = { ...base, kind, on: 'e', arrows: [`${key}`], states: [`s${value}`] };
      // Some moves change nothing of what it knows.
      return value % 3 === 0 ? moved : { ...moved, patch: { [key]: value } };
    });
    return [...come, ...rest];
  });

const stood = (entries: readonly Entry[], length: number): unknown => {
  const tableau = new Tableau();
  for (const entry of entries.slice(0, length)) tableau.apply(entry);
  return JSON.parse(JSON.stringify(tableau));
};

describe('the timeline of a recording', () => {
  test('shows everybody as they stood at any place, in whatever order it is gone to', () => {
    fc.assert(
      fc.property(recordings, fc.array(fc.nat({ max: 70 }), { minLength: 1 }), (entries, places) => {
        const timeline = new Timeline();
        for (const entry of entries) timeline.add(entry);
        for (const place of places) {
          const length = Math.min(place, entries.length);
          expect(JSON.parse(JSON.stringify(timeline.at(place)))).toEqual(stood(entries, length));
        }
      }),
    );
  });

  test('shows the same places from a base on, and where it forgot what is old', () => {
    fc.assert(
      fc.property(
        recordings,
        fc.nat({ max: 30 }),
        fc.integer({ min: 1, max: 20 }),
        (entries, cut, capacity) => {
          const base = new Tableau();
          for (const entry of entries.slice(0, cut)) base.apply(entry);
          const timeline = new Timeline(base.toJSON(), capacity);
          for (const entry of entries.slice(cut)) timeline.add(entry);
          expect(timeline.length - timeline.first).toBeLessThan(2 * capacity);
          for (let place = timeline.first; place <= timeline.length; place += 1)
            expect(JSON.parse(JSON.stringify(timeline.at(place)))).toEqual(stood(entries, place));
        },
      ),
    );
  });

  test('goes to any place of 20,000 entries from a tableau that is kept near it', () => {
    const timeline = new Timeline();
    timeline.add({ n: 0, at: 0, kind: 'actor', actor: 'a', run: 'r', name: 'a', role: 'agent' });
    for (let n = 1; n < 20_000; n += 1)
      timeline.add({ n, at: n, kind: 'moved', actor: 'a', on: 'e', arrows: ['x'], states: [`s${n}`] });
    for (const place of [1, 1_999, 2_000, 2_001, 9_999, 19_999, 4_000, 3_999])
      expect(timeline.at(place).actors.get('a')?.taken.get('x') ?? 0).toBe(place - 1);
  });

  test('takes in no entry twice, and none before those in between', () => {
    const timeline = new Timeline();
    const entry = (n: number): Entry => ({
      n,
      at: 0,
      kind: 'actor',
      actor: `${n}`,
      run: 'r',
      name: '',
      role: 'agent',
    });
    expect([0, 0, 2, 1, 2].map((n) => timeline.add(entry(n)))).toEqual([true, false, false, true, true]);
    expect([...timeline.between(1, 9)].map(({ n }) => n)).toEqual([1, 2]);
  });

  test('finds the last move that changed what an actor knows: moves that change nothing do not hide it', () => {
    fc.assert(
      fc.property(recordings, (entries) => {
        const timeline = new Timeline();
        for (const entry of entries) timeline.add(entry);
        for (const name of names) {
          const [, ...moves] = timeline.placesOf(name).moved.flatMap((n) => timeline.entry(n) ?? []);
          const changing = moves.filter(
            (entry) => entry.kind === 'moved' && Object.keys(entry.patch ?? {}).length > 0,
          );
          expect(timeline.lastChange(name, timeline.length)).toEqual(changing.at(-1));
        }
      }),
    );
  });

  test('knows what an actor knew before it last moved', () => {
    fc.assert(
      fc.property(recordings, (entries) => {
        const timeline = new Timeline();
        for (const entry of entries) timeline.add(entry);
        for (const name of names) {
          const { moved } = timeline.placesOf(name);
          const last = moved.at(-1);
          const entry = last === undefined ? undefined : timeline.entry(last);
          if (last === undefined || entry?.kind !== 'moved') continue;
          const before = timeline.at(last).actors.get(name)?.context ?? {};
          const expected = Object.keys(entry.patch ?? {}).flatMap((key) =>
            key in before ? [[key, before[key]] as const] : [],
          );
          expect(timeline.contextBefore(name, timeline.length)).toEqual(new Map(expected));
        }
      }),
    );
  });
});

test('how many numbers are below a bound is found by halves', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 })),
      fc.integer({ min: -1, max: 51 }),
      (numbers, bound) => {
        const sorted = numbers.toSorted((one, other) => one - other);
        expect(countBelow(sorted, bound)).toBe(sorted.filter((each) => each < bound).length);
      },
    ),
  );
});
