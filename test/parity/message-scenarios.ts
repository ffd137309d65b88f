import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { SupervisionPolicy } from '../../src/contracts/agents/supervision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { scripted } from '../support/prompt-book.ts';
import type { Scenario } from './scenarios.ts';
import { outage } from './scenarios.ts';

/** Bob fails after two seconds, and is restarted after five; ann takes ten. */
const crew = (clock: VirtualClock, error: TroupeError, supervision: SupervisionPolicy) => {
  const nap = tool({
    name: 'nap',
    description: 'Sleeps.',
    input: z.object({ ms: z.number() }),
    execute: ({ ms }, { signal }) =>
      new Promise<string>((resolve) => {
        const timer = clock.setTimeout(() => {
          resolve(`slept ${ms}`);
        }, ms);
        signal.addEventListener('abort', () => {
          clock.clearTimeout(timer);
        });
      }),
  });
  const naps = (ms: number) => calls({ name: 'nap', input: { ms } });
  return parallel({
    name: 'crew',
    members: {
      ann: agent({ name: 'ann', tools: [nap], model: scripted([naps(10_000), 'a']) }),
      bob: agent({
        name: 'bob',
        tools: [nap],
        failures: { retry: { attempts: 1 } },
        model: scripted([naps(2_000), error, naps(2_000), naps(2_000), 'b']),
      }),
    },
    failures: { supervision: { backOff: { leastMs: 5_000, mostMs: 5_000 }, ...supervision } },
  });
};

const invalid = new TroupeError('output.invalid', 'Cannot use the answer as it is none');

/** What agents are told while they are restarted. */
export const messageScenarios: readonly Scenario[] = [
  {
    name: 'a member that is restarted, told something before, meanwhile and since at its old address',
    tells: ['child.restarted', 'message.sent'],
    make: (clock) => ({
      agent: crew(clock, outage(), {}),
      play: async (handle) => {
        await clock.advance(1_000);
        handle.send('before', 'crew/bob-2');
        await clock.advance(3_000);
        handle.send('meanwhile', 'crew/bob-2');
        await clock.advance(4_000);
        handle.send('since', 'crew/bob-2');
      },
    }),
  },
  {
    name: 'a member that waits to be restarted when its team ends, with mail',
    tells: ['child.supervised', 'message.dropped'],
    make: (clock) => ({
      agent: crew(clock, outage(), { backOff: { leastMs: 60_000, mostMs: 60_000 } }),
      play: async (handle) => {
        await clock.advance(3_000);
        handle.send('anybody?', 'crew/bob-2');
        await clock.advance(1_000);
        handle.abort('enough');
      },
    }),
  },
  {
    name: 'a member that is given up, with mail',
    tells: ['child.quarantined', 'message.dropped'],
    make: (clock) => ({
      agent: crew(clock, invalid, { poisonAfter: 1 }),
      play: async (handle) => {
        await clock.advance(1_000);
        handle.send('before', 'crew/bob-2');
        await clock.advance(3_000);
        await clock.advance(1_000);
        handle.send('anybody?', 'crew/bob-2');
      },
    }),
  },
];
