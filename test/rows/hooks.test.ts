import { expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { EventType, LiveEvent } from '../../src/contracts/events/event.ts';
import type { Summariser } from '../../src/contracts/conversations/processor.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { softCap } from '../../src/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { letTimePass, settled, start } from '../support/runs.ts';

const walk = tool({
  name: 'walk',
  description: 'Walks.',
  input: z.object({ step: z.number() }),
  execute: ({ step }, context) => {
    context.progress('on the way');
    return `walked ${step} ${'far '.repeat(100)}`;
  },
});

const summariser: Summariser = { name: 'short', summarise: () => ({ text: 'It walked.' }) };

const busy = () => new TroupeError('model.rate-limited', 'Cannot answer as it is busy', { retryable: 'yes' });

/** Each moment that a hook may be called at, and the event that it is called with. */
const moments: readonly (readonly [string, EventType, (event: LiveEvent) => boolean])[] = [
  ['a step starts', 'phase.entered', (event) => event.type === 'phase.entered' && event.phase === 'OBSERVE'],
  ['before the model', 'model.asked', () => true],
  ['after the model', 'model.answered', () => true],
  ['a piece of an answer', 'model.delta', () => true],
  ['a tool is called', 'tool.requested', () => true],
  ['a tool says how far it is', 'tool.progressed', () => true],
  ['a tool has its result', 'tool.finished', (event) => event.type === 'tool.finished' && event.ok],
  ['the history changes', 'agent.reduced', () => true],
  ['another attempt', 'model.retrying', () => true],
  ['no attempt is left', 'model.failed', () => true],
  ['the history nears its budget', 'context.warned', () => true],
  ['the history is compressed', 'context.compacted', () => true],
  ['a budget nears its end', 'budget.warned', () => true],
  [
    'a soft cap is reached',
    'run.ended',
    (event) => event.type === 'run.ended' && event.stopReason.kind === 'softCap',
  ],
  ['the run is done', 'run.ended', () => true],
];

test('[FIND-33] [DODO-39] in one run a hook is called at each moment that there is', async () => {
  const heard: LiveEvent[] = [];
  const clock = virtualClock(1_000);
  const dead = scriptedModel(Array.from({ length: 40 }, busy), 'dead');
  const steps = Array.from({ length: 14 }, (_, step) => ({
    text: 'I walk.',
    ...calls({ name: 'walk', input: { step } }),
  }));
  const one = agent({
    name: 'a',
    tools: [walk],
    model: [dead, scriptedModel([...steps, 'done'], 'alive')],
    failures: { retry: { attempts: 2 } },
    conversation: { compaction: { budget: { soft: 600, hard: 1_200, reserve: 100 }, summariser } },
    limits: { budget: { toolCalls: 15 } },
    stop: softCap({ name: 'walks', limit: 14, counts: ({ tool: name }) => name === 'walk' }),
    hooks: [{ name: 'everything', handle: (event) => void heard.push(event) }],
  });
  const { status } = await letTimePass(clock, settled(start(one, 'go', { clock })));
  expect(status).toBe('stopped');
  for (const [moment, type, fits] of moments) {
    const found = heard.filter((event) => event.type === type && fits(event));
    expect([moment, found.length > 0]).toEqual([moment, true]);
  }
});

test('[FIND-33] [FIND-35] [QITOS-56] every event of a run says which run, which actor, when and in what order; those of a step, which step and phase', async () => {
  const clock = virtualClock(1_000);
  const model = scriptedModel([busy(), calls({ name: 'walk', input: { step: 0 } }), 'done']);
  const one = agent({ name: 'a', tools: [walk], model, failures: { retry: { attempts: 2 } } });
  const handle = start(one, 'go', { clock, runId: 'r' });
  const { events } = await letTimePass(clock, settled(handle), 100);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.every(({ runId, path, agent: name }) => runId === 'r' && path !== '' && name !== '')).toBe(
    true,
  );
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBeGreaterThan(1);
  const steps = events.filter(({ type }) => /^(?:agent|step|tool|phase)\./.test(type));
  for (const event of steps)
    expect([event.type, event.step, event.phase]).toEqual([
      event.type,
      expect.any(Number),
      expect.any(String),
    ]);
  const ended = events.filter(({ type }) => type === 'step.ended');
  expect(ended.map(({ step, phase }) => `${step} ${phase}`)).toEqual(['0 CHECK_STOP', '1 CHECK_STOP']);
});
