import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { respond } from '../../src/tools/built-in/ending/respond.ts';

const leading = (to: Agent<string, unknown>, options: { maxDepth?: number } = {}) => {
  const model = scriptedModel([
    calls({ name: 'delegate', input: { to: to.name, task: 'Find out.' } }),
    'Done.',
  ]);
  return agent({ name: 'lead', model, tools: [delegate({ to: [to], ...options })] });
};

const firstResult = async (lead: ReturnType<typeof leading>) => {
  const result = await lead.run('x');
  expect(result.output).toBe('Done.');
  return result.records[0]?.results[0];
};

describe('[QITOS-93] delegate', () => {
  test('gives the answer of an agent that works as a child of the run', async () => {
    const model = scriptedModel(['It is 42.']);
    const result = await firstResult(leading(agent({ name: 'finder', model })));
    expect(result).toMatchObject({
      ok: true,
      text: 'It is 42.',
      value: { agent: 'finder', status: 'success', output: 'It is 42.', stop: 'answered', steps: 1 },
    });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'user', text: 'Find out.' });
  });

  test('works on teams as it does on agents', async () => {
    const member = (name: string, text: string) => agent({ name, model: scriptedModel([text]) });
    const desk = pipeline({ name: 'desk', stages: [member('first', 'draft'), member('second', 'final')] });
    expect(await firstResult(leading(desk))).toMatchObject({ ok: true, text: 'final' });
  });

  test('marks what was stopped before its end as partial', async () => {
    const model = scriptedModel([calls({ name: 'respond', input: { summary: '' } })]);
    const worker = agent({ name: 'worker', model, tools: [respond], stop: maxSteps(1) });
    expect(await firstResult(leading(worker))).toMatchObject({
      ok: true,
      value: { status: 'partial', stop: 'maxSteps' },
      text: "'worker' was stopped before it was done (maxSteps). It left nothing.",
    });
  });

  test('fails where the child fails, and the run goes on', async () => {
    const worker = agent({ name: 'worker', model: scriptedModel([]) });
    expect(await firstResult(leading(worker))).toMatchObject({ ok: false, attempts: 1 });
  });

  test('[TENEX-75] goes three deep and no further', async () => {
    let next: Agent<string, unknown> = agent({ name: 'level-4', model: scriptedModel([]) });
    for (const level of [3, 2, 1, 0]) {
      const to = next;
      const model = scriptedModel([
        calls({ name: 'delegate', input: { to: to.name, task: 'go on' } }),
        `up from ${level}`,
      ]);
      next = agent({ name: `level-${level}`, model, tools: [delegate({ to: [to] })] });
    }
    const result = await next.run('x');
    expect(result.output).toBe('up from 0');
    const refused = result.events.filter((event) => event.type === 'tool.finished' && !event.ok);
    expect(refused).toMatchObject([{ agent: 'level-3', error: { code: 'tool.denied' } }]);
  });

  test('needs agents, each of its own name', () => {
    const worker = agent({ name: 'worker' });
    expect(() => delegate({ to: [] })).toThrow('needs agents');
    expect(() => delegate({ to: [worker, worker] })).toThrow('worker, worker');
  });
});
