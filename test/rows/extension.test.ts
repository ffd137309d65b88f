import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Processor } from '../../src/contracts/conversations/processor.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { reactParser } from '../../src/models/parsers/react-parser.ts';
import { withTextTools } from '../../src/models/parsers/with-text-tools.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { askPerson } from '../../src/tools/built-in/ask-person.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'seen' } });
const shape = z.strictObject({ n: z.number().int().min(0), tag: z.enum(['a', 'b']).optional() });

test('[TENEX-84] whatever a model gives a tool, none of it reaches the tool unchecked', async () => {
  const nearly = fc.record(
    {
      n: fc.oneof(fc.integer(), fc.double(), fc.string()),
      tag: fc.constantFrom('a', 'b', 'c'),
      x: fc.nat(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.jsonValue(), nearly), { minLength: 1, maxLength: 6 }),
      async (given) => {
        const inputs = z.array(z.json()).parse(JSON.parse(JSON.stringify(given)));
        const reached: unknown[] = [];
        const strict = tool({
          name: 'strict',
          description: 'Takes what fits.',
          input: shape,
          execute: (input) => void reached.push(input),
        });
        const model = scriptedModel([calls(...inputs.map((input) => ({ name: 'strict', input }))), 'done']);
        const one = agent({ name: 'a', model, tools: [strict], limits: { toolConcurrency: 1 } });
        const { records, output } = await settled(start(one, 'go'));
        const fit = inputs.map((input) => shape.safeParse(input).success);
        expect(reached).toEqual(inputs.filter((_, index) => fit[index]));
        expect(records[0]?.results.map(({ ok }) => ok)).toEqual(fit);
        expect(output).toBe('done');
      },
    ),
    { numRuns: 30 },
  );
});

test('[TENEX-19] a result that is none is a failed result with a typed error, and the run goes on', async () => {
  const odd = {
    ...echo,
    // In JavaScript anything may come back.
    execute: () => ({ [Symbol.for('troupe.dual')]: true, text: 42 }),
  };
  const model = scriptedModel([looks, 'otherwise']);
  const one = agent({ name: 'a', model, tools: [odd] });
  const handle = start(one, 'go', { clock: virtualClock() });
  const { output, records, events } = await settled(handle);
  expect(records[0]?.results).toMatchObject([{ ok: false, error: { code: 'tool.failed' } }]);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ ok: false, error: { code: 'tool.failed' } }]);
  expect(output).toBe('otherwise');
});

test('[TENEX-29] two rules keep what they like under the same key, and neither finds what is the other’s', async () => {
  const seen: (readonly [string, unknown])[] = [];
  const counting = (name: string, by: number): StopRule => ({
    name,
    remember: (_, memory) => {
      const { count } = z.object({ count: z.number() }).parse(memory ?? { count: 0 });
      return { count: count + by };
    },
    check: (_, memory) => void seen.push([name, memory]),
  });
  const model = scriptedModel([looks, looks, 'done']);
  const stop = [counting('ones', 1), counting('tens', 10)];
  await settled(start(agent({ name: 'a', model, tools: [echo], stop }), 'go'));
  expect(seen.filter(([name]) => name === 'ones').map(([, memory]) => memory)).toEqual([
    { count: 1 },
    { count: 2 },
  ]);
  expect(seen.filter(([name]) => name === 'tens').map(([, memory]) => memory)).toEqual([
    { count: 10 },
    { count: 20 },
  ]);
});

test('[TENEX-Q12] thoughts are read leniently; where a format is demanded, a reply out of it can be mended', async () => {
  const free = 'I think it is 42.';
  const lenient = scriptedModel([free]);
  const asIs = await settled(start(agent({ name: 'a', model: lenient }), 'go'));
  expect([asIs.output, lenient.requests.length]).toEqual([free, 1]);
  const model = scriptedModel(['Thought: it is 42.', 'Thought: so be it.\nFinal Answer: 42']);
  const strict = agent({ name: 'a', model: withTextTools(model, reactParser), tools: [echo] });
  const { output, status, events } = await settled(start(strict, 'go'));
  expect([output, status]).toEqual(['42', 'completed']);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    from: 'runtime',
    text: expect.stringContaining('cannot be read'),
  });
  expect(ofType(events, 'model.answered').at(-1)?.reasoning).toBe('so be it.');
});

test('[DODO-66] it is extended by hooks, providers, processors and tools: each a plain object', async () => {
  const seen: string[] = [];
  const shown: number[] = [];
  const watch = hook({
    name: 'watch',
    on: 'tool.finished',
    handle: ({ tool: name }) => void seen.push(name),
  });
  const provider: Model = {
    provider: 'mine',
    id: 'm',
    answer: ({ messages }) => {
      shown.push(messages.length);
      return shown.length < 3 ? modelAnswer(looks) : modelAnswer({ text: 'done' });
    },
  };
  const last: Processor = {
    name: 'last',
    *project(blocks) {
      for (const block of blocks) {
        yield block;
        return;
      }
    },
  };
  const one = agent({
    name: 'a',
    model: provider,
    tools: [echo],
    hooks: [watch],
    conversation: { compaction: { processors: [last] } },
  });
  const { output } = await settled(start(one, 'go'));
  expect({ output, seen }).toEqual({ output: 'done', seen: ['echo', 'echo'] });
  // Question, and the newest call with its result.
  expect(shown).toEqual([1, 3, 3]);
});

test('[DODO-65] an engine runs with nothing but what it is handed: model, clock, person, hooks, flush', async () => {
  const clock = virtualClock(7_000);
  const order: string[] = [];
  const model = scriptedModel([calls({ name: 'ask_person', input: { question: 'Which?' } }), 'so be it']);
  const engine = createDisposableEngine({
    model,
    clock,
    person: { answer: (question) => `${question} That one.` },
    hooks: [hook({ name: 'h', on: 'run.ended', handle: ({ at }) => void order.push(`ended at ${at}`) })],
    flush: () => void order.push('flushed'),
  });
  const { output, events } = await engine.execute(agent({ name: 'a', tools: [askPerson] }), 'go');
  expect(output).toBe('so be it');
  expect(model.requests[1]?.messages.at(-1)?.text).toContain('Which? That one.');
  expect(events.every(({ at }) => at === 7_000)).toBe(true);
  expect(order).toEqual(['ended at 7000', 'flushed']);
  expect(clock.pending).toBe(0);
});
