import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { serve } from '../../src/runtime/serve/serve.ts';
import { connect } from '../../src/client/connect.ts';
import type { Json } from '../../src/base/json/json.ts';

const shop = agent({
  name: 'shop',
  input: z.object({ order: z.number() }),
  output: z.object({ total: z.number() }),
});
const clerk = agent({ name: 'clerk' });
const service = serve(createGlobalEngine(), { agents: { shop, clerk } });

test('inputs and answers are those of the agents of the server', async () => {
  const desk = connect<typeof service>('http://localhost');
  const run = await desk.start('shop', { order: 17 });
  expectTypeOf((await run.result).output).toEqualTypeOf<{ total: number } | undefined>();
  const said = await desk.run('clerk', 'Hi');
  expectTypeOf(said.output).toEqualTypeOf<string | undefined>();
  // By its status: one that completed has its output, and no error.
  if (said.status === 'completed') {
    expectTypeOf(said.output).toEqualTypeOf<string>();
    expectTypeOf(said.error).toEqualTypeOf<undefined>();
  } else expectTypeOf(said.output).toEqualTypeOf<undefined>();
  // @ts-expect-error an input that does not fit
  await desk.start('shop', { order: '17' });
  // @ts-expect-error an agent that is not served
  await desk.start('nobody', 'Hi');
});

test('of a server without types anything may be asked', async () => {
  const desk = connect('http://localhost');
  expectTypeOf((await desk.run('clerk', { any: 'thing' })).output).toEqualTypeOf<Json | undefined>();
});
