import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { agent, type Content, type RunHandle } from 'troupe';
import { supervisorWorker } from 'troupe/patterns';
import { useAgent, useRun } from 'troupe/react';

test("an answer has the type of the agent's schema, and is partial until it is whole", () => {
  const writer = agent({
    name: 'writer',
    output: z.object({ title: z.string(), points: z.array(z.object({ text: z.string() })) }),
  });
  const show = () => useAgent(writer);
  type View = ReturnType<typeof show>;
  expectTypeOf<View['output']>().toEqualTypeOf<{ title: string; points: { text: string }[] } | undefined>();
  expectTypeOf<NonNullable<View['partial']>['title']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<NonNullable<NonNullable<View['partial']>['points']>[number]['text']>().toEqualTypeOf<
    string | undefined
  >();
  expectTypeOf<View['send']>().parameter(0).toEqualTypeOf<Content>();
});

test('what it is given has the type of its input', () => {
  const adder = agent({ name: 'adder', input: z.object({ a: z.number() }), output: z.number() });
  const show = () => useAgent(adder, { input: { a: 1 }, limits: { budget: { usd: 1 } } });
  type View = ReturnType<typeof show>;
  expectTypeOf<View['send']>().parameter(0).toEqualTypeOf<{ a: number }>();
  expectTypeOf<View['output']>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error it takes a number
  expectTypeOf(() => useAgent(adder, { input: 'one' })).toBeFunction();
  // @ts-expect-error a run has an id of its own
  expectTypeOf(() => useAgent(adder, { runId: 'mine' })).toBeFunction();
});

test('a team is as good as an agent', () => {
  const team = supervisorWorker({ name: 'desk', supervisor: {}, workers: { ann: agent({ name: 'ann' }) } });
  const show = () => useAgent(team);
  expectTypeOf<ReturnType<typeof show>['text']>().toEqualTypeOf<string>();
});

test('a run is a handle or a URL', () => {
  const show = (handle: RunHandle<number>) => useRun(handle);
  expectTypeOf<ReturnType<typeof show>>().toHaveProperty('progress');
  expectTypeOf(() => useRun('/runs/r1/events')).toBeFunction();
  expectTypeOf(() => useRun(new URL('https://runs.test/r1'))).toBeFunction();
  // @ts-expect-error it is no run
  expectTypeOf(() => useRun(7)).toBeFunction();
});
