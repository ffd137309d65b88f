import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Decision } from '../../../src/index.ts';
import { agent, tool } from '../../../src/index.ts';
import { parallel, race } from '../../../src/patterns/index.ts';
import { simulate } from '../../../src/testing/index.ts';
import { allRows } from '../../coordination/all-rows.ts';
import { sampled } from '../../support/thorough.ts';
import { simulationOf, unbroken } from './planted.ts';

const doesOf = (story: { readonly moves: readonly { readonly path: string; readonly does: string }[] }) =>
  story.moves.map(({ path, does }) => `${path} ${does}`);

/** Whoever takes first has the last one. */
const shop = () => {
  let left = 1;
  const take = tool({
    name: 'take',
    description: 'Takes one.',
    safety: 'write',
    input: z.object({}),
    execute: () => ((left -= 1) < 0 ? 'nothing' : 'one'),
  });
  const buyer = (name: string) =>
    agent({
      name,
      tools: [take],
      decide: ({ step, results }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'take', input: {} }] }
          : { kind: 'answer', answer: results[0]?.text ?? '' },
    });
  return parallel({ name: 'shop', members: { ann: buyer('ann'), ben: buyer('ben'), cat: buyer('cat') } });
};

/** A team of which ben answers ann, unless he has left before she asks; then she waits for ever. */
const couple = () => {
  let hasLeft = false;
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: (_, { path }) => {
      if (path.includes('ben')) hasLeft = true;
      return hasLeft && path.includes('ann') ? 'nobody is there' : 'seen';
    },
  });
  const member = (name: string, whenAlone: () => Decision | Promise<Decision>) =>
    agent({
      name,
      tools: [look],
      decide: ({ step, results }) => {
        if (step === 0) return { kind: 'act', calls: [{ name: 'look', input: {} }] };
        return results[0]?.text === 'nobody is there' ? whenAlone() : { kind: 'answer', answer: name };
      },
    });
  return (whenAlone: () => Decision | Promise<Decision>) =>
    parallel({
      name: 'home',
      members: { ann: member('ann', whenAlone), ben: member('ben', whenAlone) },
    });
};

describe('all orders of what is ready at the same time', () => {
  test('show that a result depends on them, with the two shortest stories', async () => {
    const { verdict, orders, failures } = await simulate(shop, { orders: true, tools: 'executed' });
    expect([verdict, failures]).toEqual(['depends', []]);
    expect(orders).toMatchObject({ tried: 6, isComplete: true });
    expect(orders?.dependsOn).toEqual(['tool shop/ben-2#0.call_0_0.1', 'tool shop/cat-3#0.call_0_0.1']);
    const [calm, other] = orders?.outcomes ?? [];
    expect(doesOf(calm?.story ?? { moves: [] }).slice(1, 3)).toEqual([
      'shop/ann-1 take returns "one"',
      'shop/ben-2 take returns "nothing"',
    ]);
    expect(other?.script.decisions).toEqual([
      { at: 'tool shop/ben-2#0.call_0_0.1', what: 'turn', value: -1 },
    ]);
    expect(doesOf(other?.story ?? { moves: [] }).slice(1, 3)).toEqual([
      'shop/ben-2 take returns "one"',
      'shop/ann-1 take returns "nothing"',
    ]);
  });

  test('find a reply that is lost in one of them only, by its shortest story', async () => {
    const never = () => new Promise<Decision>(() => undefined);
    const options = { orders: true, tools: 'executed' } as const;
    const { failures } = await simulate(() => couple()(never), options);
    expect(failures.map(({ rule, reason }) => [rule, reason])).toEqual([
      ['lost reply', "Cannot wait for 'decide' of 'ann' any longer as it is past its time-out: 600000 ms"],
    ]);
    expect(failures[0]?.script.decisions).toEqual([
      { at: 'tool home/ben-2#0.call_0_0.1', what: 'turn', value: -1 },
    ]);
    expect(doesOf(failures[0]?.story ?? { moves: [] })).toEqual([
      'home starts the run',
      'home/ben-2 look returns "seen"',
      'home/ann-1 look returns "nobody is there"',
    ]);
  });

  test('find two agents that wait for each other in one of them only', async () => {
    // Each that looks second waits for a message of the other, who waits as well.
    let seen = 0;
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      execute: (_, { path }) => {
        seen += 1;
        return path.includes('ben') && seen === 1
          ? 'wait'
          : seen === 2 && path.includes('ann')
            ? 'wait'
            : 'go';
      },
    });
    const member = (name: string) =>
      agent({
        name,
        tools: [look],
        decide: ({ step, results }): Decision => {
          if (step === 0) return { kind: 'act', calls: [{ name: 'look', input: {} }] };
          return results[0]?.text === 'wait' ? { kind: 'wait' } : { kind: 'answer', answer: name };
        },
      });
    const make = () => {
      seen = 0;
      return parallel({
        name: 'home',
        members: { ann: member('ann'), ben: member('ben') },
      });
    };
    const { failures } = await simulate(make, { orders: true, tools: 'executed' });
    expect(failures.map(({ rule, reason }) => [rule, reason])).toEqual([
      ['deadlock', 'home/ann-1 and home/ben-2 wait for something that nobody does any more'],
    ]);
    expect(failures[0]?.script.decisions).toHaveLength(1);
  });

  test('of agents that never meet are one for each that they can tell apart', async () => {
    const member = (name: string) => agent({ name });
    const make = (count: number) =>
      parallel({
        name: 'desk',
        members: Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`m${index}`, member(`m${index}`)]),
        ),
      });
    const four = await simulate(make(4), { orders: true });
    expect([four.verdict, four.orders?.isComplete]).toEqual(['holds', true]);
    const few = await simulate(make(4), { orders: true, runs: 3 });
    expect(few.orders).toMatchObject({ tried: 3, isComplete: false });
  });

  test('make a race end otherwise where both answer at the same time, which is what a race is for', async () => {
    const speak = (name: string) =>
      agent({
        name,
        model: {
          provider: 'example',
          id: name,
          isLanguageModel: false,
          answer: () => modelAnswer({ text: name }),
        },
      });
    const fast = race({
      name: 'race',
      hedgeAfterMs: 60_000,
      members: { ann: speak('ann'), ben: speak('ben') },
    });
    const [ann, ben] = ['model race/ann-1#0.DECIDE.0.1', 'model race/ben-2#0.DECIDE.0.1'];
    // Ben is asked after a minute, as ann has not answered yet; both answer in the next.
    const decisions = [
      { at: ann, what: 'afterMs', value: 61_000 },
      { at: ben, what: 'afterMs', value: 1_000 },
    ] as const;
    const script = { agent: 'race', seed: 1, decisions };
    const { verdict, orders } = await simulate(fast, { orders: true, script });
    expect([verdict, orders?.isComplete, orders?.dependsOn]).toEqual(['depends', true, [ben]]);
    expect(orders?.outcomes.map(({ output }) => output)).toEqual(['ann', 'ben']);

    // Of a timer of the runtime and an answer, either may be first, too.
    const late = {
      agent: 'race',
      seed: 1,
      decisions: [{ at: ann, what: 'afterMs', value: 60_000 }] as const,
    };
    const hedged = await simulate(fast, { orders: true, script: late });
    expect(hedged.orders?.outcomes.map(({ output }) => output)).toEqual(
      expect.arrayContaining(['ann', 'ben']),
    );
    for (const { output, script: found } of hedged.orders?.outcomes ?? []) {
      const outputs: unknown[] = [];
      await simulate(fast, { script: found, check: ({ result }) => void outputs.push(result.output) });
      expect(outputs).toEqual([output]);
    }
  });

  // A race hands its task to the next member only after a minute, so that its members never answer at the same time.
  test.each(sampled(allRows, 6).map((row) => [row.name, row] as const))(
    'make no difference to the result of %s',
    async (_, row) => {
      const { make, options } = simulationOf(row, unbroken);
      const { verdict, orders, failures } = await simulate(make, { ...options, orders: true, runs: 300 });
      expect(failures).toEqual([]);
      expect([verdict, orders?.dependsOn, orders?.isComplete]).toEqual(['holds', [], true]);
    },
  );
});
