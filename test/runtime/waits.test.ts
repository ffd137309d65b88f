import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer, wait } from '../../src/contracts/agents/decision.ts';
import type { ChosenCall } from '../../src/contracts/agents/decision.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { concurrencyPool, locks, sharedTool } from '../../src/index.ts';
import { waits } from '../../src/runtime/actors/waits.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred, letTimePass, ofType, quiet, settled, start } from '../support/runs.ts';

type Events = Parameters<typeof ofType>[0];
type Step = readonly ChosenCall[] | ReturnType<typeof wait>;

/** A tool of no input that does something. */
const doing = (name: string, execute: (context: ToolContext) => Promise<string>) =>
  tool({
    name,
    description: `Does what '${name}' says.`,
    input: z.object({}),
    safety: 'write',
    // Else it would be made alone, whatever it is called together with.
    exclusive: false,
    timeoutMs: Infinity,
    retry: false,
    execute: (_, context) => execute(context),
  });

/** Takes its steps one after the other, and then answers. */
const taking = (
  name: string,
  tools: Parameters<typeof agent>[0]['tools'],
  ...steps: readonly Step[]
): Agent<string, unknown> =>
  agent({
    name,
    tools: [replying, ...(tools ?? [])],
    stop: [],
    decide: ({ step }) => {
      const next = steps[step];
      if (next === undefined) return answer(name);
      return 'kind' in next ? next : act(...next);
    },
  });

const call = (name: string): ChosenCall => ({ name, input: {} });
const reply = call('reply');
/** Answers, if somebody still wants to know. */
const replying = doing('reply', ({ messages }) => messages.reply('fine').catch(() => 'nobody asks'));

/** Has them all work at the same time. */
const deskOf = (...crew: readonly Agent<string, unknown>[]) =>
  taking(
    'desk',
    [
      doing('crew', async ({ run }) => {
        const ends = await Promise.all(crew.map((each) => run(each, 'go')));
        return ends.map(({ output }) => String(output)).join(' ');
      }),
    ],
    [call('crew')],
  );

const failures = (events: Events): readonly (readonly [string, string | undefined])[] =>
  ofType(events, 'tool.finished').flatMap(({ ok, path, error }) => (ok ? [] : [[path, error?.code]]));

const cycleIn = (events: Events): unknown =>
  ofType(events, 'tool.finished').find(({ error }) => error?.code === 'wait.deadlock')?.error?.details;

/** Runs of other tests that imitate a process's death wait for ever. */
let before = 0;
beforeEach(() => {
  before = waits.size;
});

describe('who waits for whom', () => {
  const play = (who: Agent<string, unknown>, options = {}) =>
    settled(start(who, 'go', { clock: virtualClock(), ...options }));

  test.each([2, 3, 4, 5, 6, 7, 8, 9, 10])(
    '[TENEX-Q16] [KAIZEN-52] a circle of %i through questions and locks is told, without a moment passing, to who closes it; all others go on',
    async (size) => {
      const files = locks();
      const turns = Array.from({ length: size }, () => deferred<void>());
      const nameAt = (index: number) => `m${index % size}`;
      // Everybody has a lock of its own. Those at even places ask the next one, the others want the next one's lock.
      const isAsked = (index: number) => ((index + size - 1) % size) % 2 === 0;
      const member = (index: number) => {
        const work = doing('work', async ({ messages, key }) => {
          await turns[index]?.promise;
          if (index % 2 === 0) return (await messages.ask(nameAt(index + 1), 'Well?')).text;
          await using held = await files.lock(nameAt(index + 1), { owner: key });
          return held.name;
        });
        const steps: Step[] = [[call('work')], ...(isAsked(index) ? [[reply]] : [])];
        return taking(nameAt(index), [files.locked(work, nameAt(index))], ...steps);
      };
      const crew = turns.map((_, index) => member(index));
      const clock = virtualClock();
      const handle = start(deskOf(...crew), 'go', { clock });
      await quiet();
      // Neither first to last nor last to first.
      const order = turns
        .map((_, index) => (index * 7 + 3) % size)
        .filter((at, i, all) => all.indexOf(at) === i);
      const rest = turns.map((_, index) => index).filter((index) => !order.includes(index));
      for (const index of [...order, ...rest]) {
        expect(files.snapshot()).toHaveLength(size);
        turns[index]?.resolve();
        await quiet();
      }
      const { events, status } = await settled(handle);
      expect(status).toBe('completed');
      const last = [...order, ...rest].at(-1) ?? 0;
      expect(failures(events)).toEqual([[`desk/m${last}-0`, 'wait.deadlock']]);
      const told = ofType(events, 'tool.finished').find(({ ok }) => !ok)?.text ?? '';
      for (let at = 0; at < size; at += 1)
        expect(told).toContain(
          at % 2 === 0
            ? `'desk/m${at}-0' waits for an answer of 'desk/${nameAt(at + 1)}-0'`
            : `'desk/m${at}-0' waits for the lock '${nameAt(at + 1)}' of 'desk/${nameAt(at + 1)}-0'`,
        );
      expect({ waiting: waits.size - before, now: clock.now() }).toEqual({
        waiting: 0,
        now: virtualClock().now(),
      });
    },
  );

  /** Ada has a lock while she asks bob, who had it from her before that he is asked. */
  const adaAsks = (files: ReturnType<typeof locks>) =>
    taking(
      'ada',
      [
        files.locked(
          doing('consult', async ({ messages }) => (await messages.ask('bob', 'Well?')).text),
          'x',
        ),
      ],
      [call('consult')],
    );

  test.each([
    ['before', [call('edit'), reply]],
    ['after', [reply, call('edit')]],
  ] as const)(
    '[P21] who answers in the very step in which it wants what the asker has closes no circle: the answer comes %s',
    async (_, step) => {
      const files = locks();
      const edit = files.locked(
        doing('edit', () => Promise.resolve('edited')),
        'x',
      );
      const bob = taking('bob', [edit], wait('a word'), step);
      const { events, output } = await play(deskOf(adaAsks(files), bob));
      expect({ failures: failures(events), output }).toEqual({ failures: [], output: 'desk' });
    },
  );

  test('[P21] an answer that could only be given after a call that is made alone comes too late: that call closes the circle', async () => {
    const files = locks();
    const alone = { ...doing('edit', () => Promise.resolve('edited')), exclusive: true };
    const bob = taking('bob', [files.locked(alone, 'x')], wait('a word'), [call('edit'), reply]);
    const { events } = await play(deskOf(adaAsks(files), bob));
    expect(failures(events)).toEqual([['desk/bob-0', 'wait.deadlock']]);
  });

  test('[P21] who has answered may want what the asker has, in the very same call', async () => {
    const files = locks();
    const both = doing('both', async ({ messages, key }) => {
      await messages.reply('fine');
      await using held = await files.lock('x', { owner: key });
      return held.name;
    });
    const { events } = await play(
      deskOf(adaAsks(files), taking('bob', [both], wait('a word'), [call('both')])),
    );
    expect(failures(events)).toEqual([]);
  });

  test('[P21] an answer that is held back, as too much is under way, is still to come', async () => {
    const files = locks();
    const busy = deferred<void>();
    const isHeld = deferred<void>();
    const edit = doing('edit', async ({ key }) => {
      await isHeld.promise;
      await using held = await files.lock('x', { owner: key });
      return held.name;
    });
    const think = doing('think', async () => {
      await busy.promise;
      return 'thought';
    });
    const bob = taking('bob', [edit], wait('a word'), [call('edit'), reply]);
    const crew = deskOf(adaAsks(files), bob, taking('cy', [think], [call('think')]));
    const handle = start(crew, 'go', { clock: virtualClock(), limits: { concurrency: 2 } });
    await quiet();
    isHeld.resolve();
    await quiet();
    expect(files.snapshot()).toMatchObject([{ name: 'x', waiting: 1 }]);
    busy.resolve();
    const { events, status } = await settled(handle);
    expect({ status, failures: failures(events) }).toEqual({ status: 'completed', failures: [] });
  });

  test('[P21] a call that waits for a yes may still go on, and closes the circle once it has it', async () => {
    const files = locks();
    const edit = { ...doing('edit', () => Promise.resolve('edited')), needsApproval: () => true };
    const isAsked = deferred<void>();
    const plain = doing('plain', async ({ key }) => {
      await isAsked.promise;
      await using held = await files.lock('x', { owner: key });
      return held.name;
    });
    const bob = taking('bob', [files.locked(edit, 'x'), plain], wait('a word'), [
      call('edit'),
      call('plain'),
    ]);
    const handle = start(deskOf(adaAsks(files), bob), 'go', { clock: virtualClock() });
    await quiet();
    expect(handle.requests).toHaveLength(1);
    isAsked.resolve();
    await quiet();
    // The other call waits for ada by now; this one could still answer her.
    handle.approve(handle.requests[0]?.id ?? '');
    const { events } = await settled(handle);
    const failed = ofType(events, 'tool.finished').flatMap(({ ok, tool: name, error }) =>
      ok ? [] : [[name, error?.code]],
    );
    // Then the other call is the last that could have answered her, and cannot either.
    expect(failed).toEqual([
      ['edit', 'wait.deadlock'],
      ['consult', 'wait.deadlock'],
    ]);
  });

  test('[P21] where the last call is over that could have answered, who asked is told so', async () => {
    const files = locks();
    const other = deferred<void>();
    const edit = files.locked(
      doing('edit', () => Promise.resolve('edited')),
      'x',
    );
    const think = doing('think', async () => {
      await other.promise;
      return 'thought';
    });
    const bob = taking('bob', [edit, think], wait('a word'), [call('edit'), call('think')]);
    const handle = start(deskOf(adaAsks(files), bob), 'go', { clock: virtualClock() });
    await quiet();
    expect(waits.size).toBeGreaterThan(before);
    other.resolve();
    const { events } = await settled(handle);
    expect(failures(events)).toEqual([['desk/ada-0', 'wait.deadlock']]);
    expect(cycleIn(events)).toMatchObject({
      cycle: [
        { from: 'desk/ada-0', to: 'desk/bob-0', kind: 'ask' },
        { from: 'desk/bob-0', to: 'desk/ada-0', kind: 'lock', what: 'x' },
      ],
    });
    expect(waits.size).toBe(before);
  });

  test('[P21] a call that waits for a lock keeps its agent from reading, whatever its other calls do', async () => {
    const files = locks();
    const bobHasRead = deferred<void>();
    const edit = files.locked(
      doing('edit', () => Promise.resolve('edited')),
      'x',
    );
    const think = doing('think', async () => {
      await bobHasRead.promise;
      return 'thought';
    });
    const hold = files.locked(
      doing('hold', async ({ messages }) => {
        await quiet();
        try {
          return (await messages.ask('bob', 'Well?')).text;
        } catch (error) {
          return isTroupeError(error) ? error.code : 'broke';
        } finally {
          bobHasRead.resolve();
        }
      }),
      'x',
    );
    const ada = taking('ada', [hold], [call('hold')]);
    const { events } = await play(deskOf(ada, taking('bob', [edit, think], [call('edit'), call('think')])));
    expect(failures(events)).toEqual([]);
    expect(ofType(events, 'tool.finished').find(({ tool: name }) => name === 'hold')?.text).toBe(
      'wait.deadlock',
    );
  });

  test('[P21] asking somebody who has given work away and goes on is no circle', async () => {
    const worker = taking(
      'worker',
      [doing('consult', async ({ messages }) => (await messages.ask('parent', 'What now?')).text)],
      [call('consult')],
    );
    const lead = taking(
      'lead',
      [delegate({ to: [worker], mode: 'background', beforeEnd: 'wait' })],
      [{ name: 'delegate', input: { to: 'worker', task: 'x' } }],
      wait('a question'),
      [reply],
    );
    const { events, status } = await play(lead);
    expect({ status, failures: failures(events) }).toEqual({ status: 'completed', failures: [] });
    expect(ofType(events, 'tool.finished').find(({ tool: name }) => name === 'consult')?.text).toBe('fine');
    expect(waits.size).toBe(before);
  });

  test('[M61] a pool of one place, where who has it asks somebody who needs it: nobody waits for ever', async () => {
    const pool = concurrencyPool(1, { waitMs: Infinity });
    const ada = taking(
      'ada',
      [
        sharedTool(
          doing('consult', async ({ messages }) => {
            const { text } = await messages.ask('bob', 'Well?');
            return `${text} ${pool.taken}`;
          }),
          { pool },
        ),
      ],
      [call('consult')],
    );
    const look = sharedTool(
      doing('look', () => Promise.resolve('looked')),
      { pool },
    );
    const { events, status } = await play(
      deskOf(ada, taking('bob', [look], wait('a word'), [call('look')], [reply])),
    );
    expect({ status, failures: failures(events), taken: pool.taken }).toEqual({
      status: 'completed',
      failures: [],
      taken: 0,
    });
    expect(ofType(events, 'tool.finished').find(({ tool: name }) => name === 'consult')?.text).toBe('fine 1');
  });

  test('[P21] a circle through two runs, a lock of each, and a question in one of them, is found', async () => {
    const files = locks();
    const both = deferred<void>();
    let inside = 0;
    const enter = async () => {
      inside += 1;
      if (inside === 2) both.resolve();
      await both.promise;
    };
    const wanting = (lock: string) =>
      doing('want', async ({ key }) => {
        await using held = await files.lock(lock, { owner: key });
        return held.name;
      });
    // In one run ada has x and asks bob, who wants y. In the other, cy has y and wants x.
    const ada = taking(
      'ada',
      [
        files.locked(
          doing('consult', async ({ messages }) => {
            await enter();
            return (await messages.ask('bob', 'Well?')).text;
          }),
          'x',
        ),
      ],
      [call('consult')],
    );
    const bob = taking('bob', [wanting('y')], wait('a word'), [call('want')], [reply]);
    const cy = taking(
      'cy',
      [
        files.locked(
          doing('both', async ({ key }) => {
            await enter();
            await using held = await files.lock('x', { owner: key });
            return held.name;
          }),
          'y',
        ),
      ],
      [call('both')],
    );
    const [one, other] = await Promise.all([play(deskOf(ada, bob)), play(cy)]);
    const all = [...failures(one.events), ...failures(other.events)];
    expect(all.map(([, code]) => code)).toEqual(['wait.deadlock']);
    expect([one.status, other.status]).toEqual(['completed', 'completed']);
    expect(cycleIn([...one.events, ...other.events])).toMatchObject({ cycle: { length: 3 } });
  });

  test('[P21] who waits for a person waits for somebody who is free to come: nobody is told of a circle', async () => {
    const files = locks();
    const consult = doing('consult', async ({ messages }) => (await messages.ask('bob', 'Well?')).text);
    const ada = taking('ada', [files.locked(consult, 'x')], [call('consult')]);
    const inquire = doing('inquire', ({ ask }) => ask('Shall he be told?'));
    const bob = taking('bob', [inquire], wait('a word'), [call('inquire')], [reply]);
    const clock = virtualClock();
    const handle = start(deskOf(ada, bob), 'go', { clock });
    await quiet();
    expect(handle.requests).toHaveLength(1);
    handle.reply('Yes.');
    const { events, status } = await letTimePass(clock, settled(handle));
    expect({ status, failures: failures(events) }).toEqual({ status: 'completed', failures: [] });
  });
});

test('[P21] owners of the same name are not the same in other locks', async () => {
  const [one, other] = [locks(), locks()];
  const held = [await one.lock('x', { owner: 'ada' }), await other.lock('x', { owner: 'bob' })];
  const waiting = [one.lock('x', { owner: 'bob' }), other.lock('x', { owner: 'ada' })];
  for (const each of held) each.release();
  for (const each of await Promise.all(waiting)) each.release();
  expect(waits.size).toBe(before);
});

test('[P21] what somebody does within a lock is known by its callers, where it is no call of a run', async () => {
  const files = locks();
  await using x = await files.lock('x', { owner: 'ada' });
  const error: unknown = await files
    .lock('x', { owner: 'bob', callers: ['ada'] })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'wait.deadlock',
    message: expect.stringContaining(
      "'bob' waits for the lock 'x' of 'ada', 'ada' waits for 'bob' to end",
    ) as string,
  });
  expect({ isHeld: x.isHeld, waiting: waits.size - before }).toEqual({ isHeld: true, waiting: 0 });
});
