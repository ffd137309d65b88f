import { createActor, toPromise, waitFor } from 'xstate';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { LogicOptions } from '../../../src/runtime/embed/logic-options.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { quiet } from '../../support/runs.ts';

const KEY = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const secret = () => z.string().meta({ writeOnly: true });
const CARD = '4929-5312-0981';
const TOKEN = 'token-of-ada-71';

/** A cashier whose one call waits for a person's yes; what it is called with is seen. */
const cashier = () => {
  const seen: unknown[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ card: secret(), amount: z.number() }),
    approval: true,
    execute: (input) => {
      seen.push(input);
      return 'paid';
    },
  });
  const till = agent({
    name: 'till',
    input: z.object({ token: secret(), amount: z.number() }),
    tools: [pay],
    decide: ({ step, input }) =>
      step === 0
        ? act({ name: 'pay', input: { card: CARD, amount: input.amount } })
        : answer(`paid by ${input.token}`),
  });
  return { seen, till };
};

const INPUT = { token: TOKEN, amount: 42 };
const APPROVAL = { type: 'approve', id: 'call_0_0' } as const;
const kept = (actor: { getPersistedSnapshot(): unknown }): string =>
  JSON.stringify(actor.getPersistedSnapshot());

/** A snapshot that was taken in mid-run. */
const persisted = async (options: LogicOptions): Promise<string> => {
  const actor = createActor(cashier().till.logicWith(options), { input: INPUT }).start();
  await waitFor(actor, (snapshot) => snapshot.can(APPROVAL));
  const snapshot = kept(actor);
  actor.stop();
  return snapshot;
};

const restored = (options: LogicOptions, snapshot: string) => {
  const { seen, till } = cashier();
  const logic = till.logicWith(options);
  const actor = createActor(logic, { snapshot: JSON.parse(snapshot) as never } as never);
  return { seen, actor: actor as ReturnType<typeof createActor<typeof logic>> };
};

const hidesAll = (snapshot: string): void => {
  expect(snapshot).not.toContain(CARD);
  expect(snapshot).not.toContain(TOKEN);
};

describe('a snapshot of a run that has secret fields', () => {
  test('[FIND-08] holds their values sealed, and goes on where the same key is given', async () => {
    const snapshot = await persisted({ secretKey: KEY });
    hidesAll(snapshot);
    const { seen, actor } = restored({ secretKey: KEY }, snapshot);
    expect(actor.getSnapshot().value).toEqual({ running: 'ACT' });
    // Persisted again before it is open: what it was given.
    expect(JSON.parse(kept(actor)).troupe).toEqual(JSON.parse(snapshot).troupe);
    actor.start();
    await waitFor(actor, (shown) => shown.can(APPROVAL));
    const again = kept(actor);
    hidesAll(again);
    actor.send(APPROVAL);
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: `paid by ${TOKEN}` });
    expect(seen).toEqual([{ card: CARD, amount: 42 }]);

    const third = restored({ secretKey: [OTHER, KEY] }, again);
    third.actor.start();
    await waitFor(third.actor, (shown) => shown.can(APPROVAL));
    third.actor.send(APPROVAL);
    expect(await toPromise(third.actor)).toMatchObject({ output: `paid by ${TOKEN}` });
    expect(third.seen).toEqual([{ card: CARD, amount: 42 }]);
  });

  test('[FIND-08] is a named error without a key, with another one, and with one that is none', async () => {
    const snapshot = await persisted({ secretKey: KEY });
    const codeOf = async (options: LogicOptions, given = snapshot): Promise<string | undefined> =>
      (await toPromise(restored(options, given).actor.start())).error?.code;
    expect(await codeOf({})).toBe('secret.missing');
    expect(await codeOf({ secretKey: OTHER })).toBe('secret.wrong-key');
    expect(await codeOf({ secretKey: 'too short' })).toBe('secret.invalid');
    const unsealed = await persisted({});
    hidesAll(unsealed);
    expect(await codeOf({ secretKey: KEY }, unsealed)).toBe('secret.missing');
  });

  test('[FIND-08] that was taken before the run began has its input sealed, too', async () => {
    const actor = createActor(cashier().till.logicWith({ secretKey: KEY }), { input: INPUT });
    // There is no synchronous cipher in browsers: so early there are no values, but no secrets either.
    hidesAll(kept(actor));
    let snapshot = kept(actor);
    while (!snapshot.includes('"fields"')) {
      await quiet();
      snapshot = kept(actor);
    }
    hidesAll(snapshot);
    const { seen, actor: second } = restored({ secretKey: KEY }, snapshot);
    second.start();
    await waitFor(second, (shown) => shown.can(APPROVAL));
    second.send(APPROVAL);
    expect(await toPromise(second)).toMatchObject({ output: `paid by ${TOKEN}` });
    expect(seen).toEqual([{ card: CARD, amount: 42 }]);
    hidesAll(kept(createActor(cashier().till.logic, { input: INPUT })));
  });

  test('[FIND-08] of an actor that was stopped and started goes on all the same', async () => {
    const { seen, till } = cashier();
    const actor = createActor(till.logicWith({ secretKey: KEY }), { input: INPUT }).start();
    await waitFor(actor, (snapshot) => snapshot.can(APPROVAL));
    actor.stop();
    await quiet();
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.can(APPROVAL));
    const snapshot = kept(actor);
    hidesAll(snapshot);
    actor.send(APPROVAL);
    expect(await toPromise(actor)).toMatchObject({ status: 'completed' });
    expect(seen).toHaveLength(1);
    const second = restored({ secretKey: KEY }, snapshot);
    second.actor.start();
    await waitFor(second.actor, (shown) => shown.can(APPROVAL));
    second.actor.send(APPROVAL);
    expect(await toPromise(second.actor)).toMatchObject({ output: `paid by ${TOKEN}` });
  });
});
