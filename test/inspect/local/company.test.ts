import { expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { askOpen, Looker, openInspector } from './local-kit.ts';

const echo = agent({ name: 'echo', decide: ({ input }) => answer(input) });

const pagesOf = (looker: Looker): unknown => JSON.parse(looker.data('company').at(-1) ?? 'null');

test('pages at any runs of an inspector know how many they are: one that looks twice is one', async () => {
  const store = memoryStore();
  await echo.run('x', { store, runId: 'kept' });
  const inspector = await openInspector({ store, agents: [echo] });
  const ann = new Looker(inspector, '/api/recording?page=ann');
  await ann.until(({ sent }) => sent.some(({ event }) => event === 'company'));
  expect(pagesOf(ann)).toEqual({ pages: 1 });
  const again = new Looker(inspector, '/api/stored/kept/recording?page=ann');
  await again.until((looker) => pagesOf(looker) !== null);
  expect(pagesOf(again)).toEqual({ pages: 1 });
  const ben = new Looker(inspector, '/api/stored/kept/recording?page=ben');
  for (const looker of [ann, ben])
    await looker.until((each) => each.data('company').at(-1) === '{"pages":2}');
  ben.close();
  await ann.until((looker) => looker.data('company').at(-1) === '{"pages":1}');
});

test('what one does is said to all; what is refused or only asked for is not', async () => {
  const store = memoryStore();
  await echo.run('x', { store, runId: 'kept' });
  const inspector = await openInspector({ control: true, store, agents: [echo] });
  const looker = new Looker(inspector, '/api/recording?page=ben');
  await looker.until((each) => pagesOf(each) !== null);
  const command = async (body: object): Promise<number> => {
    const { status } = await askOpen(inspector, '/api/control?page=ann', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return status;
  };
  expect(await command({ do: 'pause', run: 'nobody' })).toBe(409);
  await command({ do: 'change-form', run: 'kept', seq: 3 });
  const breakpoint = { kind: 'state', value: 'agent.running' };
  expect(await command({ do: 'break-add', breakpoint })).toBe(200);
  await looker.until((each) => each.data('deed').length > 0);
  expect(await command({ do: 'fork', run: 'kept' })).toBe(200);
  await looker.until((each) => each.data('deed').length > 1);
  expect(looker.data('deed').map((each) => JSON.parse(each) as unknown)).toEqual([
    { by: 'ann', do: 'break-add' },
    { by: 'ann', do: 'fork', run: 'kept' },
  ]);
});
