import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { plan } from '../../src/tools/built-in/plan/plan.ts';
import { planned } from '../../src/tools/built-in/plan/plan-gate.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { PlanInput } from '../../src/tools/plans/plan-state.ts';
import {
  markStep,
  nextStep,
  planIn,
  planStatus,
  revisedPlan,
  withPlan,
} from '../../src/tools/plans/plan-state.ts';
import { performNow } from '../tools/tool-context.ts';

const said = (...statuses: readonly PlanInput['steps'][number]['status'][]): PlanInput => ({
  steps: statuses.map((status, index) => ({ title: `step ${index}`, status })),
  risks: [],
});

const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `step ${index}` }));

describe('[DODO-56] a plan', () => {
  test.each([0, 2, 7])('of %i steps is refused', (count) => {
    expect(performNow(plan, { steps: steps(count) })).toMatchObject({ ok: false, kind: 'validation' });
  });

  test.each([3, 6])('of %i steps stands, and says what is next', (count) => {
    expect(performNow(plan, { steps: steps(count), risks: ['rain'] })).toMatchObject({
      ok: true,
      text: expect.stringContaining('Next: step 0'),
      value: { risks: ['rain'] },
    });
  });

  test('is over when all steps are skipped or done', () => {
    const over = revisedPlan(said('skipped', 'done', 'skipped'));
    expect([planStatus(over), nextStep(over)]).toEqual(['completed', undefined]);
  });
});

describe('[QITOS-73] the state of a plan', () => {
  test('goes from idle through executing to completed, and the next step moves', () => {
    let current = revisedPlan(said('pending', 'pending', 'pending'));
    const seen = [[planStatus(current), nextStep(current)?.title]];
    for (const index of [0, 1, 2]) {
      current = markStep(current, index, 'done');
      seen.push([planStatus(current), nextStep(current)?.title]);
    }
    expect(seen).toEqual([
      ['idle', 'step 0'],
      ['executing', 'step 1'],
      ['executing', 'step 2'],
      ['completed', undefined],
    ]);
  });

  test.each([-1, 3, 0.5, Number.NaN])('a step that there is not (%d) cannot be marked', (index) => {
    expect(() => markStep(revisedPlan(said('pending', 'pending', 'pending')), index, 'done')).toThrow(
      'Cannot mark',
    );
  });

  test('the cursor is always at the first step that is not over', () => {
    const status = fc.constantFrom('pending', 'active', 'done', 'skipped');
    fc.assert(
      fc.property(fc.array(status, { minLength: 3, maxLength: 6 }), fc.nat(5), status, (all, index, to) => {
        const before = revisedPlan(said(...all));
        const after = index < all.length ? markStep(before, index, to) : before;
        const open = after.steps.findIndex((step) => step.status === 'pending' || step.status === 'active');
        expect(after.cursor).toBe(open < 0 ? after.steps.length : open);
      }),
    );
  });

  test('lives in the state of the agent: revised by each plan, kept by everything else', () => {
    const result = (value: PlanInput, ok = true) =>
      ok
        ? ({ callId: 'c', tool: 'plan', ok: true, text: 'x', value, durationMs: 0, attempts: 1 } as const)
        : ({ ...performNow(plan, {}) } as const);
    const first = withPlan({ mine: 1 }, [result(said('pending', 'pending', 'pending'))]);
    expect(first).toMatchObject({ mine: 1, plan: { revision: 1, cursor: 0 } });
    const second = withPlan(first, [result(said('done', 'pending', 'pending'))]);
    expect(planIn(second)).toMatchObject({ revision: 2, cursor: 1 });
    expect(withPlan(second, [])).toBe(second);
    expect(withPlan(second, [result(said(), false)])).toBe(second);
    expect(planIn({ plan: 'none of ours' })).toBeUndefined();
  });
});

describe('[DODO-55] [M65] the plan gate', () => {
  const workshop = () => {
    const done: string[] = [];
    const make = (name: string, safety: 'read' | 'write') =>
      tool({ name, description: name, input: z.object({}), safety, execute: () => void done.push(name) });
    return { done, tools: [make('look', 'read'), make('write', 'write')] };
  };

  test('refuses what changes something until there is a plan; the other calls of the step run', async () => {
    const { done, tools } = workshop();
    const both = [
      { name: 'look', input: {} },
      { name: 'write', input: {} },
    ];
    const model = scriptedModel([
      calls(...both),
      calls({ name: 'plan', input: { steps: steps(3) } }),
      calls(...both),
      'Done.',
    ]);
    const result = await agent({ name: 'coder', model, ...planned({ tools }) }).run('x');
    expect(result.records[0]?.results).toMatchObject([
      { ok: true },
      { ok: false, kind: 'denied', text: expect.stringContaining("call 'plan' first") },
    ]);
    expect(result.records[2]?.results).toMatchObject([{ ok: true }, { ok: true }]);
    expect(done).toEqual(['look', 'look', 'write']);
    expect(result.state).toMatchObject({ plan: { revision: 1, steps: [{}, {}, {}] } });
  });

  test('stands before the tools of sets too, and leaves their life cycle as it is', async () => {
    const { done, tools } = workshop();
    const set = toolset({
      name: 'files',
      tools,
      setup: () => void done.push('setup'),
      teardown: () => void done.push('teardown'),
    });
    const model = scriptedModel([calls({ name: 'files.write', input: {} }), 'Done.']);
    const reduce = ({ state }: { readonly state: Json }) => ({ seen: planIn(state) !== undefined });
    const result = await agent({ name: 'coder', model, ...planned({ tools: [set], reduce }) }).run('x');
    expect(result.records[0]?.results).toMatchObject([{ kind: 'denied' }]);
    expect(done).toEqual(['setup', 'teardown']);
    expect(result.state).toEqual({ seen: false });
  });
});
