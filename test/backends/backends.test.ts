import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EngineRequest } from '../../src/actors/backends/passthrough.ts';
import { passthrough } from '../../src/actors/backends/passthrough.ts';
import { backendNames, registerBackend } from '../../src/actors/backends/backend-registry.ts';
import { routing } from '../../src/actors/backends/routing.ts';
import type { Backend, BackendChoice } from '../../src/contracts/backend.ts';
import { TroupeError } from '../../src/contracts/error.ts';
import { modelAnswer } from '../../src/contracts/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegate.ts';
import { echo, never, phasesOf, settled, start, typesOf } from '../support/runs.ts';

const routed = '{"agents": ["billing"], "reason": "it is about money"}';
const own: Backend = {
  name: 'own',
  engine: ({ agent: name }) => ({
    provider: 'own',
    id: 'own',
    answer: () => modelAnswer({ text: `from ${name}` }),
  }),
};

/** Every backend, as one agent each that answers `text`. */
const kinds = [
  { name: 'reason-act', options: () => ({ model: scriptedModel(['done']) }), text: 'done' },
  {
    name: 'routing',
    options: () => ({ model: scriptedModel([routed]) }),
    text: JSON.stringify(JSON.parse(routed)),
  },
  {
    name: 'passthrough',
    options: () => ({ backend: passthrough({ engine: { ask: () => ({ text: 'done' }) } }) }),
    text: 'done',
  },
  { name: 'own', options: () => ({ backend: own }), text: 'from worker' },
] as const;

const worker = ({ name, options }: (typeof kinds)[number]) =>
  agent({ name: 'worker', ...('backend' in options() ? {} : { backend: name }), ...options() });

describe('[TENEX-02] backends by name', () => {
  test('[TENEX-Q19] an unknown one is an error of the definition, which says which there are', () => {
    expect(() => agent({ name: 'a', backend: 'routng' })).toThrow(
      expect.objectContaining({
        code: 'agent.invalid',
        message: expect.stringMatching(/'routng'.*reason-act, routing/),
      }),
    );
    expect(() => agent({ name: 'a', backend: 'passthrough' })).toThrow('passthrough({ name, engine })');
  });

  test('without one an agent reasons and acts', async () => {
    const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'done']);
    const { events } = await agent({ name: 'a', model, tools: [echo] }).run('go');
    expect(phasesOf(events)).toContain('ACT');
  });

  test('one of your own is registered once, and another of its name is refused', async () => {
    registerBackend(own);
    registerBackend(own);
    expect(backendNames()).toContain('own');
    expect((await agent({ name: 'ada', backend: 'own' }).run('go')).output).toBe('from ada');
    expect(() => {
      registerBackend({ ...own });
    }).toThrow(expect.objectContaining({ code: 'agent.duplicate' }));
  });

  test.each([null, {}, { name: 'a b' }, { name: 'x', engine: 'claude' }])(
    'what is no backend is refused: %j',
    (given) => {
      // In JavaScript anything may stand there.
      expect(() => agent({ name: 'a', backend: given as unknown as BackendChoice })).toThrow(
        expect.objectContaining({ code: 'agent.invalid' }),
      );
    },
  );

  test('options that a backend would have to ignore are refused', () => {
    const backend = passthrough({ engine: { ask: () => ({ text: 'x' }) } });
    expect(() => agent({ name: 'a', backend, tools: [echo] })).toThrow('has its own: tools were given');
    expect(() => agent({ name: 'a', backend: own, model: scriptedModel([]) })).toThrow('a model');
  });
});

describe('[TENEX-03] one contract for all backends', () => {
  test.each(kinds)('$name: the same events, and an answer', async (kind) => {
    const result = await start(worker(kind), 'go').result;
    expect(result).toMatchObject({
      status: 'completed',
      output: kind.text,
      stopReason: { kind: 'answered' },
      totals: { steps: 1, modelCalls: 1 },
    });
    expect(typesOf(result.events).filter((type) => !type.startsWith('phase.'))).toEqual([
      'run.started',
      'agent.prepared',
      'agent.observed',
      'model.asked',
      'model.answered',
      'agent.decided',
      'agent.reduced',
      'agent.checked',
      'step.ended',
      'run.ended',
    ]);
  });

  test.each(kinds)('[D8] $name: its answer comes to whoever gave the work', async (kind) => {
    const model = scriptedModel([calls({ name: 'delegate', input: { to: 'worker', task: 'go' } }), 'thanks']);
    const lead = agent({ name: 'lead', model, tools: [delegate({ to: [worker(kind)] })] });
    const { records } = await start(lead, 'go').result;
    expect(records[0]?.results[0]).toMatchObject({
      ok: true,
      value: { status: 'success', output: kind.text },
    });
    const line = pipeline({ name: 'line', stages: [worker(kind)] });
    expect((await start(line, 'go').result).output).toBe(kind.text);
  });

  test('an engine that fails ends the run failed, after one attempt; its parent goes on', async () => {
    const asked: EngineRequest[] = [];
    const backend = passthrough({
      engine: {
        ask: (request) => {
          asked.push(request);
          throw new Error('out of coffee');
        },
      },
    });
    const coder = agent({ name: 'coder', backend });
    const failed = await settled(start(coder, 'go'));
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'model.failed', phase: 'DECIDE' } });
    expect(failed.error?.message).toContain('out of coffee');
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'coder', task: 'go' } }),
      'then not',
    ]);
    const lead = agent({ name: 'lead', model, tools: [delegate({ to: [coder] })] });
    expect(await start(lead, 'go').result).toMatchObject({ output: 'then not' });
    expect(asked).toHaveLength(2);
  });

  test('an engine that is at work is called off with its run', async () => {
    let signal: AbortSignal | undefined;
    const backend = passthrough({
      engine: {
        ask: (request) => {
          ({ signal } = request);
          return never();
        },
      },
    });
    const handle = start(agent({ name: 'a', backend }), 'go');
    while (signal === undefined) await new Promise((resolve) => setImmediate(resolve));
    handle.abort('enough');
    expect((await handle.result).status).toBe('aborted');
    expect(signal.aborted).toBe(true);
  });
});

describe('an answer with a schema', () => {
  test('is checked whoever gives it, and asked for again with what was wrong', async () => {
    const prompts: string[] = [];
    const backend = passthrough({
      engine: {
        ask: ({ prompt }) => {
          prompts.push(prompt);
          return { text: prompts.length === 1 ? '{"n": "x"}' : '```json\n{"n": 4}\n```', session: 's' };
        },
      },
    });
    const counting = agent({ name: 'counting', backend, output: z.object({ n: z.number() }) });
    expect((await counting.run('count')).output).toEqual({ n: 4 });
    expect(prompts).toEqual(['count', expect.stringContaining('n: ')]);
  });
});

test('a router can be of any name and hand the work on', async () => {
  const backend = routing({ agents: { billing: 'money', tech: '' }, handsOff: true });
  const result = await agent({ name: 'desk', backend, model: scriptedModel([routed]) }).run('go');
  expect(result).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'handedOff', to: 'billing', message: 'it is about money' },
  });
});

test('what an engine throws with a code keeps it', async () => {
  const ask = () => {
    throw new TroupeError('model.auth', 'Cannot log in');
  };
  const result = await settled(agent({ name: 'a', backend: passthrough({ engine: { ask } }) }).stream('go'));
  expect(result.error?.code).toBe('model.auth');
});
