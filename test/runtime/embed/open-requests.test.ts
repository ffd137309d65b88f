import { createActor, toPromise, waitFor } from 'xstate';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** A payer who has to be allowed each payment; each process makes one of its own. */
const payer = (script: Parameters<typeof scriptedModel>[0]) => {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'danger',
    input: z.object({ euros: z.number() }),
    execute: ({ euros }) => {
      paid.push(euros);
      return 'paid';
    },
  });
  return { paid, logic: agent({ name: 'payer', tools: [pay], model: scriptedModel(script) }).logic };
};
const paying = (euros: number) => calls({ name: 'pay', input: { euros } });

test("an actor's snapshot has the requests that are open, and a restored one no stale ones", async () => {
  const first = payer([paying(1), paying(2)]);
  const actor = createActor(first.logic, { input: 'go' }).start();
  const opened = await waitFor(actor, ({ context }) => context.requests.length > 0);
  const [one] = opened.context.requests;
  expect(one).toMatchObject({ kind: 'approval', tool: 'pay', input: { euros: 1 } });
  expect(actor.getSnapshot().context.requests).toBe(opened.context.requests);
  actor.send({ type: 'approve', id: one?.id ?? '' });
  await waitFor(actor, ({ context }) => context.requests.some(({ id }) => id !== one?.id));
  const snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as never;
  actor.stop();

  const second = payer(['Both are paid.']);
  const restored = createActor(second.logic, { snapshot } as never).start();
  const { context } = await waitFor(restored, (shown) => shown.context.requests.length > 0);
  expect(context.requests).toMatchObject([{ input: { euros: 2 } }]);
  restored.send({ type: 'approve', id: context.requests[0]?.id ?? '' });
  expect(await toPromise(restored)).toMatchObject({ output: 'Both are paid.' });
  expect(restored.getSnapshot().context.requests).toEqual([]);
  expect(second.paid).toEqual([2]);
});

test('an approval with arguments that the tool does not take is not possible', async () => {
  const { logic } = payer([paying(1)]);
  const actor = createActor(logic, { input: 'go' }).start();
  const shown = await waitFor(actor, ({ context }) => context.requests.length > 0);
  const id = shown.context.requests[0]?.id ?? '';
  expect(shown.can({ type: 'approve', id, input: { euros: 'many' } })).toBe(false);
  expect(shown.can({ type: 'approve', id, input: { euros: 3 } })).toBe(true);
  expect(shown.can({ type: 'approve', id })).toBe(true);
  actor.stop();
});
