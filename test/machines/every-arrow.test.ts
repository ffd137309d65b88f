import type { AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { arrowsFrom, chartOf, statesWithin } from '../../src/machines/diagrams/chart.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import type { Walk } from '../../src/testing/walk.ts';
import {
  abort,
  expire,
  accept,
  act,
  agentWalk,
  back,
  break_,
  calling,
  decide,
  deciding,
  failure,
  giving,
  halt,
  judge,
  judging,
  look,
  prepared,
  problem,
  ready,
  refusing,
  resulting,
  recover,
  rules,
  say,
  saying,
  success,
  trouble,
  wake,
} from './agent-walks.ts';
import { abortCall, breakCall, modelWalk, toolWalk } from './call-walks.ts';

const refused = {
  kind: 'spent',
  stopReason: { kind: 'budget', budget: 'steps', limit: 4, used: 4, path: 'team' },
  isUnbegun: true,
} as const;
const wait = decide(deciding({ kind: 'wait', forMs: 10 }));
const seeing = { observes: true };
const pause = { pause: () => undefined };
const tool = (result = success()) => ({ tool: () => resulting(result) });
const yes = { approve: () => ({ isApproved: true }) };

/** Walks that lead, taken together, along every arrow; each with where it ends. */
const walks: {
  machine: AnyStateMachine;
  walks: Readonly<Record<string, { end: string; walk: () => Walk<AnyStateMachine> }>>;
}[] = [
  {
    machine: agentMachine,
    walks: {
      'cannot begin': {
        end: 'failed',
        walk: () => agentWalk([{ prepare: () => prepared({ problems: [problem('no model')] }) }]),
      },
      'may not begin a step': {
        end: 'stopped',
        walk: () => agentWalk([ready, decide(refused)]),
      },
      'acts, with one troubled call and one late one, is judged, and answers': {
        end: 'completed',
        walk: () =>
          agentWalk(
            [
              say('hello'),
              ready,
              decide(trouble()),
              decide(calling('look', 'look')),
              { act: () => trouble() },
              act(),
              act(),
              judge(accept),
              decide(saying('42')),
              judge(accept),
            ],
            { critics: 'step' },
          ),
      },
      'sees, sleeps, is woken twice, and is stopped': {
        end: 'stopped',
        walk: () =>
          agentWalk(
            [
              ready,
              look('rain'),
              wait,
              wake,
              look(),
              wait,
              say('hello'),
              look(),
              decide(calling('look')),
              act(),
            ],
            seeing,
            rules({ stop: [maxSteps(3)] }),
          ),
      },
      'is out of time in the midst of a call': {
        end: 'stopped',
        walk: () => agentWalk([ready, look(), decide(calling('look')), expire], seeing),
      },
      'goes on seeing, is judged, and is called off': {
        end: 'aborted',
        walk: () => agentWalk([ready, look(), decide(calling('look')), act(), look(), abort], seeing),
      },
      'gives work away, sleeps until it comes back, and is called off': {
        end: 'aborted',
        walk: () =>
          agentWalk([
            ready,
            decide(calling('look', 'look', 'look')),
            giving(0),
            giving(1),
            giving(2),
            wait,
            back(0),
            back(1),
            back(2),
            decide(calling('look')),
            giving(3),
            wait,
            back(3),
            decide(calling('look', 'look')),
            giving(4),
            giving(5),
            wait,
            back(4),
            say('hello'),
            back(5),
            decide(calling('look', 'look')),
            giving(6),
            giving(7),
            wait,
            back(6),
            wake,
            abort,
          ]),
      },
      'the same with open eyes': {
        end: 'aborted',
        walk: () =>
          agentWalk(
            [
              ready,
              look(),
              decide(calling('look', 'look')),
              giving(0),
              giving(1),
              look(),
              wait,
              back(0),
              back(1),
              look(),
              decide(calling('look')),
              giving(2),
              look(),
              wait,
              back(2),
              look(),
              decide(calling('look', 'look')),
              giving(3),
              giving(4),
              look(),
              wait,
              back(3),
              say('hello'),
              look(),
              decide(calling('look')),
              giving(5),
              look(),
              wait,
              back(5),
              wake,
              look(),
              abort,
            ],
            seeing,
          ),
      },
      'sleeps without eyes, and breaks': {
        end: 'failed',
        walk: () => agentWalk([ready, wait, wake, wait, say('hello'), break_('decide')]),
      },
      'stumbles, tries again, sees and acts otherwise, goes on with the other call, skips, and gives up': {
        end: 'failed',
        walk: () =>
          agentWalk(
            [
              ready,
              break_('observe', 0, 'agent.threw', 'OBSERVE'),
              recover({ decision: 'replace', observation: 'fog' }),
              break_('decide', 0, 'model.timeout'),
              recover({ decision: 'retry' }),
              break_('decide', 0, 'model.timeout'),
              recover({ decision: 'replace', decided: calling('look', 'look') }),
              break_('act', 0, 'tool.failed'),
              recover({ decision: 'skip' }),
              break_('act', 1, 'tool.failed'),
              recover({ decision: 'replace', text: 'instead' }),
              break_('observe', 0, 'agent.threw', 'OBSERVE'),
              recover({ decision: 'skip' }),
              look(),
              break_('decide', 0, 'model.timeout'),
              recover({ decision: 'giveUp' }),
            ],
            { observes: true, recoveries: 9 },
          ),
      },
      'stumbles, and ends the step': {
        end: 'aborted',
        walk: () =>
          agentWalk([ready, break_('decide', 0, 'model.timeout'), recover({ decision: 'skip' }), abort], {
            recoveries: 1,
          }),
      },
      'goes on without an answer, until its own reducer throws': {
        end: 'failed',
        walk: () =>
          agentWalk(
            [ready, decide(calling('look')), act(), decide(calling('look')), act()],
            {},
            rules({
              reduce: ({ state, step }) => {
                if (step === 1) throw new Error('boom');
                return state;
              },
            }),
          ),
      },
    },
  },
  {
    machine: modelCallMachine,
    walks: {
      'waits, tries again, falls back, and answers': {
        end: 'answered',
        walk: () =>
          modelWalk(
            [pause, { model: () => trouble({ waitMs: null }) }, { model: () => saying('42') }],
            {},
            2,
          ),
      },
      'is refused': { end: 'refused', walk: () => modelWalk([pause, { model: () => refusing }]) },
      'gives up': { end: 'failed', walk: () => modelWalk([], { waitMs: null }) },
      breaks: { end: 'failed', walk: () => modelWalk([pause, breakCall]) },
      'is called off': { end: 'cancelled', walk: () => modelWalk([abortCall]) },
    },
  },
  {
    machine: toolCallMachine,
    walks: {
      'is approved, fails, waits, and succeeds': {
        end: 'succeeded',
        walk: () =>
          toolWalk([yes, { tool: () => trouble() }, pause, tool()], { needsApproval: true, waitMs: null }),
      },
      'is denied': {
        end: 'denied',
        walk: () => toolWalk([{ approve: () => ({ isApproved: false }) }], { needsApproval: true }),
      },
      'gives up': { end: 'failed', walk: () => toolWalk([], { waitMs: null }) },
      fails: { end: 'failed', walk: () => toolWalk([pause, tool(failure())]) },
      'takes too long': { end: 'timedOut', walk: () => toolWalk([pause, tool(failure('timeout'))]) },
      'was cancelled below': { end: 'cancelled', walk: () => toolWalk([pause, tool(failure('cancelled'))]) },
      'may or may not have worked': {
        end: 'ambiguous',
        walk: () => toolWalk([pause, tool(failure('system', 'tool.ambiguous'))]),
      },
      breaks: { end: 'failed', walk: () => toolWalk([pause, breakCall]) },
      'is called off': { end: 'cancelled', walk: () => toolWalk([abortCall]) },
    },
  },
];

describe.each(walks)('[M1] $machine.id', ({ machine, walks: each }) => {
  test.each(Object.entries(each))('%s', (_, { end, walk }) => {
    expect(walk().value).toBe(end);
  });

  const all = statesWithin(chartOf(machine));
  const arrows = all.flatMap(arrowsFrom);

  test(`all of its ${all.length} states are entered, and all of its ${arrows.length} arrows are taken`, () => {
    const positions = Object.values(each).flatMap(({ walk }) => walk().positions);
    const taken = new Set(positions.flatMap((position) => position.arrows));
    const entered = new Set(positions.flatMap((position) => position.states));
    expect(arrows.map(({ key }) => key).filter((key) => !taken.has(key))).toEqual([]);
    expect(all.map(({ id }) => id).filter((id) => !entered.has(id))).toEqual([]);
    expect([...taken].filter((key) => !arrows.some((arrow) => arrow.key === key))).toEqual([]);
  });
});

test('the count notices an arrow that is not taken', () => {
  const taken = agentWalk([ready, decide(saying('42'))]).positions.flatMap((position) => position.arrows);
  expect(taken).toEqual([
    'agent.preparing: answered.prepare #2',
    'agent.running.OBSERVE.listening: always #0',
    'agent.running.DECIDE: answered.decide #3',
    'agent.running.REDUCE: always #1',
    'agent.running.CHECK_STOP: always #0 [isAnswered]',
  ]);
  const stopped = agentWalk([ready, decide(saying('42')), { critique: () => judging(halt) }], {
    critics: 'answer',
  });
  expect(stopped.positions.at(-1)?.arrows).toEqual([
    'agent.running.CRITIC: answered.critique #0',
    'agent.running.CHECK_STOP: always #2 [mustStop]',
  ]);
});
