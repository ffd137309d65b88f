import { describe, expect, test } from 'vitest';
import { messageOf, TroupeError } from '../../src/contracts/errors/error.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { patternRegistry } from '../../src/patterns/registry.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { setupRows } from './all-rows.ts';
import type { SetupRow } from './setup-row.ts';
import { EVERY, MEANT } from './setup-row.ts';

/** What JavaScript may put anywhere, and how it is named when it is found. */
const RUBBISH: readonly (readonly [found: unknown, named: string])[] = [
  [undefined, 'nothing'],
  [null, 'null'],
  [3, '3'],
  ['x', "'x'"],
  [[], '[]'],
  [{}, '{}'],
];

/** A refusal names what was found last, but for its advice. */
const names = (said: string, named: string): boolean =>
  said.endsWith(named) || said.includes(`found ${named}, write `);

/** Makes a team as JavaScript may: of anything. */
const make = (pattern: string, setup: unknown): unknown => {
  const patterns = patternRegistry();
  if (!patterns.has(pattern)) throw new Error(`no pattern '${pattern}'`);
  const maker: unknown = patterns.get(pattern);
  if (typeof maker !== 'function') throw new Error(`'${pattern}' makes nothing`);
  return Reflect.apply(maker, undefined, [setup]);
};

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};

/** Everything that somebody may get wrong: what it is, the setup, and what is to be said of it. */
const wrongSetups = ({ setup, options, places }: SetupRow) => {
  const all = [
    ...Object.entries({ ...EVERY, ...options }).map(
      ([option, kind]) => [option, kind, (found: unknown) => ({ [option]: found })] as const,
    ),
    ...Object.entries(places).map(([place, [kind, change]]) => [place, kind, change] as const),
  ];
  return all.flatMap(([what, kind, change]) =>
    RUBBISH.map(([found, named]) => {
      const meant: readonly string[] = MEANT[kind];
      const isName = what === 'name' && named === 'nothing';
      return {
        what,
        named,
        setup: { name: 'team', ...setup, ...change(found) },
        isMeant: meant.includes(named) && !isName,
      };
    }),
  );
};

describe('what cannot be meant is refused with a typed error that says what was found', () => {
  test('there is a row for every pattern', () => {
    expect(setupRows.map(({ pattern }) => pattern).toSorted()).toEqual(patternRegistry().names);
  });

  test.each(setupRows)('$pattern: each option and each member', (row) => {
    expect(make(row.pattern, { name: 'team', ...row.setup })).toBeDefined();
    const wrong = wrongSetups(row).flatMap(({ what, named, setup, isMeant }) => {
      const thrown = thrownBy(() => make(row.pattern, setup));
      const said =
        thrown instanceof TroupeError
          ? thrown.message
          : thrown === undefined
            ? 'taken'
            : `untyped: ${messageOf(thrown)}`;
      const isFine = isMeant ? said === 'taken' : thrown instanceof TroupeError && names(said, named);
      return isFine ? [] : [`${what} = ${named}: ${said}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each(setupRows)('$pattern: anything in place of the whole setup', ({ pattern }) => {
    for (const [found, named] of RUBBISH) {
      const thrown = thrownBy(() => make(pattern, found));
      expect(thrown).toBeInstanceOf(TroupeError);
      // Of an object without anything in it, the name is what is missed first.
      expect(String(thrown)).toMatch(
        named === '{}' ? /nothing$/ : new RegExp(`found ${named.replace('[]', '\\[\\]')}$`),
      );
    }
  });
});

describe('an option of a part of a team', () => {
  const ann = agent({ name: 'ann', decide: () => answer('done') });

  test.each<[pattern: string, setup: object, said: string]>([
    ['pipeline', { stages: [ann, { agent: ann, onerror: 'continue' }] }, 'stage 2 of the team .*`onError`'],
    ['pipeline', { stages: [{ agent: ann, maps: 1 }] }, 'stage 1 of the team .*`map`'],
    ['saga', { steps: { go: { does: ann, undos: ann } } }, "the step 'go' of the team .*`undoes`"],
    ['router', { members: { ann: { agent: ann, skill: ['x'] } } }, 'ann of the team .*`skills`'],
    ['contractNet', { contractors: { ann: { agent: ann, biddr: ann } } }, 'ann of the team .*`bidder`'],
    ['blackboard', { specialists: { ann: { agent: ann, read: {} } } }, 'ann of the team .*`reads`'],
  ])('of %s that there is not is refused, with the nearest name', (pattern, setup, said) => {
    const thrown = thrownBy(() => make(pattern, { name: 'team', ...setup }));
    expect(thrown).toMatchObject({ code: 'team.invalid' });
    expect(messageOf(thrown)).toMatch(new RegExp(`^Cannot define ${said}`));
  });

  test('that is a list, where members have names, says how to write it', () => {
    const bob = agent({ name: 'bob', decide: () => answer('done') });
    expect(messageOf(thrownBy(() => make('parallel', { name: 'team', members: [ann, bob] })))).toBe(
      `Cannot define the team 'team' as its members are not given by name, write { ann, bob }: found ["ann","bob"]`,
    );
  });
});
