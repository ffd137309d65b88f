import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import * as house from '../../src/patterns/house.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { definePattern, patternRegistry, pipeline, type race } from '../../src/patterns/index.ts';

const says = (name: string) => agent({ name, decide: () => answer(name) });

const relay = definePattern({
  name: 'relay',
  description: 'Two after one another.',
  setup: z.object({ name: z.string().min(1), members: z.tuple([z.custom<Agent>(), z.custom<Agent>()]) }),
  make: ({ name, members: [first, second] }) => pipeline({ name, stages: [first, second] }),
});

describe('[KAIZEN-46] [D13] the patterns, by name', () => {
  test('those of the house are all there', () => {
    expect(patternRegistry().names).toEqual(Object.keys(house).toSorted());
  });

  test('one of your own is found among them, is checked, and runs', async () => {
    const patterns = patternRegistry([relay]);
    expect(patterns.names).toContain('relay');
    const team = patterns.get('relay')({ name: 'two', members: [says('ann'), says('bob')] });
    expect((await team.run('go')).output).toBe('bob');
  });

  test('what each is given and gives is typed', () => {
    const patterns = patternRegistry([relay]);
    expectTypeOf(patterns.get('race')).toEqualTypeOf<typeof race>();
    expectTypeOf(patterns.get('relay')).parameter(0).toHaveProperty('members');
    // @ts-expect-error there is no such pattern
    expect(() => patterns.get('pyramid')).toThrowError(
      /no pattern 'pyramid': the patterns are .*pipeline.*relay/,
    );
    // @ts-expect-error a relay needs members
    expect(() => patterns.get('relay')({ name: '' })).toThrowError(/does not fit: name: .*; members: /);
    expect(patterns.has('relay')).toBe(true);
    expect(patterns.has('pyramid')).toBe(false);
  });

  test('two of one name are refused, and so is a name that is none', () => {
    expect(() => patternRegistry([relay, relay])).toThrowError("'relay' as there is one of that name");
    expect(() => patternRegistry([{ ...relay, name: 'race' }])).toThrowError("'race'");
    expect(() => definePattern({ name: 'a b', setup: z.object({}), make: () => null })).toThrowError(
      'a pattern',
    );
  });

  test('a schema that answers later is refused when it is asked', () => {
    const slow = definePattern({
      name: 'slow',
      setup: z.object({}).refine(() => Promise.resolve(true)),
      make: () => null,
    });
    expect(() => slow.make({})).toThrowError('answers later');
  });
});

test('[KAIZEN-47] teams nest twelve deep', async () => {
  let subject: Agent<string, string> = says('core');
  for (let depth = 1; depth <= 12; depth += 1)
    subject = pipeline({ name: `ring-${depth}`, stages: [subject] });
  const result = await subject.run('go');
  expect(result.output).toBe('core');
  expect(Math.max(...result.events.map(({ path }) => path.split('/').length))).toBe(13);
});
