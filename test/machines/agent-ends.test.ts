import { describe, expect, test } from 'vitest';
import type { MachineOutput } from '../../src/testing/moves.ts';
import { HistoryView } from '../../src/base/collections/history.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
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
    const records = emitted(outputs, 'step.ended').flatMap(({ body }) =>
      body.type === 'step.ended' ? [body.record] : [],
    );
    expect(records.map(({ step }) => step)).toEqual([0, 1]);
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

  test('[QITOS-21, law 2] a key that every object has by nature is new like any other', () => {
    const { context } = agentWalk(
      [ready, decide(calling('look')), act()],
      {},
      rules({ reduce: () => ({ valueOf: 1 }), stop: [maxSteps(1)] }),
    );
    expect(context.cycle.diff).toEqual({ valueOf: { before: undefined, after: 1 } });
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
    expect(
      agentWalk([ready, decide(calling('complete')), act(Object.assign(failure('validation'), { control }))])
        .status,
    ).toBe('active');
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
