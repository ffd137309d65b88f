import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkOptions, optionProblems } from '../../src/contracts/errors/check-options.ts';
import {
  aBoolean,
  aFunction,
  byName,
  listOf,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  shortOr,
  wholeNumber,
} from '../../src/base/schemas/option-schemas.ts';
import { nearestName } from '../../src/base/text/nearest-name.ts';

interface Limits {
  readonly warnAt?: number;
  readonly stopAt?: number;
}

interface Options {
  readonly model?: string;
  readonly loops?: false | Limits;
  readonly judge?: () => void;
  readonly critics?: readonly object[];
  readonly parts?: Readonly<Record<string, number>>;
  readonly isQuiet?: boolean;
}

const schema = optionsSchema<Options>({
  model: optional(oneOf(['small', 'large', 'huge'])),
  loops: optional(
    shortOr(
      (given) => given === false,
      optionsSchema<Limits>({ warnAt: optional(wholeNumber(2)), stopAt: optional(wholeNumber(2)) }),
    ),
  ),
  judge: optional(aFunction()),
  critics: optional(listOf(objectWith(['critique'], 'not a critic'))),
  parts: optional(byName(wholeNumber(0))),
  isQuiet: optional(aBoolean()),
});

const about = { code: 'agent.invalid', owner: "the agent 'x'" } as const;

describe('what does not fit is refused in one sentence', () => {
  test.each<[unknown, string]>([
    [{ modle: 'small' }, 'its option `modle` is unknown: did you mean `model`?'],
    [
      { colour: 'red' },
      'its option `colour` is unknown: there are model, loops, judge, critics, parts, isQuiet',
    ],
    [{ loops: { warmAt: 3 } }, 'its option `loops.warmAt` is unknown: did you mean `warnAt`?'],
    [{ loops: { warnAt: 1 } }, 'its loops.warnAt is not a whole number from 2: found 1'],
    [{ loops: true }, 'its loops is not an object: found true'],
    [{ model: 'tiny' }, "its model is not one of small, large, huge: found 'tiny'"],
    [{ judge: 'me' }, "its judge is not a function: found 'me'"],
    [{ critics: {} }, 'its critics is not a list: found {}'],
    [{ critics: [{ critique: () => 1 }, 7] }, 'its critics[1] is not a critic: found 7'],
    [{ parts: { a: -1 } }, 'its parts.a is not a whole number from 0: found -1'],
    [{ isQuiet: 0 }, 'its isQuiet is not a boolean: found 0'],
    [undefined, 'its options are not an object: found nothing'],
    [[], 'its options are not an object: found []'],
  ])('%j', (given, problem) => {
    expect(() => {
      checkOptions(schema, given, about);
    }).toThrow(
      expect.objectContaining({
        code: 'agent.invalid',
        message: `Cannot define the agent 'x' as ${problem}`,
        data: expect.objectContaining({ details: [problem] }),
      }),
    );
  });

  test('all that is wrong is told at once', () => {
    expect(optionProblems(schema, { judge: 1, isQuiet: 'no', modell: 'small' })).toEqual([
      'its judge is not a function: found 1',
      "its isQuiet is not a boolean: found 'no'",
      'its option `modell` is unknown: did you mean `model`?',
    ]);
  });

  test("zod's own schemas serve, too", () => {
    const own = z.strictObject({ rounds: z.number().min(1), title: z.string() });
    expect(optionProblems(own, { rounds: '2', tilte: 'x' })).toEqual([
      "its rounds is not a number: found '2'",
      'its title is not a string: found nothing',
      'its option `tilte` is unknown: Unrecognized key: "tilte"',
    ]);
  });
});

test('what fits is let through, left out or undefined', () => {
  for (const given of [{}, { model: undefined }, { loops: false }, { loops: {} }, { judge: () => 1 }])
    expect(optionProblems(schema, given)).toEqual([]);
});

test.each<[string, string | undefined]>([
  ['modle', 'model'],
  ['Model', 'model'],
  ['instruction', 'instructions'],
  ['zebra', undefined],
  ['', undefined],
  ['m'.repeat(65), undefined],
])('the name nearest to %j is %j', (name, nearest) => {
  expect(nearestName(name, ['name', 'model', 'instructions'])).toBe(nearest);
});
