import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EngineRequest } from '../../src/actors/strategies/passthrough.ts';
import { chainOfThought } from '../../src/actors/strategies/chain-of-thought.ts';
import { fallback } from '../../src/actors/strategies/fallback.ts';
import { passthrough } from '../../src/actors/strategies/passthrough.ts';
import { personInTheLoop } from '../../src/actors/strategies/person-in-the-loop.ts';
import { routing } from '../../src/actors/strategies/routing.ts';
import { registerStrategy, strategyNames } from '../../src/actors/strategies/strategy-registry.ts';
import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { Strategy, StrategyChoice } from '../../src/contracts/agents/strategy.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { textOf } from '../../src/coordination/round/said-json.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, phasesOf, settled, start, typesOf } from '../support/runs.ts';

const routed = '{"agents": ["billing"], "reason": "it is about money"}';
const own: Strategy = {
  name: 'own',
  engine: ({ agent: name }) => ({
    provider: 'own',
    id: 'own',
    answer: () => modelAnswer({ text: `from ${name}` }),
  }),
};

/** Every way to be answered, as one agent each that answers `text`. */
const kinds = [
  { name: 'reason-act', options: () => ({ model: scriptedModel(['done']) }), text: 'done' },
  {
    name: 'routing',
    options: () => ({ model: scriptedModel([routed]) }),
    text: JSON.stringify(JSON.parse(routed)),
  },
  {
    name: 'passthrough',
    options: () => ({ strategy: passthrough({ engine: { ask: () => ({ text: 'done' }) } }) }),
    text: 'done',
  },
  { name: 'own', options: () => ({ strategy: own }), text: 'from worker' },
] as const;

const worker = ({ name, options }: (typeof kinds)[number]) =>
  agent({ name: 'worker', ...('strategy' in options() ? {} : { strategy: name }), ...options() });

describe('[TENEX-02] strategies by name', () => {
  test('[TENEX-Q19] an unknown one is an error of the definition, which says which there are', () => {
    expect(() => agent({ name: 'a', strategy: 'routng' })).toThrow(
      expect.objectContaining({
        code: 'agent.invalid',
        message: expect.stringMatching(/'routng'.*reason-act, routing/),
      }),
    );
    expect(() => agent({ name: 'a', strategy: 'passthrough' })).toThrow('passthrough({ name, engine })');
  });

  test('without one an agent reasons and acts', async () => {
    const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'done']);
    const { events } = await agent({ name: 'a', model, tools: [echo] }).run('go');
    expect(phasesOf(events)).toContain('ACT');
  });

  test('one of your own is registered once, and another of its name is refused', async () => {
    registerStrategy(own);
    registerStrategy(own);
    expect(strategyNames()).toContain('own');
    expect((await agent({ name: 'ada', strategy: 'own' }).run('go')).output).toBe('from ada');
    expect(() => {
      registerStrategy({ ...own });
    }).toThrow(expect.objectContaining({ code: 'agent.duplicate' }));
  });

  test.each([null, {}, { name: '' }, { name: 'x', engine: 'claude' }, { name: 'x', answer: {} }])(
    'what is no strategy is refused: %j',
    (given) => {
      // In JavaScript anything may stand there.
      expect(() => agent({ name: 'a', strategy: given as unknown as StrategyChoice })).toThrow(
        expect.objectContaining({ code: 'agent.invalid' }),
      );
    },
  );

  test('options that a strategy would have to ignore are refused', () => {
    const strategy = passthrough({ engine: { ask: () => ({ text: 'x' }) } });
    expect(() => agent({ name: 'a', strategy, tools: [echo] })).toThrow('has its own tools: 1 were given');
    expect(() => agent({ name: 'a', strategy: own, model: scriptedModel([]) })).toThrow('has its own model');
  });
});

describe('strategies go together', () => {
  const marked = (mark: string): Strategy => ({
    name: mark,
    model: (model) => ({
      ...model,
      answer: async (request, call) => {
        const said = await model.answer(request, call);
        return { ...said, text: `${mark}(${said.text})` };
      },
    }),
    decide: async (view, inner) => {
      const choice = await inner(view);
      return choice?.kind === 'answer' ? answer(`${mark}[${textOf(choice.answer)}]`) : choice;
    },
    review: (decision) =>
      decision.kind === 'answer'
        ? { kind: 'replace', decision: { kind: 'answer', answer: `${mark}<${textOf(decision.answer)}>` } }
        : { kind: 'keep' },
  });

  test('the first is outermost, whether it wraps a model, a choice or reviews', async () => {
    const strategy = [marked('a'), marked('b')];
    const model = scriptedModel(['x']);
    expect((await agent({ name: 'one', model, strategy }).run('go')).output).toBe('a<b<a(b(x))>>');
    const own = agent({ name: 'two', strategy, decide: () => answer('x') });
    expect((await own.run('go')).output).toBe('a<b<a[b[x]]>>');
  });

  test('a refusal by the inner one is not shown to the outer one', async () => {
    const seen: unknown[] = [];
    const outer: Strategy = {
      name: 'outer',
      review: (decision) => {
        seen.push(decision);
        return { kind: 'keep' };
      },
    };
    const picky: Strategy = {
      name: 'picky',
      review: ({ kind }) =>
        kind === 'answer' && seen.length === 0 && refusals++ === 0 ? refuse : { kind: 'keep' },
    };
    const refuse = { kind: 'refuse', reason: 'not yet' } as const;
    let refusals = 0;
    const model = scriptedModel(['first', 'second']);
    const result = await agent({ name: 'one', model, strategy: [outer, picky] }).run('go');
    expect(result.output).toBe('second');
    expect(seen).toEqual([{ kind: 'answer', answer: 'second' }]);
  });

  test('the nearest to the agent sets what it leaves open, and the agent has the last word', async () => {
    const patient = (name: string, attempts: number): Strategy => ({
      name,
      retry: { attempts },
      maxRejections: attempts,
    });
    const busy = () => new TroupeError('model.rate-limited', 'Cannot answer now', { retryable: 'yes' });
    const asked = async (failures: AgentOptions['failures']) => {
      const model = scriptedModel([busy(), busy(), busy(), 'late']);
      const clock = virtualClock();
      const strategy = [patient('a', 4), patient('b', 2)];
      const handle = start(agent({ name: 'one', model, strategy, failures }), 'go', { clock });
      await letTimePass(clock, settled(handle));
      return model.requests.length;
    };
    expect(await asked({})).toBe(2);
    expect(await asked({ retry: { attempts: 3 } })).toBe(3);
  });

  test.each<[string, () => unknown, string]>([
    [
      'two engines',
      () => agent({ name: 'a', strategy: [own, { ...own, name: 'other' }] }),
      "several of its strategies have an engine: 'own', 'other'",
    ],
    [
      'two forms of an answer',
      () => agent({ name: 'a', strategy: ['routing', routing()] }),
      "several of its strategies ask for a form of the answer: 'routing', 'routing'",
    ],
    ['an engine in a fallback', () => fallback(own), "Cannot fall back on 'own'"],
    ['a form in a fallback', () => fallback(chainOfThought(), routing()), "Cannot fall back on 'routing'"],
    ['a review in a fallback', () => fallback(personInTheLoop()), "Cannot fall back on 'person-in-the-loop'"],
  ])('%s are refused, as one would be ignored', (_, define, message) => {
    expect(define).toThrow(
      expect.objectContaining({ code: 'agent.invalid', message: expect.stringContaining(message) }),
    );
  });
});

describe('[TENEX-03] one contract for all strategies with an answer of their own', () => {
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
    const strategy = passthrough({
      engine: {
        ask: (request) => {
          asked.push(request);
          throw new Error('out of coffee');
        },
      },
    });
    const coder = agent({ name: 'coder', strategy });
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
    const strategy = passthrough({
      engine: {
        ask: (request) => {
          ({ signal } = request);
          return never();
        },
      },
    });
    const handle = start(agent({ name: 'a', strategy }), 'go');
    while (signal === undefined) await new Promise((resolve) => setImmediate(resolve));
    handle.abort('enough');
    expect((await handle.result).status).toBe('aborted');
    expect(signal.aborted).toBe(true);
  });
});

describe('an answer with a schema', () => {
  test('is checked whoever gives it, and asked for again with what was wrong', async () => {
    const prompts: string[] = [];
    const strategy = passthrough({
      engine: {
        ask: ({ prompt }) => {
          prompts.push(prompt);
          return { text: prompts.length === 1 ? '{"n": "x"}' : '```json\n{"n": 4}\n```', session: 's' };
        },
      },
    });
    const counting = agent({ name: 'counting', strategy, output: z.object({ n: z.number() }) });
    expect((await counting.run('count')).output).toEqual({ n: 4 });
    expect(prompts).toEqual(['count', expect.stringContaining('n: ')]);
  });
});

test('a router can be of any name and hand the work on', async () => {
  const strategy = routing({ agents: { billing: 'money', tech: '' }, handsOff: true });
  const result = await agent({ name: 'desk', strategy, model: scriptedModel([routed]) }).run('go');
  expect(result).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'handedOff', to: 'billing', message: 'it is about money' },
  });
});

test('what an engine throws with a code keeps it', async () => {
  const ask = () => {
    throw new TroupeError('model.auth', 'Cannot log in');
  };
  const result = await settled(agent({ name: 'a', strategy: passthrough({ engine: { ask } }) }).stream('go'));
  expect(result.error?.code).toBe('model.auth');
});
