import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { SupervisionPolicy } from '../../src/contracts/agents/supervision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedModel, ScriptedReply } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { colleagues } from '../../src/tools/messages/colleagues.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { startIn } from '../support/stored-runs.ts';
import { deferred, letTimePass, ofType, quiet, settled, start } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';

const failure = (code: ErrorCode, retryable: 'yes' | 'no' = 'yes'): Error =>
  new TroupeError(code, 'Cannot go on', { retryable });

const heardBy = ({ requests }: ScriptedModel): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((turn) =>
    turn.role === 'user' && turn.from !== undefined && turn.from !== 'runtime' ? [turn.text] : [],
  );

/** Bob fails when the gate opens, and then as he is told; ann holds until her gate opens. */
const crew = (supervision: SupervisionPolicy, lives: readonly ScriptedReply[]) => {
  const gate = deferred<Error>();
  const free = deferred<string>();
  const model = scriptedModel([
    async () => {
      throw await gate.promise;
    },
    ...lives,
  ]);
  const hold = tool({
    name: 'hold',
    description: 'Holds on.',
    input: z.object({}),
    timeoutMs: Infinity,
    execute: () => free.promise,
  });
  const team = parallel({
    name: 'crew',
    members: {
      ann: agent({
        name: 'ann',
        tools: [hold],
        model: scriptedModel([calls({ name: 'hold', input: {} }), 'a']),
      }),
      bob: agent({ name: 'bob', model, failures: { retry: { attempts: 1 } } }),
    },
    failures: { supervision: { backOff: { leastMs: 1_000, mostMs: 1_000 }, ...supervision } },
  });
  return { team, model, gate, free };
};

const say = (handle: RunHandle<unknown, unknown>, texts: readonly string[], path: string): boolean[] =>
  texts.map((text) => handle.send(text, path));

const end = async (clock: VirtualClock, handle: RunHandle<unknown, unknown>) =>
  letTimePass(clock, settled(handle), 500);

describe('mail over restarts', () => {
  test('[P5] who is restarted reads what the one before it had not, and what was sent to the old address meanwhile and since', async () => {
    const clock = virtualClock(1_000);
    const { team, model, gate, free } = crew({}, [
      async () => {
        await quiet();
        return calls({ name: 'nothing', input: {} });
      },
      'b',
    ]);
    const handle = start(team, 'go', { clock });
    await quiet();
    expect(say(handle, ['one', 'two'], 'crew/bob-2')).toEqual([true, true]);
    gate.resolve(failure('model.unavailable'));
    await quiet();
    expect(say(handle, ['three'], 'crew/bob-2')).toEqual([true]);
    await clock.advance(1_000);
    await quiet();
    free.resolve('now');
    const { events, status } = await end(clock, handle);
    expect(status).toBe('completed');
    expect(heardBy(model)).toEqual(['one', 'two', 'three']);
    expect(ofType(events, 'message.dropped')).toEqual([]);
    expect(ofType(events, 'child.restarted')).toMatchObject([{ of: 'crew/bob-2', child: 'crew/bob-3' }]);
  });

  test('[P5] an old address leads to whoever sits in its place, over several restarts', async () => {
    const clock = virtualClock(1_000);
    const again = deferred<string>();
    const { team, model, gate, free } = crew({}, [
      failure('model.unavailable'),
      async () => {
        await again.promise;
        return calls({ name: 'nothing', input: {} });
      },
      'b',
    ]);
    const handle = start(team, 'go', { clock });
    await quiet();
    say(handle, ['one'], 'crew/bob-2');
    gate.resolve(failure('model.unavailable'));
    await quiet();
    await clock.advance(1_000);
    await quiet();
    await clock.advance(3_000);
    await quiet();
    expect(handle.send('two', 'crew/bob-2')).toBe(true);
    expect(handle.send('three', 'crew/bob-3')).toBe(true);
    again.resolve('now');
    free.resolve('now');
    const { events } = await end(clock, handle);
    expect(heardBy(model).slice(-2)).toEqual(['two', 'three']);
    expect(ofType(events, 'message.dropped')).toEqual([]);
    expect(ofType(events, 'message.sent').map(({ to }) => to)).toEqual([
      'crew/bob-2',
      'crew/bob-4',
      'crew/bob-4',
    ]);
  });

  test.each([
    ['escalated', {}, failure('model.auth', 'no')],
    ['quarantined', { poisonAfter: 1 }, failure('output.invalid')],
    ['unread', { restart: 'temporary' }, failure('model.unavailable')],
  ] as const)(
    '[P5] what nobody will read any more is dead letters: %s',
    async (reason, supervision, error) => {
      const clock = virtualClock(1_000);
      const { team, gate, free } = crew(supervision, ['b']);
      const handle = start(team, 'go', { clock });
      await quiet();
      say(handle, ['one', 'two'], 'crew/bob-2');
      gate.resolve(error);
      await quiet();
      expect(handle.send('too late', 'crew/bob-2')).toBe(false);
      free.resolve('now');
      const { events } = await end(clock, handle);
      const dropped = ofType(events, 'message.dropped').map(({ text, reason: why }) => `${text}: ${why}`);
      expect(dropped).toEqual([
        `one: ${reason}`,
        `two: ${reason}`,
        // An escalation is the end of the run.
        ...(reason === 'escalated' ? [] : ['too late: nobody']),
      ]);
    },
  );

  test('[P5] what waits for a restart that does not come is dead letters when the team ends', async () => {
    const clock = virtualClock(1_000);
    const { team, gate } = crew({ backOff: { leastMs: 60_000, mostMs: 60_000 } }, ['b']);
    const handle = start(team, 'go', { clock });
    await quiet();
    say(handle, ['one'], 'crew/bob-2');
    gate.resolve(failure('model.unavailable'));
    await quiet();
    say(handle, ['two'], 'crew/bob-2');
    handle.abort('enough');
    const { events } = await end(clock, handle);
    expect(ofType(events, 'message.dropped')).toMatchObject([
      { text: 'one', reason: 'unread', to: 'crew/bob-2' },
      { text: 'two', reason: 'unread', to: 'crew/bob-2' },
    ]);
  });

  test('[P5] one-for-all: who is stopped to begin anew keeps its mail', async () => {
    const clock = virtualClock(1_000);
    const { team, gate, free } = crew({ strategy: 'one-for-all' }, ['b']);
    const handle = start(team, 'go', { clock });
    await quiet();
    say(handle, ['to ann'], 'crew/ann-1');
    gate.resolve(failure('model.unavailable'));
    await quiet();
    say(handle, ['more'], 'crew/ann-1');
    free.resolve('now');
    const { events } = await end(clock, handle);
    expect(ofType(events, 'child.supervised')).toMatchObject([{ children: ['crew/ann-1', 'crew/bob-2'] }]);
    expect(ofType(events, 'child.restarted').map(({ of }) => of)).toEqual(['crew/ann-1', 'crew/bob-2']);
    expect(ofType(events, 'message.sent').map(({ text }) => text)).toEqual(['to ann', 'more']);
    expect(ofType(events, 'message.dropped')).toEqual([]);
  });

  test('[P5] a question that was not read is answered by whoever follows, by name as well while it waits', async () => {
    const clock = virtualClock(1_000);
    const gate = deferred<Error>();
    const later = deferred<string>();
    const asking = (question: string) =>
      calls({ name: 'colleagues.ask', input: { to: 'bob', text: question } });
    const tools = [colleagues({ askTimeoutMs: 600_000 })];
    const ann = agent({ name: 'ann', tools, model: scriptedModel([asking('first?'), 'a']) });
    const cy = agent({
      name: 'cy',
      tools,
      model: scriptedModel([async () => (await later.promise, asking('second?')), 'c']),
    });
    const bob = agent({
      name: 'bob',
      tools,
      failures: { retry: { attempts: 1 } },
      model: scriptedModel([
        async () => {
          throw await gate.promise;
        },
        calls({ name: 'colleagues.reply', input: { text: '1' } }),
        calls({ name: 'colleagues.reply', input: { text: '2' } }),
        'b',
      ]),
      decide: ({ step, transcript }) =>
        step > 0 && transcript.length < 2 ? wait('a word', 1_000) : undefined,
    });
    const team = parallel({
      name: 'crew',
      members: { ann, bob, cy },
      failures: { supervision: { backOff: { leastMs: 5_000, mostMs: 5_000 } } },
    });
    const handle = start(team, 'go', { clock });
    await quiet();
    gate.resolve(failure('model.unavailable'));
    await quiet();
    later.resolve('now');
    await quiet();
    const { events } = await end(clock, handle);
    expect(ofType(events, 'tool.finished').filter(({ ok }) => !ok)).toEqual([]);
    expect(
      ofType(events, 'message.sent').map(({ from, sender, to, text }) => `${sender ?? from} ${to} ${text}`),
    ).toEqual([
      'crew/ann-1 crew/bob-2 first?',
      'crew/cy-3 crew/bob-2 second?',
      'crew/bob-4 crew/ann-1 1',
      'crew/bob-4 crew/cy-3 2',
    ]);
  });
});

const runs = sized(30, 1_000);

test('[P5] over any restarts, what was taken is read once or a dead letter, and never both, stored or not', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('say') },
    { weight: 2, arbitrary: fc.constant('die') },
    { weight: 2, arbitrary: fc.constantFrom(100, 1_000, 5_000) },
  );
  const policy = fc.record({
    capacity: fc.integer({ min: 1, max: 4 }),
    overflow: fc.constantFrom('reject', 'dropOldest', 'dropNewest'),
    isStored: fc.boolean(),
    restarts: fc.constantFrom(0, 2, 1_000),
    poisonAfter: fc.constantFrom(2, 1_000),
  });
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), policy, async (steps, chosen) => {
      const { capacity, overflow, isStored, restarts, poisonAfter } = chosen;
      const clock = virtualClock(1_000);
      const read: string[] = [];
      const bob = agent({
        name: 'bob',
        mailbox: { capacity, overflow },
        stop: [],
        decide: ({ transcript }) => {
          const texts = [...transcript].flatMap(({ role, text }) =>
            role === 'user' && text.startsWith('#') ? [text] : [],
          );
          const news = texts.filter((text) => !read.includes(text));
          read.push(...news);
          if (news.some((text) => text.endsWith('die'))) throw failure('model.unavailable');
          return news.some((text) => text.endsWith('end')) ? answer('b') : wait('mail');
        },
      });
      const team = parallel({
        name: 'crew',
        members: { bob },
        failures: {
          supervision: {
            backOff: { leastMs: 1_000, mostMs: 1_000 },
            intensity: { restarts, withinMs: 1_000_000 },
            poisonAfter,
          },
        },
      });
      const handle = isStored
        ? startIn(new PlainStore(), team, 'go', { clock })
        : start(team, 'go', { clock });
      const result = settled(handle);
      await quiet();
      const taken: string[] = [];
      const say = (text: string): void => {
        if (handle.send(text, 'crew/bob-1')) taken.push(text);
      };
      for (const [index, each] of steps.entries()) {
        if (typeof each === 'number') await clock.advance(each);
        else say(`#${index} ${each}`);
        if (index % 3 === 0) await quiet();
      }
      await quiet();
      await clock.advance(5_000);
      await quiet();
      say('#99 end');
      handle.abort('enough');
      const { events } = await letTimePass(clock, result, 500);
      const dead = ofType(events, 'message.dropped').flatMap(({ text }) =>
        taken.includes(text) ? [text] : [],
      );
      seen += ofType(events, 'child.restarted').length;
      expect([...read, ...dead].toSorted()).toEqual(taken.toSorted());
    }),
    { numRuns: runs, seed: 20_261 },
  );
  expect(seen).toBeGreaterThan(runs / 10);
}, 600_000);
