import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DistinctNames } from '../../src/cli/progress/distinct-names.ts';
import { foldRows, noRows } from '../../src/cli/progress/run-rows.ts';
import { progressTable } from '../../src/cli/progress/progress-table.ts';
import { found, LEAVE, plan, scriptedDesk, search } from './desk-scripts.ts';
import { plainText } from '../../src/cli/terminal/paint.ts';

const named = (paths: readonly string[]): readonly string[] => {
  const names = new DistinctNames();
  for (const path of paths) names.add(path);
  return paths.map((path) => names.of(path));
};

describe('agents are called so that no two are called the same', () => {
  test('by the last part of the path, where that says who it is', () => {
    expect(named(['desk/writer-2', 'desk/writer-2/critic-0'])).toEqual(['writer-2', 'critic-0']);
    expect(new DistinctNames().of('desk/research-1')).toBe('research-1');
  });

  test('by more of it, where two end alike', () => {
    expect(named(['a/b-1/c-1', 'a/b-2/c-1', 'a/b-2/d-1'])).toEqual(['b-1/c-1', 'b-2/c-1', 'd-1']);
  });

  test('whatever the paths', () => {
    const part = fc.constantFrom('a-1', 'a-2', 'b-1');
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), (paths) => {
        expect(new Set(named(paths)).size).toBe(paths.length);
      }),
    );
  });

  test('and so the desk shows two researchers as two', async () => {
    const days = 'Everybody has 30 days of leave a year.';
    const findings = [search('days of leave'), found([days, LEAVE])];
    const { desk } = scriptedDesk({
      supervisor: [plan('How many days?', 'Of leave?')],
      researcher: [...findings, ...findings].toSorted(
        (a, b) => Number(typeof a === 'string') - Number(typeof b === 'string'),
      ),
      writer: [`There are 30 days of leave a year. [${LEAVE}]`],
      critic: ['{"verdict": "accept", "note": null}'],
    });
    let rows = noRows;
    const { events } = await desk.run('How much leave do I have?');
    for (const event of events) rows = foldRows(rows, event);
    const lines = progressTable(rows, {
      paint: plainText,
      passed: 0,
      room: 40,
      isOver: true,
    });
    const names = lines.flatMap((line) => /researcher-\d\/researcher-\d/.exec(line)?.[0] ?? []);
    expect(new Set(names).size).toBe(2);
  });
});
