import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer, branch } from '../../src/contracts/agents/decision.ts';
import type { Ending } from '../../src/contracts/agents/ending.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';

const output = z.object({ x: z.string().transform(Number) });
const unfit = { code: 'output.invalid', message: expect.stringContaining('x: ') };

describe('[FIND-14] the output schema is the only way out', () => {
  test('an answer of its own `decide` is parsed: transforms apply, and a lie fails the run', async () => {
    const sound = agent({ name: 'a', output, decide: () => answer({ x: '7' }) });
    expect((await sound.run('go')).output).toEqual({ x: 7 });
    // @ts-expect-error its answer has no x
    const lying = agent({ name: 'a', output, decide: () => answer({ y: 1 }) });
    await expect(lying.run('go')).rejects.toMatchObject(unfit);
  });

  test('so is an answer that a branch comes to', async () => {
    const branching = agent({
      name: 'a',
      output,
      decide: () => branch([{ decision: answer({ x: '8' }) }]),
    });
    expect((await branching.run('go')).output).toEqual({ x: 8 });
  });

  test('so is one that a recovery handler puts in place of a failure', async () => {
    const mended = (x: string | number) =>
      agent({
        name: 'a',
        output,
        decide: () => {
          throw new Error('broken');
        },
        failures: { recovery: { handle: () => ({ kind: 'replace', with: answer({ x }) }) } },
      });
    expect((await mended('9').run('go')).output).toEqual({ x: 9 });
    await expect(mended(9).run('go')).rejects.toMatchObject({ code: 'agent.threw' });
  });

  test('so is one that a strategy puts in place of a decision', async () => {
    const reviewed = (x: string | number) =>
      agent({
        name: 'a',
        output,
        decide: () => answer({ x: '1' }),
        strategy: {
          name: 'other',
          review: () => ({ kind: 'replace', decision: { kind: 'answer', answer: { x } } }),
        },
      });
    expect((await reviewed('2').run('go')).output).toEqual({ x: 2 });
    await expect(reviewed(2).run('go')).rejects.toMatchObject(unfit);
  });

  test('a tool that completes with an answer that does not fit completes nothing: the model reads why', async () => {
    const store = new PlainStore();
    const clerk = agent({
      name: 'clerk',
      output,
      tools: [complete],
      model: scriptedModel([
        calls({ name: 'complete', input: { answer: 'seven' } }),
        calls({ name: 'complete', input: { answer: { x: '7' } } }),
      ]),
    });
    const result = await clerk.run('go', { store });
    expect(result.output).toEqual({ x: 7 });
    const finished = result.events.filter((event) => event.type === 'tool.finished');
    expect(finished.map(({ ok }) => ok)).toEqual([false, true]);
    expect(finished[0]).toMatchObject({ error: { code: 'output.invalid' } });
    expect(finished[0]?.text).toMatch(/does not fit its schema: .*expected object/);
    const again = await replay(clerk, result.runId, { store });
    expect(again.result?.output).toEqual({ x: 7 });
  });

  test('a model that gives its answer to `complete` as JSON in a text has answered', async () => {
    const model = scriptedModel([calls({ name: 'complete', input: { answer: '{"x":"3"}' } })]);
    const clerk = agent({ name: 'clerk', output, tools: [complete], model });
    expect((await clerk.run('go')).output).toEqual({ x: 3 });
  });

  const count = tool({
    name: 'count',
    description: 'Counts.',
    input: z.object({ x: z.unknown() }),
    execute: ({ x }) => ({ x }),
  });

  test('the value of a tool that ends the work is parsed, and one that does not fit is sent back', async () => {
    const model = scriptedModel([
      calls({ name: 'count', input: { x: 1 } }),
      calls({ name: 'count', input: { x: '4' } }),
    ]);
    const clerk = agent({
      name: 'clerk',
      output,
      tools: [count],
      model,
      stop: { ends: byTool({ tools: 'count' }) },
    });
    const result = await clerk.run('go');
    expect(result.output).toEqual({ x: 4 });
    expect(result.events.filter(({ type }) => type === 'agent.reminded')).toMatchObject([
      { text: expect.stringContaining('does not fit its schema: x: ') },
    ]);
  });

  test('what a policy of ending completes by itself and does not fit ends unresolved, as no output', async () => {
    const asIs: Ending = {
      name: 'asIs',
      answered: () => ({ kind: 'autoComplete', answer: 'whatever' }),
    };
    const model = scriptedModel(['{"x":"5"}']);
    const result = await agent({ name: 'clerk', output, model, stop: { ends: asIs } }).run('go');
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'unresolved', by: 'asIs', note: expect.stringContaining('does not fit') },
      candidate: 'whatever',
    });
    expect(result.output).toBeUndefined();
  });

  test('an answer that was parsed is not parsed again: a transform happens once', async () => {
    const model = scriptedModel(['{"x":"5"}']);
    const plain = agent({ name: 'clerk', output, model, stop: { ends: byTool({ attempts: 1 }) } });
    expect(await plain.run('go')).toMatchObject({ output: { x: 5 }, autoCompleted: true });
  });

  test('without a schema an answer is what it is', async () => {
    expect((await agent({ name: 'a', decide: () => answer({ y: 1 }) }).run('go')).output).toEqual({ y: 1 });
    const two = agent({
      name: 'a',
      tools: [complete],
      decide: ({ results }) =>
        results.length === 0 ? act({ name: 'complete', input: { answer: [1] } }) : undefined,
    });
    expect((await two.run('go')).output).toEqual([1]);
  });
});
