import { describe, expect, test } from 'vitest';
import type { MachineOutput } from '../../src/testing/moves.ts';
import { HistoryView } from '../../src/contracts/history.ts';
import type { StepRecord } from '../../src/contracts/run.ts';
import {
  abort,
  accept,
  act,
  again,
  agentInput,
  agentWalk,
  break_,
  calling,
  decide,
  deciding,
  failure,
  judge,
  look,
  prepared,
  problem,
  ready,
  refusing,
  rules,
  say,
  saying,
  success,
  trouble,
  wake,
} from './agent-walks.ts';

const emitted = (outputs: readonly MachineOutput[], type: string) =>
  outputs.flatMap((each) => (each.type === 'emit' && each.body.type === type ? [each] : []));

const transcript = (walked: ReturnType<typeof agentWalk>) =>
  new HistoryView(walked.context.history).toArray();

describe('the order of phases', () => {
  test('[ENG-01, QITOS-02] a step goes OBSERVE, DECIDE, ACT, REDUCE, CRITIC, CHECK_STOP, as often as it takes', () => {
    const { path } = agentWalk(
      [
        ready,
        look(),
        decide(calling('look')),
        act(),
        judge(accept),
        look(),
        decide(calling('look')),
        act(),
        judge(accept),
        look(),
        decide(saying('done')),
        judge(accept),
      ],
      { observes: true, critics: 'step' },
    );
    const step = ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CRITIC', 'CHECK_STOP'];
    const last = step.filter((phase) => phase !== 'ACT');
    expect(path).toEqual(['preparing', ...step, ...step, ...last, 'completed']);
  });

  test('[QITOS-02, ENG-09, DODO-03] an answer skips ACT and ends the run', () => {
    const { path, output } = agentWalk([ready, decide(saying('42'))]);
    expect(path).toEqual(['preparing', 'OBSERVE', 'DECIDE', 'REDUCE', 'CHECK_STOP', 'completed']);
    expect(output).toMatchObject({
      status: 'completed',
      output: '42',
      stopReason: { kind: 'answered' },
      steps: 1,
      tally: { toolCalls: 0 },
    });
  });

  test('[QITOS-17] where ACT is skipped no tool is asked for and nothing is said to be done', () => {
    for (const decision of [
      saying('42'),
      deciding({ kind: 'wait' }),
      deciding({ kind: 'handoff', to: 'bob' }),
    ]) {
      const { outputs } = agentWalk([ready, decide(decision)]);
      expect(emitted(outputs, 'agent.acted')).toEqual([]);
      expect(outputs.filter((each) => each.type === 'ask' && each.ask.port === 'act')).toEqual([]);
    }
  });

  test('[QITOS-17, D29] a decision to act without a call does not wait for ever', () => {
    const { path, asks } = agentWalk([ready, decide(calling())]);
    expect(path).not.toContain('ACT');
    expect(asks.map(({ port }) => port)).toEqual(['decide']);
  });

  test('[QITOS-01] no answer can reorder the phases: what is not asked for changes nothing', () => {
    const before = agentWalk([ready]);
    const after = agentWalk([
      ready,
      { type: 'answered.prepare', at: 9_000, output: prepared() },
      { type: 'answered.observe', at: 9_000, output: 'x' },
      { type: 'answered.act', at: 9_000, index: 0, output: { kind: 'result', result: success() } },
      { type: 'answered.critique', at: 9_000, output: { critiques: [accept], verdict: accept } },
      { type: 'answered.wake', at: 9_000 },
    ]);
    expect(after.context).toEqual(before.context);
    expect(after.value).toEqual(before.value);
    expect(after.outputs).toEqual(before.outputs);
  });

  test('[QITOS-22] CRITIC is entered only if there are critics, and of answers only where they ask for no more', () => {
    const steps = [ready, decide(calling('look')), act()];
    expect(agentWalk(steps).path).not.toContain('CRITIC');
    expect(agentWalk(steps, { critics: 'answer' }).path).not.toContain('CRITIC');
    expect(agentWalk(steps, { critics: 'step' }).path).toContain('CRITIC');
    expect(agentWalk([ready, decide(saying('42'))], { critics: 'answer' }).path).toContain('CRITIC');
  });

  test('[law 6] every phase event carries the label of its step, from OBSERVE to CHECK_STOP', () => {
    const { outputs } = agentWalk(
      [ready, decide(calling('look')), act(), judge(accept), decide(saying('42')), judge(accept)],
      { critics: 'step' },
    );
    const labels = outputs.flatMap((each) =>
      each.type === 'enter'
        ? [`${each.phase} ${each.step}`]
        : each.type === 'emit'
          ? [`${each.body.type} ${each.phase} ${each.step}`]
          : [],
    );
    expect(labels).toEqual([
      'preparing 0',
      'agent.prepared preparing 0',
      'OBSERVE 0',
      'agent.observed OBSERVE 0',
      'DECIDE 0',
      'agent.decided DECIDE 0',
      'ACT 0',
      'agent.acted ACT 0',
      'REDUCE 0',
      'agent.reduced REDUCE 0',
      'CRITIC 0',
      'agent.critiqued CRITIC 0',
      'CHECK_STOP 0',
      'agent.checked CHECK_STOP 0',
      'step.ended CHECK_STOP 0',
      'OBSERVE 1',
      'agent.observed OBSERVE 1',
      'DECIDE 1',
      'agent.decided DECIDE 1',
      'REDUCE 1',
      'agent.reduced REDUCE 1',
      'CRITIC 1',
      'agent.critiqued CRITIC 1',
      'CHECK_STOP 1',
      'agent.checked CHECK_STOP 1',
      'step.ended CHECK_STOP 1',
      'completed 2',
    ]);
  });
});

describe('preparing', () => {
  test('[QITOS-03] problems end the run with 0 steps, all of them told', () => {
    const { path, output, outputs } = agentWalk([
      { prepare: () => prepared({ problems: [problem('no model'), problem('no tool')] }) },
    ]);
    expect(path).toEqual(['preparing', 'failed']);
    expect(output).toMatchObject({ status: 'failed', steps: 0, error: { message: 'no model; no tool' } });
    expect(emitted(outputs, 'agent.prepared')).toHaveLength(1);
  });

  test('one problem is told as it is', () => {
    const { output } = agentWalk([{ prepare: () => prepared({ problems: [problem('no model')] }) }]);
    expect(output?.error).toEqual(problem('no model'));
  });

  test('[design 2] the first macrostep asks for one piece of work', () => {
    expect(agentWalk([]).outputs.filter(({ type }) => type === 'ask')).toHaveLength(1);
    expect(agentWalk([]).outputs.filter(({ type }) => type === 'engage')).toEqual([]);
  });
});

describe('observing', () => {
  test('[QITOS-05] what is seen is on the record and in the conversation, and is told once a step', () => {
    const walked = agentWalk([ready, look({ door: 'open' }), decide(saying('in'))], { observes: true });
    const [ended] = emitted(walked.outputs, 'step.ended');
    expect(ended?.body).toMatchObject({ record: { step: 0, observation: { door: 'open' } } });
    expect(transcript(walked)[1]).toEqual({ role: 'user', from: 'observation', text: '{"door":"open"}' });
    expect(emitted(walked.outputs, 'agent.observed')).toHaveLength(1);
  });

  test('[QITOS-05] an environment that says nothing adds nothing', () => {
    const walked = agentWalk([ready, look(), decide(saying('in'))], { observes: true });
    expect(transcript(walked).map(({ text }) => text)).toEqual(['What is 40 + 2?', 'in']);
  });
});

describe('counting', () => {
  test('[DODO-06, QITOS-13] only a step that is through counts: acting, waiting and turns that cannot stand, once each', () => {
    const { output, positions } = agentWalk([
      ready,
      decide(calling('look', 'look')),
      act(),
      act(),
      decide(again()),
      decide(deciding({ kind: 'wait' })),
      say('go on'),
      decide(saying('42')),
    ]);
    expect(positions.map(({ context }) => context.step)).toEqual([0, 0, 0, 0, 1, 2, 3, 3, 4]);
    expect(output?.steps).toBe(4);
  });

  test('[DODO-06, DODO-07, D19] attempts of one step are no steps: they are counted as retries', () => {
    const { output } = agentWalk([
      ready,
      decide(trouble({ usage: { input: 5, output: 2 } })),
      decide({ ...saying('42'), ...{ usage: { input: 5, output: 2 }, retries: 2 } }),
    ]);
    expect(output).toMatchObject({ steps: 1, tally: { retries: 2, inputTokens: 10, outputTokens: 4 } });
  });

  test('[DODO-07] attempts of tools count as retries, too', () => {
    const { output } = agentWalk([
      ready,
      decide(calling('look', 'look')),
      act(success('x', { attempts: 3 })),
      act(failure()),
      decide(saying('42')),
    ]);
    expect(output?.tally).toMatchObject({ retries: 2, toolCalls: 2 });
  });

  test('tokens are counted in and out and from the cache, by every kind of turn', () => {
    const usage = { input: 10, output: 5, cached: 4 };
    const { output } = agentWalk([
      ready,
      decide({ ...calling('look'), ...{ usage } }),
      act(),
      decide(again()),
      decide(refusing),
    ]);
    expect(output?.tally).toMatchObject({
      modelCalls: 3,
      inputTokens: 14,
      outputTokens: 7,
      cachedTokens: 4,
    });
  });

  test('[law 9] time is what the envelopes say', () => {
    const { context } = agentWalk([
      ready,
      { type: 'message', at: 5_000, message: { from: 'bob', text: 'hi' } },
    ]);
    expect(context.tally).toMatchObject({ startedAt: 1_000, now: 5_000 });
  });
});

describe('the record of a step', () => {
  test('[QITOS-04, M2] is told when the step ends, with ids from 0', () => {
    const { outputs } = agentWalk(
      [
        ready,
        decide(calling('look')),
        act(success('seen')),
        judge(accept),
        decide(saying('42')),
        judge(accept),
      ],
      { critics: 'step' },
    );
    const records = emitted(outputs, 'step.ended').map(({ body }) =>
      body.type === 'step.ended' ? (body.record as unknown as StepRecord) : undefined,
    );
    expect(records.map((record) => record?.step)).toEqual([0, 1]);
    expect(records[0]).toMatchObject({
      path: 'ada',
      agent: 'ada',
      decision: { kind: 'act' },
      results: [{ text: 'seen' }],
      critiques: [accept],
      diff: {},
    });
    expect(records[1]).toMatchObject({ decision: { kind: 'answer' }, results: [] });
  });

  test('[QITOS-21] the diff lists the keys that the reducer changed, with before and after, and no other', () => {
    const { outputs, context } = agentWalk(
      [ready, decide(calling('look')), act(success('7'))],
      { state: { seen: 0, name: 'ada', old: true } },
      rules({
        reduce: ({ state, results }) => {
          const { seen: _, old: __, ...rest } = state as { seen: number; old: boolean };
          return { ...rest, seen: results.length, fresh: 'yes' };
        },
      }),
    );
    expect(context.state).toEqual({ name: 'ada', seen: 1, fresh: 'yes' });
    expect(emitted(outputs, 'agent.reduced')[0]?.body).toEqual({
      type: 'agent.reduced',
      diff: {
        seen: { before: 0, after: 1 },
        old: { before: true, after: undefined },
        fresh: { before: undefined, after: 'yes' },
      },
    });
  });

  test('[QITOS-21] a state that is no object is one change', () => {
    const { outputs } = agentWalk([ready, decide(saying('x'))], { state: 1 }, rules({ reduce: () => 2 }));
    expect(emitted(outputs, 'agent.reduced')[0]?.body).toMatchObject({
      diff: { state: { before: 1, after: 2 } },
    });
  });

  test('[QITOS-21] a reducer that leaves the state alone changes nothing', () => {
    const { outputs } = agentWalk([ready, decide(saying('x'))], {}, rules({ reduce: ({ state }) => state }));
    expect(emitted(outputs, 'agent.reduced')[0]?.body).toMatchObject({ diff: {} });
  });

  test('[QITOS-21] the reducer sees step, observation, decision and results, each once', () => {
    const seen: unknown[] = [];
    agentWalk(
      [ready, look('rain'), decide(calling('look')), act(success('7')), look(), decide(saying('x'))],
      { observes: true },
      rules({
        reduce: ({ state, ...view }) => {
          seen.push(view);
          return state;
        },
      }),
    );
    expect(seen).toMatchObject([
      { step: 0, observation: 'rain', decision: { kind: 'act' }, results: [{ text: '7' }] },
      { step: 1, observation: undefined, decision: { kind: 'answer' }, results: [] },
    ]);
  });
});

describe('the conversation', () => {
  test("[ENG-07] the assistant's turn is directly followed by all its results, failures too, in call order", () => {
    const walked = agentWalk([
      ready,
      decide(calling('a', 'b')),
      { type: 'answered.act', at: 1, index: 1, output: { kind: 'result', result: failure() } },
      { type: 'answered.act', at: 1, index: 0, output: { kind: 'result', result: success('first') } },
    ]);
    expect(transcript(walked).slice(1)).toMatchObject([
      { role: 'assistant', calls: [{ name: 'a' }, { name: 'b' }] },
      { role: 'tool', text: 'first' },
      { role: 'tool', text: 'Error: it broke.', failed: true },
    ]);
    expect(walked.status).toBe('active');
  });

  test('a turn that cannot stand is kept, with a word why', () => {
    const walked = agentWalk([ready, decide(again())]);
    expect(transcript(walked).slice(1)).toMatchObject([
      { role: 'assistant', text: '{' },
      { role: 'user', from: 'runtime', text: 'That was no JSON.' },
    ]);
  });
});

describe('messages', () => {
  test('[M6] a message during preparing or ACT is seen at the next OBSERVE, not before', () => {
    const early = agentWalk([say('early'), ready]);
    expect(transcript(early).map(({ text }) => text)).toEqual(['What is 40 + 2?', 'early']);
    expect(early.context.inbox).toEqual([]);

    const during = agentWalk([ready, decide(calling('look')), say('meanwhile')]);
    expect(during.context.inbox).toHaveLength(1);
    expect(transcript(during).map(({ text }) => text)).not.toContain('meanwhile');
    const after = agentWalk([ready, decide(calling('look')), say('meanwhile'), act()]);
    expect(after.context.inbox).toEqual([]);
    expect(transcript(after).at(-1)).toEqual({ role: 'user', from: 'bob', text: 'meanwhile' });
    expect(emitted(after.outputs, 'agent.observed').map(({ body }) => body)).toMatchObject([
      { messages: 0 },
      { messages: 1 },
    ]);
  });

  test('messages are seen in the order they came', () => {
    const walked = agentWalk([ready, say('one'), say('two'), decide(again())]);
    expect(
      transcript(walked)
        .slice(-2)
        .map(({ text }) => text),
    ).toEqual(['one', 'two']);
  });

  test('[M10] an agent that waits sleeps until a message comes', () => {
    const asleep = agentWalk([ready, decide(deciding({ kind: 'wait', reason: 'the customer' }))]);
    expect(asleep.value).toBe('waiting');
    expect(asleep.asks).toEqual([]);
    expect(emitted(asleep.outputs, 'agent.waiting')[0]?.body).toEqual({
      type: 'agent.waiting',
      reason: 'the customer',
    });
    const awake = agentWalk([ready, decide(deciding({ kind: 'wait' })), say('hello')]);
    expect(awake.path.slice(-2)).toEqual(['OBSERVE', 'DECIDE']);
    expect(transcript(awake).at(-1)).toMatchObject({ text: 'hello' });
  });

  test('[M10] or until its time is up, told as an absolute time', () => {
    const asleep = agentWalk([ready, decide(deciding({ kind: 'wait', forMs: 500 }))]);
    expect(asleep.asks).toMatchObject([{ port: 'wake', step: 0, phase: 'waiting', input: { dueAt: 1_500 } }]);
    const awake = agentWalk([ready, decide(deciding({ kind: 'wait', forMs: 500 })), wake]);
    expect(awake.path.slice(-2)).toEqual(['OBSERVE', 'DECIDE']);
    expect(awake.context.tally.now).toBe(1_500);
  });

  test('whatever wakes an agent, the other is withdrawn', () => {
    const woken = agentWalk([ready, decide(deciding({ kind: 'wait', forMs: 500 })), say('hello')]);
    expect(woken.asks.map(({ port }) => port)).toEqual(['decide']);
  });

  test('an agent that has mail does not fall asleep', () => {
    const { path } = agentWalk([ready, say('psst'), decide(deciding({ kind: 'wait' }))]);
    expect(path).not.toContain('waiting');
    expect(path.at(-1)).toBe('DECIDE');
  });

  test('[QITOS-13] a wait is a step like any other: it is reduced, counted, and the rules hold', () => {
    const seen: number[] = [];
    const { output } = agentWalk(
      [ready, decide(deciding({ kind: 'wait' })), say('hello'), decide(deciding({ kind: 'wait' }))],
      {},
      rules({
        stop: [
          { name: 'two', check: ({ step }) => (step >= 2 ? { kind: 'maxSteps', limit: 2 } : undefined) },
        ],
        reduce: ({ state, step }) => {
          seen.push(step);
          return state;
        },
      }),
    );
    expect(seen).toEqual([0, 1]);
    expect(output).toMatchObject({ status: 'stopped', stopReason: { kind: 'maxSteps' } });
  });
});

describe('the end of a run', () => {
  /** A walk that ends in each state that lasts. */
  const places = {
    preparing: [],
    looking: [ready],
    DECIDE: [ready, look()],
    'DECIDE, troubled': [ready, look(), decide(trouble())],
    ACT: [ready, look(), decide(calling('look', 'look'))],
    'ACT, troubled': [ready, look(), decide(calling('look')), { act: () => trouble() }],
    CRITIC: [ready, look(), decide(saying('42'))],
    waiting: [ready, look(), decide(deciding({ kind: 'wait', forMs: 10 })), judge(accept)],
  };

  test.each(Object.entries(places))(
    '[law 3] abort ends it from %s, and nothing stays asked',
    (place, steps) => {
      const before = agentWalk(steps, { observes: true, critics: 'step' });
      expect(JSON.stringify(before.value)).toContain(place.split(',')[0]);
      const { path, output, asks } = agentWalk([...steps, abort], { observes: true, critics: 'step' });
      expect(path.at(-1)).toBe('aborted');
      expect(output).toMatchObject({ status: 'aborted', stopReason: { kind: 'aborted', reason: 'enough' } });
      expect(asks).toEqual([]);
    },
  );

  test.each(Object.entries(places))('[D27] work that fails for good ends it from %s', (_, steps) => {
    const { path, output, asks } = agentWalk([...steps, break_('act')], { observes: true, critics: 'step' });
    expect(path.at(-1)).toBe('failed');
    expect(output).toMatchObject({
      status: 'failed',
      stopReason: { kind: 'failed' },
      error: { code: 'internal' },
    });
    expect(asks).toEqual([]);
  });

  test('[design 2] a handoff ends it, told to whom, by decision or by tool', () => {
    const decided = agentWalk([ready, decide(deciding({ kind: 'handoff', to: 'bob', message: 'yours' }))]);
    expect(decided.output).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'handedOff', to: 'bob', message: 'yours' },
      steps: 1,
    });
    const control = { type: 'handoff', to: 'bob' } as const;
    const called = agentWalk([ready, decide(calling('handoff')), act(success('ok', { control }))], {
      critics: 'step',
    });
    expect(called.output).toMatchObject({ status: 'stopped', stopReason: { kind: 'handedOff', to: 'bob' } });
    expect(called.path).not.toContain('CRITIC');
  });

  test('[D39] a control tool ends it only if it succeeded', () => {
    const control = { type: 'complete', answer: '42' } as const;
    expect(
      agentWalk([ready, decide(calling('complete')), act(success('ok', { control }))]).output,
    ).toMatchObject({
      status: 'completed',
      output: '42',
    });
    expect(agentWalk([ready, decide(calling('complete')), act(failure('validation'))]).status).toBe('active');
  });

  test('a refusal ends it', () => {
    expect(agentWalk([ready, decide(refusing)]).output).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'refused', text: 'I would rather not.' },
    });
  });

  test('turns that cannot stand are bounded: the third in a row ends it with what was wrong', () => {
    const bad = decide(again(problem('no JSON')));
    expect(agentWalk([ready, bad, bad]).status).toBe('active');
    expect(agentWalk([ready, bad, bad, bad]).output).toMatchObject({
      status: 'failed',
      error: problem('no JSON'),
      steps: 3,
    });
    expect(agentWalk([ready, bad, bad, decide(calling('look')), act(), bad, bad]).status).toBe('active');
  });

  test('[F17] tools that do not exist are bounded: the third step of nothing else ends it', () => {
    const lost = [decide(calling('nowhere', 'nowhere')), act(failure('unknown')), act(failure('unknown'))];
    const half = [decide(calling('nowhere', 'look')), act(failure('unknown')), act()];
    expect(agentWalk([ready, ...lost, ...lost]).status).toBe('active');
    expect(agentWalk([ready, ...lost, ...lost, ...half, ...lost, ...lost]).status).toBe('active');
    expect(agentWalk([ready, ...lost, ...lost, ...lost]).output).toMatchObject({
      status: 'failed',
      steps: 3,
    });
  });

  test('[law 4] the context factory stands an input of undefined', () => {
    expect(agentWalk([], agentInput()).context.run.agent).toBe('ada');
  });
});
