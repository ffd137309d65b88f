import { describe, expect, test } from 'vitest';
import type { MachineOutput } from '../../src/testing/moves.ts';
import { HistoryView } from '../../src/base/collections/history.ts';
import {
  accept,
  act,
  again,
  agentWalk,
  calling,
  decide,
  deciding,
  failure,
  judge,
  judging,
  look,
  prepared,
  problem,
  ready,
  refusing,
  say,
  saying,
  success,
  trouble,
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

  test('[QITOS-02, ENG-09] an answer skips ACT and ends the run', () => {
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
      { type: 'answered.observe', at: 9_000, output: { observation: 'x' } },
      { type: 'answered.act', at: 9_000, index: 0, output: { kind: 'result', result: success() } },
      { type: 'answered.critique', at: 9_000, output: judging(accept) },
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
      decide({ ...saying('42'), usage: { input: 5, output: 2 }, retries: 2 }),
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
      decide({ ...calling('look'), usage }),
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
