import { describe, expect, test } from 'vitest';
import { routing, routingSchema } from '../../src/actors/strategies/routing.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { settled } from '../support/runs.ts';

const strategy = routing({
  agents: { billing: 'invoices and refunds', tech: 'what does not work' },
  phases: ['plan', 'work'],
});

const decided = async (...script: readonly string[]) => {
  const model = scriptedModel(script);
  const router = agent({ name: 'router', strategy, model, output: routingSchema });
  const result = await settled(router.stream('I want my money back'));
  model.assertConsumed();
  return { result, model };
};

const json = (value: object) => JSON.stringify(value);
const fit = { agents: ['billing'], reason: 'a refund' };

describe('[M75] the routing strategy', () => {
  test('tells the model who there is, and asks for JSON', async () => {
    const { model, result } = await decided(json({ ...fit, phase: 'work' }));
    expect(result.output).toEqual({ ...fit, phase: 'work' });
    expect(model.requests[0]?.instructions).toMatch(/- billing: invoices and refunds\n- tech[^]*plan, work/);
    expect(model.requests[0]?.output?.schema).toMatchObject({ type: 'object' });
  });

  test.each([
    ['plain', json(fit)],
    ['in a fence', `\`\`\`json\n${json(fit)}\n\`\`\``],
    ['in a fence amid words', `I would say:\n\`\`\`json\n${json(fit)}\n\`\`\`\nas it is money.`],
  ])('[TENEX-64] takes JSON %s', async (_, text) => {
    expect((await decided(text)).result.output).toEqual(fit);
  });

  test.each([
    ['no agent', json({ agents: [], reason: 'x' })],
    ['an agent that there is not', json({ agents: ['nobody'], reason: 'x' })],
    ['an agent twice', json({ agents: ['tech', 'tech'], reason: 'x' })],
    ['no reason', json({ agents: ['tech'] })],
    ['a phase that there is not', json({ ...fit, phase: 'rest' })],
    ['no JSON', 'billing, I think'],
  ])('[TENEX-64] [D7] asks once more for %s, then fails with a code', async (_, unfit) => {
    const { result, model } = await decided(unfit, json(fit));
    expect(result.output).toEqual(fit);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('does not fit its schema');
    const lost = await decided(unfit, unfit);
    expect(lost.result).toMatchObject({ status: 'failed', error: { code: 'output.invalid' } });
  });

  test('needs somebody to route to', () => {
    expect(() => routing({ agents: {} })).toThrow('no agent');
    expect(() => routing({ phases: [] })).toThrow('no phase');
  });
});
