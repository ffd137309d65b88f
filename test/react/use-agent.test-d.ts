import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { agent, createGlobalEngine, type Content, type RunHandle } from 'troupe';
import { connect } from 'troupe/client';
import { supervisorWorker } from 'troupe/patterns';
import { useAgent, useRun } from 'troupe/react';
import { serve } from 'troupe/server';

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

test('an agent of a server has the types that the server has', () => {
  const shop = agent({
    name: 'shop',
    input: z.object({ order: z.number() }),
    output: z.object({ total: z.number(), lines: z.array(z.object({ name: z.string() })) }),
  });
  const team = supervisorWorker({ name: 'desk', supervisor: {}, workers: { ann: agent({ name: 'ann' }) } });
  const service = serve(createGlobalEngine(), { agents: { shop, desk: team } });
  const served = connect<typeof service>('http://localhost');
  const show = () => useAgent(served.agent('shop'), { input: { order: 17 }, thread: 'one' });
  type View = ReturnType<typeof show>;
  expectTypeOf<View['output']>().toEqualTypeOf<{ total: number; lines: { name: string }[] } | undefined>();
  expectTypeOf<NonNullable<View['partial']>['total']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<View['send']>().parameter(0).toEqualTypeOf<{ order: number }>();
  expectTypeOf<View['runId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<View['connection']>().toEqualTypeOf<'idle' | 'connecting' | 'open' | 'waiting' | 'closed'>();
  const showTeam = () => useAgent(served.agent('desk'));
  expectTypeOf<ReturnType<typeof showTeam>['output']>().toEqualTypeOf<string | undefined>();
  // What takes a view of an agent of this page takes that of one elsewhere.
  const here = () => useAgent(shop);
  expectTypeOf<View>().toExtend<ReturnType<typeof here>>();
  // @ts-expect-error an input that does not fit
  expectTypeOf(() => useAgent(served.agent('shop'), { input: { order: '17' } })).toBeFunction();
  // @ts-expect-error an agent that is not served
  expectTypeOf(() => useAgent(served.agent('nobody'))).toBeFunction();
  // @ts-expect-error the model is the server's to choose
  expectTypeOf(() => useAgent(served.agent('shop'), { model: 'openai:gpt-5' })).toBeFunction();
  // @ts-expect-error only a view of a run elsewhere has a connection
  expectTypeOf(() => useAgent(shop).connection).toBeFunction();
});

test('an agent of a server without types takes anything', () => {
  const show = () => useAgent(connect('http://localhost').agent('any'));
  expectTypeOf<ReturnType<typeof show>['send']>().parameter(0).toEqualTypeOf<unknown>();
});
