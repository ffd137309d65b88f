import { expect, test } from 'vitest';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { RunInspector } from '../../src/contracts/events/inspection.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { sseResponse } from '../../src/runtime/serve/streams/sse.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, quiet } from '../support/runs.ts';
import { slowStore } from '../support/slow-store.ts';
import { isThorough } from '../support/thorough.ts';

const WORDS = ['It ', 'is ', 'a ', 'fine ', 'day.'];

/** Says a word every `everyMs`, then `reply`. */
const saying =
  (clock: VirtualClock, everyMs: number, reply: ScriptedReply): ScriptedReply =>
  async (_request, call) => {
    for (const text of WORDS) {
      await new Promise<void>((resolve) => {
        clock.setTimeout(resolve, everyMs);
      });
      call.delta({ type: 'text', text });
    }
    return reply;
  };

const speaker = (clock: VirtualClock, everyMs: number) => {
  const look = calls({ name: 'echo', input: { text: 'x' } });
  const replies = [
    saying(clock, everyMs, look),
    saying(clock, everyMs, look),
    saying(clock, everyMs, 'Done.'),
  ];
  return agent({
    name: 'speaker',
    model: scriptedModel(replies),
    tools: [echo],
    failures: { retry: { idleTimeoutMs: Infinity } },
  });
};

const nameOf = (event: LiveEvent): string =>
  event.type === 'model.delta' && event.delta.type === 'text' ? `δ ${event.delta.text}` : event.type;

/** What somebody sees of a run, by the way in which he looks. */
const ways: Readonly<Record<string, (handle: RunHandle) => Promise<readonly string[]>>> = {
  'by events$': async (handle) => {
    const seen: string[] = [];
    handle.events$.subscribe((event) => void seen.push(nameOf(event)));
    await handle.result;
    return seen;
  },
  'by for await': async (handle) => {
    const seen: string[] = [];
    for await (const event of handle) seen.push(nameOf(event));
    return seen;
  },
  'by server-sent events': async (handle) => {
    const text = await sseResponse(handle).text();
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) =>
      nameOf(JSON.parse(data ?? '') as LiveEvent),
    );
  },
};

/** What is seen of a run whose model says a word every `everyMs`. */
const seen = async (
  look: (handle: RunHandle) => Promise<readonly string[]>,
  everyMs: number,
  options: (clock: VirtualClock) => RunOptions = () => ({}),
): Promise<readonly string[]> => {
  const clock = virtualClock(1_000);
  const handle = speaker(clock, everyMs).stream('go', { clock, ...options(clock) }) as RunHandle;
  return letTimePass(clock, look(handle), 5);
};

const inSlowStore = (clock: VirtualClock): RunOptions => ({ store: slowStore(memoryStore(), 40, clock) });

// A word comes while a commit is under way, or in between; or after all that led to it is there.
test.each(
  Object.entries(ways).flatMap(([way, look]) =>
    (isThorough ? [5, 25, 90] : [5, 25]).map((everyMs) => ({ way, look, everyMs })),
  ),
)(
  '[FIND-60] the words of a stored run are where they were said, a word every $everyMs ms, seen $way',
  async ({ look, everyMs }) => {
    const stored = await seen(look, everyMs, inSlowStore);
    expect(stored.filter((name) => name.startsWith('δ'))).toHaveLength(3 * WORDS.length + 1);
    expect(stored).toEqual(await seen(look, everyMs));
    expect(stored[stored.indexOf('δ It ') - 1]).toBe('model.asked');
  },
);

test('[FIND-60] an inspector, who does not wait for the store, sees them in order too', async () => {
  const inspected = async (options: (clock: VirtualClock) => RunOptions): Promise<readonly string[]> => {
    const names: string[] = [];
    const inspect: RunInspector = {
      inspects: (run) => {
        run.watch((event) => void names.push('body' in event ? event.body.type : nameOf(event)));
        return () => undefined;
      },
    };
    await seen(
      async (handle) => (await handle.result, []),
      5,
      (clock) => ({ ...options(clock), inspect }),
    );
    return names;
  };
  const stored = await inspected(inSlowStore);
  expect(stored).toEqual(await inspected(() => ({})));
  expect(stored[stored.indexOf('δ It ') - 1]).toBe('model.asked');
});

test('[FIND-60] what was said before a store failed is told before the end', async () => {
  const store = memoryStore();
  const commit = store.commit.bind(store);
  let commits = 0;
  store.commit = (lease, given) => {
    commits += 1;
    if (commits > 2) throw new Error('the disk is full');
    return commit(lease, given);
  };
  const names = await seen(
    async (handle) => {
      const told: string[] = [];
      handle.events$.subscribe((event) => void told.push(nameOf(event)));
      await expect(handle.result).rejects.toMatchObject({ code: 'journal.failed' });
      return told;
    },
    25,
    (clock) => ({ store: slowStore(store, 40, clock) }),
  );
  const unstored = await seen(ways['by events$'] ?? (() => Promise.resolve([])), 25);
  const common = names.filter((name) => name !== 'run.ended' && !name.startsWith('model.failed'));
  expect(unstored.slice(0, common.indexOf('δ is ') + 1)).toEqual(
    common.slice(0, common.indexOf('δ is ') + 1),
  );
  expect(names.at(-1)).toBe('run.ended');
});

test('[FIND-51] of what is said while a store does not answer, the newest is kept, and its offsets show what is missing', async () => {
  const store = memoryStore();
  const commit = store.commit.bind(store);
  let letGo: () => void = () => undefined;
  let isSilent = false;
  store.commit = (lease, given) => {
    if (!isSilent) return commit(lease, given);
    return new Promise<void>((resolve) => {
      letGo = resolve;
    }).then(() => commit(lease, given));
  };
  const told: number[] = [];
  let isSaid: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    isSaid = resolve;
  });
  let isDone: (answer: ScriptedReply) => void = () => undefined;
  const speaking: ScriptedReply = async (_request, call) => {
    isSilent = true;
    for (let word = 0; word < 5_000; word += 1) call.delta({ type: 'text', text: 'x' });
    isSaid();
    return new Promise<ScriptedReply>((resolve) => {
      isDone = resolve;
    });
  };
  const talker = agent({ name: 'talker', model: scriptedModel([speaking]) });
  const handle = talker.stream('go', { store, runId: 'r' });
  handle.events$.subscribe((event) => {
    if (event.type === 'model.delta') told.push(event.offset ?? -1);
  });
  await said;
  await quiet();
  expect(told).toEqual([]);
  isSilent = false;
  letGo();
  await quiet();
  isDone('Done.');
  await handle.result;
  expect(told).toHaveLength(1_001);
  expect(told[0]).toBe(4_000);
});
