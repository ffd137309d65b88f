import { expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { settled, start } from '../support/runs.ts';

const noop = tool({ name: 'noop', description: 'Does nothing.', input: z.object({}), execute: () => 'done' });

/** A model in JavaScript: what it answers with first is anything at all. */
const foreign = (calls: unknown): Model => {
  let asked = 0;
  return {
    provider: 'example',
    id: 'foreign',
    answer: () => {
      asked += 1;
      const said = modelAnswer({ text: 'fin' });
      return asked === 1 ? { ...said, finish: 'tool-calls', calls: calls as typeof said.calls } : said;
    },
  };
};

test.each([[[null]], [[{}]], [[{ name: 5 }]], ['none']])(
  'calls that are none (%j) are an answer that cannot be read',
  async (calls) => {
    const definition = agent({
      name: 'a',
      tools: [noop],
      model: foreign(calls),
      failures: { retry: { attempts: 1 } },
    });
    const { status, error } = await settled(start(definition, 'go'));
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'model.malformed', path: 'a', phase: 'DECIDE' });
  },
);

test('what a call is made with is plain JSON, wherever it came from', async () => {
  const calls = [{ id: '1', name: 'noop', input: { when: new Date(0), what: () => 1 } }];
  const definition = agent({ name: 'a', tools: [noop], model: foreign(calls) });
  const { records } = await settled(start(definition, 'go'));
  expect(records[0]?.decision).toEqual({
    kind: 'act',
    calls: [{ name: 'noop', input: { when: '1970-01-01T00:00:00.000Z', what: '[function what]' } }],
  });
});

test('of what a critic says, verdict and note are kept', async () => {
  const said: unknown[] = [
    { verdict: 'accept', when: new Date(0) },
    { verdict: 'accept', note: 'good', by: () => 'me' },
    { verdict: 'accept', note: 5 },
  ];
  const definition = agent({
    name: 'a',
    decide: () => answer('x'),
    critics: said.map((each, index) => ({ name: `critic-${index}`, critique: () => each as never })),
  });
  const { records } = await settled(start(definition, 'go'));
  expect(records[0]?.critiques).toEqual([
    { critic: 'critic-0', verdict: 'accept' },
    { critic: 'critic-1', verdict: 'accept', note: 'good' },
    { critic: 'critic-2', verdict: 'accept' },
  ]);
});
