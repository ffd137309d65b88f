import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { handoff } from '../../src/contracts/agents/decision.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { echo, hang, ofType, quiet, settled, start } from '../support/runs.ts';

const circular = () => {
  const own: { self?: unknown } = {};
  own.self = own;
  return own;
};

/** Has `child` do it, and says how that ended. */
const delegating = (child: Agent) =>
  tool({
    name: 'delegate',
    description: 'Has somebody else do it.',
    input: z.object({}),
    execute: async (_, { run }) => {
      const { status, stopReason, output } = await run(child, 'please');
      return `${status}, ${stopReason.kind}: ${output ?? 'nothing'}`;
    },
  });

const wantsToDelegate = calls({ name: 'delegate', input: {} });
const looks = calls({ name: 'echo', input: { text: 'seen' } });

describe('[QITOS-12] decisions', () => {
  test.each([
    ['act without a call', { kind: 'act', calls: [] }, 'calls'],
    ['act with a call of nothing', { kind: 'act', calls: [{ name: '', input: {} }] }, 'calls.0.name'],
    [
      'act on what is no JSON',
      { kind: 'act', calls: [{ name: 'x', input: () => 1 }] },
      'calls[0].input is a function, which is not kept as it is',
    ],
    ['answer without an answer', { kind: 'answer' }, 'answer'],
    ['answer with what holds itself', { kind: 'answer', answer: circular() }, 'decision'],
    ['wait for less than nothing', { kind: 'wait', forMs: -1 }, 'forMs'],
    ['hand off to nobody', { kind: 'handoff', to: '' }, 'to'],
    ['do what there is not', { kind: 'dance' }, 'kind'],
    ['nothing at all', null, 'decision'],
  ])('to %s fails the run, and the message names what is wrong', async (_, decision, where) => {
    // @ts-expect-error: these are no decisions.
    const one = agent({ name: 'a', decide: () => decision });
    const { error, totals } = await settled(start(one, 'go'));
    expect(error).toMatchObject({ code: 'decision.invalid', phase: 'DECIDE' });
    expect(error?.message).toContain(`${where}: `);
    expect(totals.steps).toBe(0);
  });
});

test('[QITOS-92] a handoff ends the run and says to whom and why; nobody is asked after it', async () => {
  const decides = agent({
    name: 'a',
    decide: () => handoff('billing', 'wants a refund'),
    critics: [{ name: 'c', each: 'step', critique: () => Promise.reject(new Error('was asked')) }],
  });
  const { status, stopReason, output, events, totals } = await settled(start(decides, 'go'));
  expect(status).toBe('stopped');
  expect(stopReason).toEqual({ kind: 'handedOff', to: 'billing', message: 'wants a refund' });
  expect(output).toBeUndefined();
  expect(totals.steps).toBe(1);
  expect(ofType(events, 'critic.failed')).toEqual([]);
  expect(ofType(events, 'run.ended')).toMatchObject([{ status: 'stopped', stopReason }]);
});

test('[QITOS-92] a tool may hand off, too, once the calls beside it are through', async () => {
  const transfer = tool({
    name: 'transfer',
    description: 'Hands over.',
    input: z.object({}),
    execute: () => dual({ text: 'Handed over.', control: { type: 'handoff', to: 'billing' } }),
  });
  const both = calls({ name: 'transfer', input: {} }, { name: 'echo', input: { text: 'seen' } });
  const one = agent({ name: 'a', tools: [transfer, echo], model: scriptedModel([both]) });
  const { stopReason, records } = await settled(start(one, 'go'));
  expect(stopReason).toEqual({ kind: 'handedOff', to: 'billing' });
  expect(records[0]?.results.map(({ text }) => text)).toEqual(['Handed over.', 'seen']);
});

describe('[QITOS-93] an agent that a tool runs', () => {
  const ask = async (child: Agent) => {
    const model = scriptedModel([wantsToDelegate, 'above']);
    const parent = agent({ name: 'parent', tools: [delegating(child)], model });
    const result = await settled(start(parent, 'go'));
    const told = model.requests[1]?.messages.at(-1);
    return { ...result, told };
  };

  test('that answers has completed; that met its own limit has not, and the parent goes on either way', async () => {
    const child = (...replies: Parameters<typeof scriptedModel>[0]) =>
      agent({ name: 'child', tools: [echo], stop: maxSteps(2), model: scriptedModel(replies) });
    const answered = await ask(child('below'));
    expect(answered.told?.text).toBe('completed, answered: below');
    const cut = await ask(child(looks, looks, looks));
    expect(cut.told?.text).toBe('stopped, maxSteps: nothing');
    expect([answered.output, cut.output]).toEqual(['above', 'above']);
  });

  test('that fails is a failed result of the tool, with what went wrong below', async () => {
    const { told, output, events } = await ask(
      agent({ name: 'child', model: scriptedModel([new Error('it is dark here')]) }),
    );
    expect(told).toMatchObject({ role: 'tool', failed: true });
    expect(told?.text).toContain('it is dark here');
    expect(output).toBe('above');
    expect(ofType(events, 'member.ended')).toMatchObject([{ member: 'child', status: 'failed' }]);
  });

  test('is part of the run: its events lie below, its steps and calls count, and an abort reaches it', async () => {
    const child = agent({ name: 'child', tools: [echo], model: scriptedModel([looks, 'below']) });
    const { totals, events } = await ask(child);
    expect(totals).toMatchObject({ steps: 4, modelCalls: 4, toolCalls: 2 });
    expect(new Set(events.map(({ path }) => path))).toEqual(new Set(['parent', 'parent/child-0']));

    const stuck = agent({
      name: 'child',
      tools: [hang],
      model: scriptedModel([calls({ name: 'hang', input: {} })]),
    });
    const parent = agent({
      name: 'parent',
      tools: [delegating(stuck)],
      model: scriptedModel([wantsToDelegate]),
    });
    const handle = start(parent, 'go');
    await quiet();
    handle.abort('enough');
    const aborted = await settled(handle);
    expect(aborted.status).toBe('aborted');
    expect(ofType(aborted.events, 'member.ended')).toMatchObject([{ member: 'child', status: 'aborted' }]);
  });
});
