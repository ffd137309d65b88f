import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import {
  circuitBreaker,
  concurrencyPool,
  locks,
  rateLimit,
  shared,
  sharedTool,
  type Locks,
} from '../../src/index.ts';
import type { LockTimes } from '../../src/runtime/resources/held-lock.ts';
import type { SharedBy } from '../../src/runtime/resources/entrance.ts';
import type { ScriptedReply, ScriptedRequest } from '../../src/testing/scripted-model.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { scripted } from '../support/prompt-book.ts';
import type { Scenario, Staged } from './scenarios.ts';

/** Gives it after a while, unless it is called off. */
const after = <Value>(clock: VirtualClock, ms: number, value: Value, signal?: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      resolve(value);
    }, ms);
    signal?.addEventListener('abort', () => {
      clock.clearTimeout(timer);
      reject(new Error('called off'));
    });
  });

/** A file that takes a second to change, and takes it ill if two do at a time. */
const edit = (clock: VirtualClock) => {
  const atWork = new Set<string>();
  return tool({
    name: 'edit',
    description: 'Edits a file.',
    input: z.object({ file: z.string() }),
    safety: 'write',
    // What was under way when its process died is begun again, under a lock and in a place of its own.
    idempotent: true,
    exclusive: false,
    retry: false,
    execute: async ({ file }, { signal }) => {
      if (atWork.has(file)) throw new Error(`two at a time edit ${file}`);
      atWork.add(file);
      try {
        return await after(clock, 1_000, `${file} edited`, signal);
      } finally {
        atWork.delete(file);
      }
    },
  });
};

const edits = (...files: readonly string[]) =>
  calls(...files.map((file) => ({ name: 'edit', input: { file } })));

/** What the tools gave, one after the other. */
const tellsAll = ({ messages }: ScriptedRequest): string =>
  messages.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : [])).join('; ');

const ANSWER_MS = 300;

/** A provider that refuses for good whoever comes too soon after the one before. */
const touchy = (clock: VirtualClock, restMs: number) => {
  let freeAt = -Infinity;
  return (reply: ScriptedReply): ScriptedReply =>
    () => {
      if (clock.now() < freeAt) throw new TroupeError('model.auth', 'Cannot answer as it is too much');
      freeAt = clock.now() + restMs;
      return after(clock, ANSWER_MS, reply);
    };
};

/** A provider that tells one to come back in three seconds, and refuses for good whoever comes meanwhile. */
const strict = (clock: VirtualClock) => {
  let closedFrom = Infinity;
  return {
    comeBackLater: (): ScriptedReply => {
      closedFrom = clock.now();
      return new TroupeError('model.rate-limited', 'Cannot answer as it is asked too often', {
        retryable: 'yes',
        retryAfterMs: 3_000,
      });
    },
    answer: (reply: ScriptedReply) => (): ScriptedReply => {
      if (clock.now() > closedFrom && clock.now() < closedFrom + 3_000)
        throw new TroupeError('model.auth', 'Cannot answer as it said when to come');
      return reply;
    },
  };
};

/** Ann, bob and cy, each made in the same way; gives what each of them said. */
const three = (name: string, make: (who: string) => Agent<string, string>): Agent<string, unknown> =>
  parallel({
    name,
    members: { ann: make('ann'), bob: make('bob'), cy: make('cy') },
    aggregator: (replies) => replies.map(({ output }) => output),
  });

/** Three with a touchy provider, whose models share what keeps it calm. */
const crew = (clock: VirtualClock, restMs: number, by: SharedBy): Staged => {
  const slowly = touchy(clock, restMs);
  return {
    agent: three('crew', (name) =>
      agent({
        name,
        tools: [edit(clock)],
        model: shared(scripted([slowly(edits(name)), slowly(tellsAll)]), by),
      }),
    ),
  };
};

/** Edits a file of its own and one that all want, at the same time. */
const editor = (
  work: ReturnType<typeof edit>,
  held: Locks,
  who: string,
  times?: LockTimes,
): Agent<string, string> =>
  agent({
    name: who,
    tools: [held.locked(work, ({ file }) => file, times)],
    model: scripted([edits(who, 'report'), tellsAll]),
  });

/** What an editor reads of a lock that it lost. */
const lost = (file: string): string =>
  `Cannot keep the lock '${file}' as its lease of 500 ms is over: renew it while the work goes on`;

/** What agents share with each other, in the run and outside of it. */
export const resourceScenarios: readonly Scenario[] = [
  {
    name: 'three whose models share one place',
    output: ['ann edited', 'bob edited', 'cy edited'],
    make: (clock) => crew(clock, ANSWER_MS, { pool: concurrencyPool(1, { clock }) }),
  },
  {
    name: 'three whose models share one call a second',
    output: ['ann edited', 'bob edited', 'cy edited'],
    make: (clock) => crew(clock, 1_000, { rate: rateLimit({ perSecond: 1, clock }) }),
  },
  {
    name: 'three who want one file, of which one at a time has it',
    output: ['ann edited; report edited', 'bob edited; report edited', 'cy edited; report edited'],
    make: (clock) => {
      const held = locks({ clock });
      const report = edit(clock);
      return { agent: three('editors', (who) => editor(report, held, who)) };
    },
  },
  {
    name: 'locks whose leases are over before the work is done',
    output: ['ann', 'bob', 'cy'].map((who) => `${lost(who)}; ${lost('report')}`),
    make: (clock) => {
      const held = locks({ clock });
      const report = edit(clock);
      return { agent: three('editors', (who) => editor(report, held, who, { leaseMs: 500 })) };
    },
  },
  {
    name: 'a lock that a stranger has, and lets go of',
    output: 'report edited',
    make: (clock) => {
      const held = locks({ clock });
      void held.lock('report', { owner: 'a stranger', leaseMs: 4_000 }).then((stranger) => {
        clock.setTimeout(() => {
          stranger.release();
        }, 2_000);
      });
      return {
        agent: agent({
          name: 'ada',
          tools: [held.locked(edit(clock), 'report')],
          model: scripted([edits('report'), tellsAll]),
        }),
      };
    },
  },
  {
    name: 'a tool that holds a place and runs an agent whose tool wants that very place',
    tells: ['member.ended'],
    output: 'draft edited',
    make: (clock) => {
      const pool = concurrencyPool(1, { clock });
      const inner = agent({
        name: 'inner',
        tools: [sharedTool(edit(clock), { pool })],
        model: scripted([edits('draft'), tellsAll]),
      });
      const having = tool({
        name: 'have',
        description: 'Has it edited.',
        input: z.object({}),
        retry: false,
        execute: async (_, { run }) => String((await run(inner, 'go')).output),
      });
      return {
        agent: agent({
          name: 'ada',
          tools: [sharedTool(having, { pool })],
          model: scripted([calls({ name: 'have', input: {} }), tellsAll]),
        }),
      };
    },
  },
  {
    name: 'a model that is out of order for all, and one that takes over',
    tells: ['model.fell-back'],
    output: ['ann', 'bob', 'cy'],
    make: (clock) => {
      const breaker = circuitBreaker({ failures: 1, clock });
      const down = new TroupeError('model.unavailable', 'Cannot answer as the model is down');
      return {
        agent: three('crew', (name) =>
          agent({
            name,
            failures: { retry: { attempts: 1 } },
            model: [shared(scripted(Array.from({ length: 9 }, () => down)), { breaker }), scripted([name])],
          }),
        ),
      };
    },
  },
  {
    name: 'a model that asks one to come back later, and means all',
    tells: ['model.retrying'],
    output: ['ann said', 'bob edited', 'cy edited'],
    make: (clock) => {
      const rate = rateLimit({ perSecond: 10, clock });
      const strictly = strict(clock);
      const script = (name: string): readonly ScriptedReply[] =>
        name === 'ann'
          ? [strictly.comeBackLater, strictly.answer('ann said')]
          : [strictly.answer(edits(name)), strictly.answer(tellsAll)];
      return {
        agent: three('crew', (name) =>
          agent({ name, tools: [edit(clock)], model: shared(scripted(script(name)), { rate }) }),
        ),
      };
    },
  },
  {
    name: 'an abort while one has the lock and two wait for it',
    make: (clock) => {
      const held = locks({ clock });
      const report = edit(clock);
      return {
        agent: three('editors', (who) => editor(report, held, who)),
        play: async (handle, now) => {
          await now.advance(500);
          handle.abort('enough');
        },
      };
    },
  },
];
