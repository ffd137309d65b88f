import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, replay, resume, tool, type Decision } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const send = tool({
  name: 'send',
  description: 'Sends.',
  safety: 'write',
  idempotent: true,
  input: z.object({ to: z.string() }),
  execute: ({ to }) => Promise.resolve(`sent to ${to}`),
});

/** Answers within the turn that asks. */
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ to: z.string() }),
  execute: ({ to }) => `saw ${to}`,
});

const decider = (name: 'send' | 'look', isThere: boolean) =>
  agent({
    name: 'clerk',
    tools: isThere ? [send, look] : [],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name, input: { to: 'Ada' } }] }
        : { kind: 'answer', answer: results.map(({ text }) => text).join() },
  });

const modelled = (name: 'send' | 'look', isThere: boolean) =>
  agent({
    name: 'clerk',
    tools: isThere ? [send, look] : [],
    model: scriptedModel([calls({ name, input: { to: 'Ada' } }), 'Done.']),
  });

/** A model in a process that goes on: it is asked for what comes after the call only. */
const goingOn = (isThere: boolean) =>
  agent({ name: 'clerk', tools: isThere ? [send, look] : [], model: scriptedModel(['Done.']) });

/** A store as its process left it: the decision to call is on record, and no answer of the tool is. */
const killedBeforeAnswer = async (store: PlainStore): Promise<PlainStore> => {
  const { records } = await recordsIn(store, 'r');
  const answered = records.findIndex(
    (record) =>
      record.kind === 'arrived' && record.arrival.type === 'answered' && record.arrival.key.includes('ACT'),
  );
  return PlainStore.with('r', records.slice(0, answered));
};

describe.each(['send', 'look'] as const)('[FIND-54] a deploy without the tool %s', (name) => {
  test.each([
    {
      what: 'an agent that decides itself',
      begin: decider,
      again: (isThere: boolean) => decider(name, isThere),
    },
    { what: 'an agent with a model', begin: modelled, again: goingOn },
  ])(
    'holds a run of $what that waits for it, and the run goes on once it is there again',
    async ({ begin, again }) => {
      const store = new PlainStore();
      const { output } = await begin(name, true).run('go', { store, runId: 'r' });
      const left = await killedBeforeAnswer(store);
      const held = await resume(again(false), 'r', { store: left });
      await expect(held.result).rejects.toMatchObject({ code: 'tool.missing', tool: name });
      expect(left.entry('r')?.status).toBe('running');
      const { records } = await recordsIn(left, 'r');
      expect(records.some((record) => record.kind === 'event' && record.event.type === 'run.ended')).toBe(
        false,
      );
      const resumed = await (await resume(again(true), 'r', { store: left })).result;
      expect(resumed.output).toBe(output);
      const results = resumed.events.filter((event) => event.type === 'tool.finished');
      expect(results.map(({ ok }) => ok)).not.toContain(false);
      expect((await replay(again(true), 'r', { store: left })).result?.output).toBe(output);
    },
  );
});

test('[FIND-54] a call of a tool that never was is answered as before, wherever the run is resumed', async () => {
  const make = () =>
    agent({
      name: 'clerk',
      decide: ({ step }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'fly', input: {} }] }
          : { kind: 'answer', answer: 'done' },
    });
  const store = new PlainStore();
  await make().run('go', { store, runId: 'r' });
  const resumed = await (await resume(make(), 'r', { store: await killedBeforeAnswer(store) })).result;
  expect(resumed.output).toBe('done');
});

describe('a call that was approved, and whose process ended before it was made', () => {
  const paying = (input: z.ZodType<Record<string, unknown>>) =>
    agent({
      name: 'payer',
      tools: [
        tool({
          name: 'pay',
          description: 'Pays.',
          input,
          approval: true,
          idempotent: true,
          execute: (given) => JSON.stringify(given),
        }),
      ],
      decide: ({ results }): Decision =>
        results.length === 0
          ? { kind: 'act', calls: [{ name: 'pay', input: { amount: 3 } }] }
          : { kind: 'answer', answer: `${results[0]?.ok} ${results[0]?.text}` },
    });

  /** The run as its process left it right after the yes. */
  const approved = async (): Promise<PlainStore> => {
    const store = new PlainStore();
    const handle = paying(z.object({ amount: z.number() })).stream('go', { store, runId: 'r' });
    for await (const event of handle) if (event.type === 'tool.approval-requested') handle.approve(event.id);
    const { records } = await recordsIn(store, 'r');
    const made = records.findIndex(
      (record) => record.kind === 'event' && record.event.type === 'tool.started',
    );
    return PlainStore.with('r', records.slice(0, made));
  };

  test.each([
    ['checks at once', z.object({ cents: z.number() })],
    ['checks asynchronously', z.object({ cents: z.number() }).refine(() => Promise.resolve(true))],
  ])('is held where its tool takes another input and %s, and is made by the old one', async (_, other) => {
    const left = await approved();
    const held = await resume(paying(other), 'r', { store: left });
    await expect(held.result).rejects.toMatchObject({ code: 'tool.missing', tool: 'pay' });
    expect(left.entry('r')?.status).toBe('running');
    const resumed = await resume(paying(z.object({ amount: z.number() })), 'r', { store: left });
    expect((await resumed.result).output).toBe('true {"amount":3}');
  });
});

test('nobody is asked to approve a call whose input its tool does not take: its agent gets the error', async () => {
  const clerk = agent({
    name: 'clerk',
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ amount: z.number() }),
        approval: true,
        execute: () => 'paid',
      }),
    ],
    decide: ({ results }): Decision =>
      results.length === 0
        ? { kind: 'act', calls: [{ name: 'pay', input: { amount: 'three' } }] }
        : { kind: 'answer', answer: results.map(({ text }) => text).join() },
  });
  const { output, events, records } = await clerk.run('go');
  expect(output).toMatch(/^Cannot call 'pay' as its input does not fit: .*amount/);
  expect(records[0]?.results[0]).toMatchObject({ kind: 'validation', error: { code: 'tool.input-invalid' } });
  expect(events.map(({ type }) => type)).not.toContain('tool.approval-requested');
  expect(events.find(({ type }) => type === 'tool.started')).toMatchObject({ synthesised: true });
});
