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
