import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../src/contracts/tools/tool-result.ts';
import type { PlannedCall } from '../../src/machines/agent/call-plan.ts';
import { isLastOpen, isOpen, planCalls, withResult } from '../../src/machines/agent/call-plan.ts';
import { begin, move } from '../../src/testing/moves.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import {
  act,
  agentInput,
  agentWalk,
  answered,
  calling,
  decide,
  failure,
  prepared,
  ready,
  resulting,
  success,
  trouble,
} from './agent-walks.ts';

const asked = ({ outputs }: ReturnType<typeof agentWalk>) =>
  outputs.flatMap((each) => (each.type === 'ask' && each.ask.port === 'act' ? [each.ask.index] : []));

describe('[M21] calls of one step', () => {
  test('[ENG-07] a failure is data for the next decision', () => {
    const { path, status, context } = agentWalk([ready, decide(calling('look')), act(failure())]);
    expect(status).toBe('active');
    expect(path.at(-1)).toBe('DECIDE');
    expect(context.cycle.previous).toMatchObject([{ ok: false, kind: 'execution' }]);
  });

  test('start in order up to the cap, and the next as one comes back', () => {
    const steps = [ready, decide(calling('a', 'b', 'c', 'd'))];
    expect(asked(agentWalk(steps, { toolConcurrency: 2 }))).toEqual([0, 1]);
    expect(asked(agentWalk([...steps, answered(1)], { toolConcurrency: 2 }))).toEqual([0, 1, 2]);
    expect(asked(agentWalk([...steps, answered(1), answered(2)], { toolConcurrency: 2 }))).toEqual([
      0, 1, 2, 3,
    ]);
  });

  test('an exclusive one is a barrier', () => {
    const steps = [ready, decide(calling('a', 'write!', 'b'))];
    expect(asked(agentWalk(steps))).toEqual([0]);
    expect(asked(agentWalk([...steps, answered(0)]))).toEqual([0, 1]);
    expect(asked(agentWalk([...steps, answered(0), answered(1)]))).toEqual([0, 1, 2]);
  });

  test('their results are in call order, however they come back', () => {
    const { outputs } = agentWalk([
      ready,
      decide(calling('a', 'b', 'c')),
      answered(2),
      answered(0),
      answered(1),
    ]);
    const record = outputs.flatMap((each) =>
      each.type === 'emit' && each.body.type === 'step.ended' ? [each.body.record] : [],
    );
    expect(record[0]?.['results']).toMatchObject([
      { text: 'result 0' },
      { text: 'result 1' },
      { text: 'result 2' },
    ]);
  });

  test('[law 5] a second answer for a call changes nothing and starts nothing again', () => {
    const steps = [ready, decide(calling('a', 'b', 'c')), answered(1)];
    const once = agentWalk(steps, { toolConcurrency: 2 });
    for (const late of [answered(1, resulting(failure())), answered(1, trouble({ index: 1 })), answered(7)]) {
      const twice = agentWalk([...steps, late], { toolConcurrency: 2 });
      expect(twice.context.cycle.plan?.results).toEqual(once.context.cycle.plan?.results);
      expect(twice.context.tally).toEqual(once.context.tally);
      expect(asked(twice)).toEqual(asked(once));
      expect(twice.outputs).toEqual(once.outputs);
    }
  });

  test('[law 5] a second answer does not stand in for the one that is still missing', () => {
    const { value, context } = agentWalk([ready, decide(calling('a', 'b')), answered(1), answered(1)]);
    expect(value).toEqual({ running: 'ACT' });
    expect(context.cycle.plan?.results[0]).toBeNull();
  });

  test('[law 5] an answer that comes after its step is over changes nothing', () => {
    const steps = [ready, decide(calling('a')), act()];
    const before = agentWalk(steps);
    const after = agentWalk([...steps, answered(0)]);
    expect(after.context).toEqual(before.context);
    expect(after.outputs).toEqual(before.outputs);
  });

  test('a troubled call is handed to a machine of its own, at an address made of its call or its step', () => {
    const troubled = [decide(calling('a', 'b')), act(), { act: () => trouble({ index: 1 }) }, act()];
    const { outputs, path } = agentWalk([ready, ...troubled, decide(calling('a')), { act: () => trouble() }]);
    const engagements = outputs.flatMap((each) => (each.type === 'engage' ? [each.engagement] : []));
    expect(engagements).toMatchObject([
      { actor: { kind: 'toolCall' }, port: 'act', index: 1, path: 'ada/~call_1' },
      { actor: { kind: 'toolCall' }, port: 'act', index: 0, path: 'ada/~call_0' },
    ]);
    expect(path.filter((phase) => phase === 'ACT')).toHaveLength(2);
    const models = agentWalk([ready, decide(trouble()), decide(calling('a')), act(), decide(trouble())]);
    expect(models.outputs.flatMap((each) => (each.type === 'engage' ? [each.engagement.path] : []))).toEqual([
      'ada/~model-0',
      'ada/~model-1',
    ]);
  });
});

/** Calls, a cap, and the order in which the answers come back. */
const batch = fc.record({
  exclusive: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
  cap: fc.integer({ min: 1, max: 5 }),
  picks: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  repeats: fc.array(fc.nat(), { maxLength: 3 }),
});

const plannedCalls = (exclusive: readonly boolean[]): readonly PlannedCall[] =>
  exclusive.map((isAlone, index) => ({ id: `call_${index}`, name: 'look', input: null, exclusive: isAlone }));

const resultOf = (index: number): ToolResult => success(`result ${index}`, { callId: `call_${index}` });

describe('[M21] properties of a plan', () => {
  test('never more than the cap, exclusive ones alone, each started once, results in call order', () => {
    fc.assert(
      fc.property(batch, ({ exclusive, cap, picks, repeats }) => {
        const calls = plannedCalls(exclusive);
        let plan = planCalls(calls, cap);
        const started: number[] = [];
        const running = new Set<number>();
        const note = (): void => {
          for (const index of plan.starting) {
            started.push(index);
            running.add(index);
          }
          expect(running.size).toBeLessThanOrEqual(cap);
          const isBarred = [...running].some((index) => exclusive[index] === true);
          expect(running.size > 1 && isBarred).toBe(false);
        };
        note();
        for (const [turn, pick] of picks.slice(0, calls.length).entries()) {
          expect(running.size).toBeGreaterThan(0);
          const index = [...running][pick % running.size] ?? 0;
          expect(isOpen(plan, index)).toBe(true);
          expect(isLastOpen(plan, index)).toBe(turn === calls.length - 1);
          plan = withResult(plan, index, resultOf(index), cap);
          running.delete(index);
          note();
          const settled = plan;
          for (const again of repeats.map((each) => each % calls.length)) {
            if (isOpen(plan, again)) continue;
            plan = withResult(plan, again, failure(), cap);
            expect(plan).toEqual({ ...settled, starting: [] });
          }
        }
        expect(started).toEqual(calls.map((_, index) => index));
        expect(plan.results).toEqual(calls.map((_, index) => resultOf(index)));
      }),
      { numRuns: 500 },
    );
  });

  test('the same holds for the machine: what it asks for, and what it reduces', () => {
    fc.assert(
      fc.property(batch, ({ exclusive, cap, picks }) => {
        const calls = plannedCalls(exclusive);
        let position = begin(agentMachine, agentInput({ toolConcurrency: cap }));
        position = move(position, { type: 'answered.prepare', at: 1, output: prepared() });
        position = move(position, {
          type: 'answered.decide',
          at: 1,
          output: { kind: 'decided', decision: { kind: 'act', calls: [] }, calls },
        });
        const keys = new Set(position.asks.map(({ key }) => key));
        for (const pick of picks.slice(0, calls.length)) {
          expect(position.asks.length).toBeLessThanOrEqual(cap);
          const { index } = position.asks[pick % position.asks.length] ?? { index: -1 };
          position = move(position, {
            type: 'answered.act',
            at: 1,
            index,
            output: resulting(resultOf(index)),
          });
          for (const { key, port } of position.asks) if (port === 'act') keys.add(key);
        }
        expect(keys.size).toBe(calls.length);
        expect(position.context.cycle.previous).toEqual(calls.map((_, index) => resultOf(index)));
        expect(position.context.tally.toolCalls).toBe(calls.length);
      }),
      { numRuns: 100 },
    );
  });
});
