import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { consensus, debate, jury, parallel, person, pipeline } from '../../src/patterns/index.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import type { Scenario } from './scenarios.ts';
import { outage, says } from './scenarios.ts';
import { never, quiet } from '../support/runs.ts';

/** Says something after a while. */
const slowly = (clock: VirtualClock, name: string, ms: number, said: Json = name) =>
  agent({
    name,
    decide: async () => {
      await new Promise<void>((resolve) => {
        clock.setTimeout(resolve, ms);
      });
      return answer(said);
    },
  });

/** Fails whenever it is asked. */
const fails = (name: string) =>
  agent({
    name,
    decide: () => {
      throw new Error(`${name} is out of paper`);
    },
  });

/** Teams whose members say what they think of the same thing. */
export const opinionScenarios: readonly Scenario[] = [
  {
    name: 'all at the same time: one slow, one that fails, one tried again; an agent makes one of it',
    tells: ['model.retrying', 'member.ended'],
    make: (clock) => ({
      agent: parallel({
        name: 'all',
        concurrency: 2,
        members: {
          slow: slowly(clock, 'slow', 1_500),
          failing: fails('failing'),
          again: says('again', outage(500), 'at last'),
          quick: says('quick', 'at once'),
        },
        aggregator: says('sum', 'all in all'),
      }),
    }),
  },
  {
    name: 'a quorum of all, one of them restarted, one out of time, and a list within a line',
    tells: ['child.restarted'],
    make: (clock) => {
      const quorum = parallel({
        name: 'quorum',
        quorum: 2,
        limits: { memberTimeMs: 60_000 },
        failures: {
          supervision: { intensity: { restarts: 2, withinMs: 30_000 }, directives: { bug: 'stop' } },
        },
        members: {
          never: says('never', () => never<string>()),
          slow: slowly(clock, 'slow', 2_500),
          flaky: says('flaky', new Error('dead'), 'mended'),
        },
        aggregator: (replies) => replies.map(({ status }) => status),
      }) as Agent<unknown, unknown>;
      const each = parallel({ name: 'each', each: says('reader', 'a', 'b', 'c'), concurrency: 1 });
      return {
        agent: pipeline({
          name: 'line',
          stages: [quorum, each as Agent<unknown, unknown>],
        }) as Agent<string, unknown>,
      };
    },
  },
  {
    name: 'a consensus in the third round, among proposals, one voter out of time, and a summary',
    tells: ['team.noted', 'message.sent'],
    make: (clock) => ({
      agent: consensus({
        name: 'board',
        choices: ['bus', 'tram'],
        rule: 'threshold',
        threshold: 0.6,
        weights: { slow: 2 },
        countAbstentions: true,
        limits: { memberTimeMs: 60_000 },
        voters: {
          slow: slowly(clock, 'slow', 5_000, { vote: 'tram', confidence: 2 }),
          ann: says('ann', '{"vote": "bus", "reason": "it is there"}', () => never<string>(), 'tram'),
          bob: says('bob', new Error('dead'), 'bus', 'Tram: so be it'),
        },
        summariser: says('sum', 'The tram it is.'),
      }),
      play: async (handle, now) => {
        await quiet();
        await now.advance(1_000);
        handle.send('Hurry.');
      },
    }),
  },
  {
    name: 'a debate: a turn that fails, a word to the team, and a judge who is tried again',
    tells: ['model.retrying', 'message.sent'],
    make: (clock) => ({
      agent: debate({
        name: 'court',
        debaters: {
          ann: slowly(clock, 'ann', 5_000),
          bob: says('bob', 'bob-1', new Error('dead'), 'bob-3'),
        },
        judge: says('judge', outage(500), '{"decision": "for", "confidence": 2}'),
      }),
      play: async (handle, now) => {
        await quiet();
        await now.advance(1_000);
        handle.send('Be fair.');
      },
    }),
  },
  {
    name: 'a jury with a person, who is slow in the first ballot and late in the second',
    tells: ['person.asked', 'person.answered', 'request.withdrawn'],
    make: () => ({
      agent: jury({
        name: 'panel',
        countAbstentions: true,
        maxRounds: 2,
        personTimeMs: 60_000,
        voters: {
          ann: says('ann', 'approve', 'reject'),
          bob: says('bob', 'reject: it is late', 'reject'),
          pat: person({ name: 'pat' }),
        },
      }),
      play: async (handle, now) => {
        await quiet();
        await now.advance(5_000);
        // In the second ballot nobody answers.
        const first = handle.requests.find(({ path }) => path === 'panel/pat-3');
        if (first !== undefined) handle.reply('abstain', first.id);
      },
    }),
  },
];
