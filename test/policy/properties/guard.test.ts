import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool, type Decision, type RuntimeEvent } from '../../../src/index.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { policy, property } from '../../../src/policy/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { PropertyMonitor } from '../../../src/policy/properties/property-monitor.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { quiet } from '../../support/runs.ts';

const { never, atMost, within } = property;

/** A tool that notes its calls. */
const noting = (
  name: string,
  done: string[],
  options: { readonly approval?: boolean; readonly idempotent?: boolean } = {},
) =>
  tool({
    name,
    description: name,
    safety: 'write',
    exclusive: false,
    approval: options.approval ?? false,
    idempotent: options.idempotent ?? false,
    input: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      await Promise.resolve();
      done.push(`${name} ${amount}`);
      return 'done';
    },
  });

/** Makes these calls, one list a step, and answers with the texts of all results. */
const caller = (
  name: string,
  plan: readonly (readonly string[])[],
  tools: readonly ReturnType<typeof noting>[],
) =>
  agent({
    name,
    tools,
    decide: ({ step, results }): Decision => {
      const wanted = plan[step];
      if (wanted === undefined)
        return { kind: 'answer', answer: results.map(({ text }) => text).join(' | ') };
      return { kind: 'act', calls: wanted.map((each, amount) => ({ name: each, input: { amount } })) };
    },
  });

const guarded = (
  ...properties: Parameters<typeof policy>[0] extends { properties?: infer P } | undefined
    ? P & readonly unknown[]
    : never
) => ({
  safety: policy({ mode: 'bypass', properties }),
});

const deniedBy = (events: readonly RuntimeEvent[]): readonly (string | undefined)[] =>
  events.flatMap((event) => (event.type === 'tool.denied' ? [event.rule] : []));

describe('a property that a policy enforces', () => {
  test('denies the call that would violate it, by its name, and the agent goes on', async () => {
    const done: string[] = [];
    const made = caller('payer', [['pay'], ['check'], ['pay']], [noting('pay', done), noting('check', done)]);
    const result = await made.run('go', guarded(never('pay').before('check')));
    expect(done).toEqual(['check 0', 'pay 0']);
    expect(deniedBy(result.events)).toEqual(['never pay before check']);
    expect(result.stopReason).toEqual({ kind: 'answered' });
  });

  test('says in the result why it was denied', async () => {
    const made = caller('payer', [['pay']], [noting('pay', [])]);
    const result = await made.run('go', guarded(atMost(0, 'pay')));
    expect(result.output).toBe(
      "Cannot run 'pay' as it was denied by the rule 'at most 0 pay': it would violate the run's properties: pay happened more than 0 times",
    );
  });

  test('holds for calls in parallel: of two at once, one is made', async () => {
    const done: string[] = [];
    const result = await caller('payer', [['pay', 'pay']], [noting('pay', done)]).run(
      'go',
      guarded(atMost(1, 'pay')),
    );
    expect(done).toEqual(['pay 0']);
    expect(deniedBy(result.events)).toEqual(['at most 1 pay']);
  });

  test('holds for a whole team: what one member did counts for the others', async () => {
    const done: string[] = [];
    const pay = noting('pay', done);
    const team = parallel({
      name: 'desk',
      members: { ada: caller('ada', [['pay']], [pay]), ben: caller('ben', [['pay']], [pay]) },
    });
    const result = await team.run('go', guarded(atMost(1, 'pay')));
    expect(done).toHaveLength(1);
    expect(deniedBy(result.events)).toEqual(['at most 1 pay']);
  });

  test('holds for calls that people have approved at the same time', async () => {
    const done: string[] = [];
    const handle = caller('payer', [['pay', 'pay']], [noting('pay', done, { approval: true })]).stream(
      'go',
      guarded(atMost(1, 'pay')),
    );
    await quiet();
    for (const { id } of handle.requests) handle.approve(id);
    const result = await handle.result;
    expect(done).toHaveLength(1);
    expect(deniedBy(result.events)).toEqual(['at most 1 pay']);
  });

  test('of an engine holds for its runs, beside those of the run', async () => {
    const done: string[] = [];
    const engine = createGlobalEngine(guarded(atMost(1, 'pay')));
    const made = caller('payer', [['pay'], ['pay'], ['check']], [noting('pay', done), noting('check', done)]);
    const result = await engine.execute(made, 'go', guarded(never('check')));
    expect(done).toEqual(['pay 0']);
    expect(deniedBy(result.events)).toEqual(['at most 1 pay', 'never check']);
    await engine.shutdown();
  });

  test('keeps a model from being asked once more, before it is paid, and falls back to no other', async () => {
    const model = scriptedModel([calls({ name: 'pay', input: { amount: 1 } })]);
    const other = scriptedModel(['I answer in its place.'], 'other');
    const made = agent({ name: 'payer', model: [model, other], tools: [noting('pay', [])] });
    const failed = await made
      .run('go', guarded(within({ modelCalls: 1 })))
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({
      code: 'guardrail.blocked',
      message: expect.stringContaining(
        "Cannot ask scripted:script as the rule 'within 1 modelCalls' denies it: it would violate the run's properties: more than 1 modelCalls were used",
      ),
    });
    expect(model.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(0);
    const { events } = (failed as { result: { events: readonly RuntimeEvent[] } }).result;
    expect(events.filter(({ type }) => type === 'model.asked')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('run.ended');
  });

  test('that throws denies all that follows', async () => {
    const done: string[] = [];
    const broken = property<null>({
      name: 'broken',
      initial: null,
      next: () => {
        throw new Error('no idea');
      },
      violation: () => undefined,
    });
    const result = await caller('payer', [['pay'], ['pay']], [noting('pay', done)]).run(
      'go',
      guarded(broken),
    );
    expect(done).toEqual([]);
    expect(result.output).toContain("denied by the rule 'properties': a property of the run failed: no idea");
    expect(deniedBy(result.events)).toEqual(['properties', 'properties']);
  });

  test('is that of a run, and not of the next one', async () => {
    const done: string[] = [];
    const made = caller('payer', [['pay']], [noting('pay', done)]);
    const options = guarded(atMost(1, 'pay'));
    await made.run('go', options);
    await made.run('go', options);
    expect(done).toEqual(['pay 0', 'pay 0']);
  });

  test('holds when the run is resumed, wherever its process died', async () => {
    const rule = atMost(1, 'pay');
    const make = (done: string[]) =>
      caller(
        'payer',
        [['pay'], ['check'], ['pay']],
        [noting('pay', done, { idempotent: true }), noting('check', done, { idempotent: true })],
      );
    const whole = new PlainStore();
    const plain = await make([]).run('go', { store: whole, runId: 'r', ...guarded(rule) });
    const { records } = await recordsIn(whole, 'r');
    expect(records.length).toBeGreaterThan(20);
    for (let length = 1; length <= records.length; length += 1) {
      const store = PlainStore.with('r', records.slice(0, length));
      const entry = store.entries.get('r');
      if (entry !== undefined) store.entries.set('r', { ...entry, agent: 'payer' });
      const done: string[] = [];
      const handle = await resume(make(done), 'r', { store, ...guarded(rule) });
      const result = await handle.result;
      expect(result.output, `${length} records`).toBe(plain.output);
      // Once more at most: a call that was cut off is repeated, under its key.
      expect(done.filter((each) => each === 'pay 0').length, `${length} records`).toBeLessThanOrEqual(1);
      const monitor = new PropertyMonitor([rule]);
      expect(
        result.events.flatMap((event) => monitor.take(event)),
        `${length} records`,
      ).toEqual([]);
      // A denial that was cut off is said again.
      expect([...new Set(deniedBy(result.events))], `${length} records`).toEqual(['at most 1 pay']);
    }
  });
});

describe('the properties of a policy', () => {
  test('are code: a policy with some is not written as data', () => {
    expect(() => JSON.stringify(policy({ properties: [never('pay')] }))).toThrow(
      "Cannot write the policy as data as its property 'never pay' is code",
    );
  });

  test('have names of their own', () => {
    expect(() => policy({ properties: [never('pay'), never('pay')] })).toThrow(
      "two of its properties are named 'never pay': give one another name, by `named`",
    );
  });

  test('are properties', () => {
    expect(() => policy({ properties: [{ name: 'x' }] as never })).toThrow(
      'not a property: make it by `property` of troupe/policy',
    );
  });
});
