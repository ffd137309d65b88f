import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import {
  deferred,
  echo,
  letTimePass,
  never,
  ofType,
  quiet,
  settled,
  start,
  typesOf,
} from '../support/runs.ts';
import { transcriptProblems } from '../support/transcripts.ts';

const failing = (code: ErrorCode, retryable: 'yes' | 'maybe' | 'no', retryAfterMs?: number): TroupeError =>
  new TroupeError(code, `Cannot answer as it said ${code}`, {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const down = failing('model.unavailable', 'yes');

const call = (name: string, input = {}) => ({ name, input });

/** Counts who works at the same time. */
const meter = () => {
  let now = 0;
  const seen = { peak: 0, order: [] as string[] };
  const work = async (name: string, done: Promise<unknown>): Promise<string> => {
    now += 1;
    seen.peak = Math.max(seen.peak, now);
    seen.order.push(`+${name}`);
    await done;
    seen.order.push(`-${name}`);
    now -= 1;
    return name;
  };
  return { seen, work };
};

const after = (clock: VirtualClock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimeout(resolve, ms);
  });

/** Runs an agent on a virtual clock to its end. */
const finish = async (
  name: Parameters<typeof agent>[0],
  options: RunOptions = {},
  clock: VirtualClock = virtualClock(),
): Promise<RunResult<unknown, unknown>> => {
  const handle = start(agent(name), 'go', { clock, ...options });
  const result = await letTimePass(clock, settled(handle), 100);
  expect(clock.pending).toBe(0);
  return result;
};

describe('models', () => {
  /** When the model was asked, by the virtual clock. */
  const askedAt = async (
    script: readonly ScriptedReply[],
    setup: Partial<Parameters<typeof agent>[0]> = {},
  ) => {
    const clock = virtualClock();
    const times: number[] = [];
    const model = scriptedModel(
      script.map((reply) => () => {
        times.push(clock.now());
        return reply;
      }),
    );
    const result = await finish({ name: 'a', model, ...setup }, {}, clock);
    return { times, result };
  };

  test('[F1] asked to wait, it is asked again once, and not earlier than it said', async () => {
    const { times, result } = await askedAt([failing('model.rate-limited', 'yes', 2_000), 'ok']);
    expect(result.output).toBe('ok');
    // What was asked for, and half of a tenth on top: chance is fixed at a half.
    expect(times).toEqual([0, 2_100]);
    expect(ofType(result.events, 'model.retrying')).toMatchObject([
      { model: 'scripted:script', attempt: 2, waitMs: 2_100, error: { code: 'model.rate-limited' } },
    ]);
    expect(result.totals).toMatchObject({ retries: 1, modelCalls: 2 });
  });

  test('[F2] out of quota: one request, and the code says so', async () => {
    const { times, result } = await askedAt([failing('model.quota', 'no')]);
    expect(times).toHaveLength(1);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.quota' } });
  });

  test('[F3] down twice, then up: three requests, with a back-off that doubles', async () => {
    const { times, result } = await askedAt([down, down, 'ok']);
    expect(result.output).toBe('ok');
    expect(times).toEqual([0, 500, 1_500]);
    expect(
      ofType(result.events, 'phase.entered')
        .filter(({ path }) => path === 'a/~model-0')
        .map(({ phase }) => phase),
    ).toEqual(['waitingToRetry', 'asking', 'waitingToRetry', 'asking', 'answered']);
  });

  test('[F4] down for good: three requests, then the run fails with what the model said', async () => {
    const { times, result } = await askedAt([down, down, down, 'never asked']);
    expect(times).toHaveLength(3);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'model.unavailable', path: 'a', step: 0 },
    });
    expect(ofType(result.events, 'model.failed')).toHaveLength(1);
  });

  test.each(['model.auth', 'model.forbidden', 'model.bad-request', 'model.not-found'] as const)(
    '[F5] %s: one request',
    async (code) => {
      const { times, result } = await askedAt([failing(code, 'no')]);
      expect(times).toHaveLength(1);
      expect(result.error?.code).toBe(code);
    },
  );

  test('asked to wait longer than the cap, it is not waited for', async () => {
    const { times } = await askedAt([failing('model.rate-limited', 'yes', 61_000), 'ok']);
    expect(times).toEqual([0]);
  });

  test('[P19] as many attempts as configured, of each model in the list, in order', async () => {
    const first = scriptedModel([down, down], 'first');
    const second = scriptedModel([failing('model.quota', 'no')], 'second');
    const third = scriptedModel([down, 'saved'], 'third');
    const result = await finish({
      name: 'a',
      model: [first, second, third],
      failures: { retry: { attempts: 2 } },
    });
    expect(result.output).toBe('saved');
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([2, 1, 2]);
    expect(ofType(result.events, 'model.fell-back').map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'scripted:first → scripted:second',
      'scripted:second → scripted:third',
    ]);
  });

  test('[F6] text that was streamed and comes to nothing is taken back, and is in no answer', async () => {
    const handle = start(
      agent({
        name: 'a',
        failures: { retry: { initialWaitMs: 0 } },
        model: scriptedModel([
          (_, { delta }) => {
            delta({ type: 'text', text: 'The ans' });
            delta({ type: 'text', text: 'wer' });
            throw down;
          },
          'The answer is 42.',
        ]),
      }),
      'go',
    );
    const texts = new Map<string, string>();
    const discarded: number[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type === 'text')
        texts.set(event.key, (texts.get(event.key) ?? '') + event.delta.text);
      if (event.type === 'model.discarded') {
        discarded.push(event.characters - (texts.get(event.key)?.length ?? 0));
        texts.delete(event.key);
      }
    });
    expect((await settled(handle)).output).toBe('The answer is 42.');
    expect([...texts.values()]).toEqual(['The answer is 42.']);
    expect(discarded, 'it says how much to take back').toEqual([0]);
  });

  test('[F9] a model that falls silent is given up on after its idle time-out, and asked again', async () => {
    const clock = virtualClock();
    const model = scriptedModel([() => never<string>(), 'ok']);
    const result = await finish(
      { name: 'a', model, failures: { retry: { idleTimeoutMs: 1_000 } } },
      {},
      clock,
    );
    expect(result.output).toBe('ok');
    expect(ofType(result.events, 'model.retrying')).toMatchObject([{ error: { code: 'model.idle' } }]);
  });

  test('[F23] an empty answer is asked for once more, with a word why, then the run fails', async () => {
    const model = scriptedModel(['', '']);
    const result = await finish({ name: 'a', model });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.empty' } });
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', from: 'runtime' });
    const better = scriptedModel(['', 'here it is']);
    expect((await finish({ name: 'a', model: better })).output).toBe('here it is');
  });

  test('[F24] a refusal stops the run, and is no success', async () => {
    const refusing = scriptedModel([{ refusal: 'I would rather not.' }]);
    expect(await finish({ name: 'a', model: refusing })).toMatchObject({
      status: 'stopped',
      output: undefined,
      stopReason: { kind: 'refused', text: 'I would rather not.' },
    });
    const filtered = scriptedModel([down, { finish: 'content-filter' }]);
    expect((await finish({ name: 'a', model: filtered })).stopReason.kind).toBe('refused');
  });

  test('[F26] a pause is sent back as it is, and costs a step', async () => {
    const model = scriptedModel([{ text: 'thinking …', finish: 'pause' }, 'done']);
    const result = await finish({ name: 'a', model });
    expect(result.output).toBe('done');
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(result.totals.steps).toBe(2);
  });

  test('a structured answer that does not fit is repaired, with a word of what is wrong', async () => {
    const model = scriptedModel(['{"n":"four"}', '```json\n{"n":4}\n```']);
    const result = await finish({ name: 'a', model, output: z.object({ n: z.number() }) } as never);
    expect(result.output).toEqual({ n: 4 });
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/does not fit its schema: n: /);
  });

  test('one that never fits ends the run after three', async () => {
    const model = scriptedModel(['1', '2', '3', '4']);
    const result = await finish({ name: 'a', model, output: z.object({ n: z.number() }) } as never);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output.invalid' } });
    expect(model.requests).toHaveLength(3);
  });

  test('[F30] a usage that is none is estimated, never NaN', async () => {
    const usage = { input: Number.NaN, output: -3 };
    const result = await finish({ name: 'a', model: scriptedModel([{ text: 'x', usage }]) });
    expect(result.totals).toMatchObject({ inputTokens: 5, outputTokens: 1, modelCalls: 1 });
  });

  test('what is no answer at all fails the call with a typed error', async () => {
    const nonsense = { provider: 'x', id: 'y', answer: () => ({ ...modelAnswer({}), text: 3 as never }) };
    expect((await finish({ name: 'a', model: nonsense })).error?.code).toBe('model.malformed');
  });

  test('[M8] another model takes over from the next call on', async () => {
    const [one, two] = [scriptedModel([calls(call('swap'))], 'one'), scriptedModel(['two'], 'two')];
    const swap = tool({
      name: 'swap',
      description: 'Swaps.',
      input: z.object({}),
      execute: () => {
        handle.use(two);
        return 'swapped';
      },
    });
    const handle = start(agent({ name: 'a', model: one, tools: [swap] }), 'go');
    const { output, events } = await settled(handle);
    expect(output).toBe('two');
    expect(ofType(events, 'model.swapped')).toMatchObject([{ to: 'scripted:two' }]);
  });

  test('a model that there is not is refused at once, and the run goes on as it was', async () => {
    const handle = start(agent({ name: 'a', model: scriptedModel(['fine']) }), 'go', { paused: true });
    expect(() => {
      handle.use('nobody:knows');
    }).toThrow(expect.objectContaining({ code: 'model.unknown' }));
    handle.resume();
    expect((await settled(handle)).output).toBe('fine');
  });
});

describe('tools', () => {
  test('[M21] results come in call order, in whatever order the tools finish', async () => {
    const clock = virtualClock();
    const { seen, work } = meter();
    const nap = tool({
      name: 'nap',
      description: 'Sleeps.',
      input: z.object({ ms: z.number() }),
      execute: ({ ms }) => work(String(ms), after(clock, ms)),
    });
    const model = scriptedModel([calls(...[300, 100, 200, 50, 10].map((ms) => call('nap', { ms }))), 'done']);
    const { records, events } = await finish(
      { name: 'a', model, tools: [nap], limits: { toolConcurrency: 3 } },
      {},
      clock,
    );
    expect(records[0]?.results.map(({ text }) => text)).toEqual(['300', '100', '200', '50', '10']);
    expect(seen.order.filter((each) => each.startsWith('-'))).toEqual(['-100', '-50', '-10', '-200', '-300']);
    expect(seen.peak).toBe(3);
    expect(transcriptProblems(model.requests[1]?.messages ?? [])).toEqual([]);
    expect(ofType(events, 'agent.acted')).toMatchObject([{ ok: 5, failed: 0 }]);
  });

  test('[QITOS-86] an exclusive call is a barrier: it waits for all before it, all after it wait for it', async () => {
    const clock = virtualClock();
    const { seen, work } = meter();
    const [nap, alone] = [true, false].map((isShared) =>
      tool({
        name: isShared ? 'nap' : 'alone',
        description: 'Sleeps.',
        input: z.object({ name: z.string() }),
        safety: isShared ? 'read' : 'write',
        execute: ({ name }) => work(name, after(clock, 100)),
      }),
    );
    const model = scriptedModel([
      calls(
        call('nap', { name: '1' }),
        call('nap', { name: '2' }),
        call('alone', { name: 'X' }),
        call('nap', { name: '3' }),
      ),
      'done',
    ]);
    await finish({ name: 'a', model, tools: [nap ?? echo, alone ?? echo] }, {}, clock);
    expect(seen.order).toEqual(['+1', '+2', '-1', '-2', '+X', '-X', '+3', '-3']);
  });

  test('[M3] a tool is tried again as it says; the step counts once, the retries apart', async () => {
    const clock = virtualClock();
    const times: number[] = [];
    const keys = new Set<string>();
    const flaky = tool({
      name: 'flaky',
      description: 'Fails twice.',
      input: z.object({}),
      retry: { attempts: 3, initialWaitMs: 1_000 },
      execute: (_, { key, attempt }) => {
        times.push(clock.now());
        keys.add(key);
        if (attempt < 3) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
        return 'at last';
      },
    });
    const model = scriptedModel([calls(call('flaky')), 'done']);
    const { records, totals, events } = await finish({ name: 'a', model, tools: [flaky] }, {}, clock);
    expect(times).toEqual([0, 500, 1_500]);
    expect(keys.size, 'one key for every attempt of a call').toBe(1);
    expect(records[0]?.results).toMatchObject([{ ok: true, attempts: 3 }]);
    expect(totals).toMatchObject({ steps: 2, retries: 2, toolCalls: 1 });
    expect(typesOf(events).filter((type) => type.startsWith('tool.'))).toEqual([
      'tool.requested',
      'tool.started',
      'tool.retrying',
      'tool.started',
      'tool.retrying',
      'tool.started',
      'tool.finished',
    ]);
  });

  test('[P9] a tool that is out of time says so at once, and is told', async () => {
    const clock = virtualClock();
    let reason: unknown;
    const stuck = tool({
      name: 'stuck',
      description: 'Does not come back.',
      input: z.object({}),
      timeoutMs: 2_000,
      retry: false,
      execute: (_, context) => {
        context.signal.addEventListener('abort', () => {
          reason = context.signal.reason;
          // Whatever it says now is nobody's any more.
          context.progress('still here');
        });
        return never<string>();
      },
    });
    const model = scriptedModel([calls(call('stuck'), call('echo', { text: 'x' })), 'done']);
    const { records, events } = await finish({ name: 'a', model, tools: [stuck, echo] }, {}, clock);
    expect(records[0]?.results).toMatchObject([
      { ok: false, kind: 'timeout', durationMs: 2_000 },
      { ok: true },
    ]);
    expect(reason).toMatchObject({ name: 'TimeoutError' });
    const [finished] = ofType(events, 'tool.finished').filter(({ callId }) => callId === 'call_0_0');
    expect(finished).toMatchObject({ ok: false, at: 2_000, error: { code: 'tool.timeout' } });
    expect(finished).not.toHaveProperty('synthesised');
  });

  test('[F15] a call that was cut off is answered, never executed', async () => {
    let executed = 0;
    const count = tool({
      name: 'count',
      description: 'Counts.',
      input: z.object({}),
      execute: () => (executed += 1),
    });
    const cut = { ...calls(call('count'), call('count')), finish: 'length' as const };
    const model = scriptedModel([cut, 'done']);
    const { records } = await finish({ name: 'a', model, tools: [count] });
    expect(executed).toBe(1);
    expect(records[0]?.results).toMatchObject([{ ok: true }, { ok: false, kind: 'validation' }]);
    expect(transcriptProblems(model.requests[1]?.messages ?? [])).toEqual([]);
  });

  test('[F17] unknown tools are answered with the names that there are; the third step of them ends the run', async () => {
    const model = scriptedModel([calls(call('ecco')), calls(call('nope')), calls(call('never')), 'x']);
    const result = await finish({ name: 'a', model, tools: [echo] });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'tool.unknown' } });
    expect(model.requests).toHaveLength(3);
    expect(result.records[0]?.results[0]?.text).toContain('echo');
    const recovering = scriptedModel([
      calls(call('nope')),
      calls(call('nope')),
      calls(call('echo', { text: 'x' })),
      calls(call('nope')),
      'done',
    ]);
    expect((await finish({ name: 'a', model: recovering, tools: [echo] })).output).toBe('done');
  });

  test('[F18] the ids of a provider may repeat: ours are unique', async () => {
    const same = calls(
      { name: 'echo', input: { text: '1' }, id: 'same' },
      { name: 'echo', input: { text: '2' }, id: 'same' },
    );
    const model = scriptedModel([same, same, 'done']);
    await finish({ name: 'a', model, tools: [echo] });
    expect(transcriptProblems(model.requests[2]?.messages ?? [])).toEqual([]);
  });

  test('[F19] one failing call leaves the others alone, and the model is told of it', async () => {
    const broken = tool({
      name: 'broken',
      description: 'Breaks.',
      input: z.object({}),
      retry: false,
      execute: () => {
        throw new Error('no disk');
      },
    });
    const model = scriptedModel([
      calls(call('echo', { text: 'x' }), call('broken'), call('echo', { text: 'y' })),
      'done',
    ]);
    const { output, records } = await finish({ name: 'a', model, tools: [echo, broken] });
    expect(output).toBe('done');
    expect(records[0]?.results.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(model.requests[1]?.messages[3]).toMatchObject({ role: 'tool', failed: true });
  });

  test('a tool of somebody’s own that cannot describe itself, or say whether it is safe, is asked about', async () => {
    const odd = {
      ...echo,
      name: 'odd',
      describe: () => {
        throw new Error('no words');
      },
      needsApproval: () => {
        throw new Error('who knows');
      },
    };
    const asked: string[] = [];
    const person = {
      approve: ({ description }: { description: string }) => {
        asked.push(description);
        return true;
      },
    };
    const model = scriptedModel([calls(call('odd', { text: 'x' })), 'done']);
    const { records } = await finish({ name: 'a', model, tools: [odd] }, { person });
    expect(asked).toEqual(['odd']);
    expect(records[0]?.results).toMatchObject([{ ok: true }]);
  });
});

describe('approvals', () => {
  const write = () => {
    let written = 0;
    const it = tool({
      name: 'write',
      description: 'Writes.',
      input: z.object({}),
      safety: 'write',
      exclusive: false,
      approval: true,
      execute: () => (written += 1),
    });
    return { it, count: () => written };
  };
  const twice = () => scriptedModel([calls(call('write'), call('write')), 'done']);

  test('nothing runs before it is approved; each call is approved by itself', async () => {
    const { it, count } = write();
    const handle = start(agent({ name: 'a', tools: [it], model: twice() }), 'go');
    await quiet();
    expect(count()).toBe(0);
    expect(handle.approve('call_0_1')).toBe(true);
    await quiet();
    expect(count()).toBe(1);
    expect(handle.approve('call_0_1'), 'an approval is used once').toBe(false);
    expect(handle.approve('call_7_7')).toBe(false);
    expect(handle.deny('call_0_0', 'not today')).toBe(true);
    const { records, events } = await settled(handle);
    expect(records[0]?.results).toMatchObject([
      { ok: false, kind: 'denied' },
      { ok: true, value: 1 },
    ]);
    expect(records[0]?.results[0]?.text).toContain('not today');
    expect(ofType(events, 'tool.denied')).toMatchObject([{ callId: 'call_0_0', reason: 'not today' }]);
  });

  test('a person given with the run answers in place of the handle', async () => {
    const { it, count } = write();
    const person = { approve: ({ callId }: { callId: string }) => Promise.resolve(callId === 'call_0_0') };
    await settled(start(agent({ name: 'a', tools: [it], model: twice() }), 'go', { person }));
    expect(count()).toBe(1);
  });

  test.each([
    ['something else than yes', () => 1 as never],
    ['an error', () => Promise.reject<boolean>(new Error('gone'))],
  ])('a person who answers with %s has not said yes', async (_, approve) => {
    const { it, count } = write();
    const handle = start(agent({ name: 'a', tools: [it], model: twice() }), 'go', { person: { approve } });
    expect((await settled(handle)).output).toBe('done');
    expect(count()).toBe(0);
  });
});

describe('the gate', () => {
  test('[M21] never more effects under way than the run allows', async () => {
    const clock = virtualClock();
    const { seen, work } = meter();
    const nap = tool({
      name: 'nap',
      description: 'Sleeps.',
      input: z.object({}),
      execute: () => work('x', after(clock, 100)),
    });
    const model = scriptedModel([calls(...Array.from({ length: 6 }, () => call('nap'))), 'done']);
    await finish(
      { name: 'a', model, tools: [nap], limits: { toolConcurrency: 6 } },
      { limits: { concurrency: 2 } },
      clock,
    );
    expect(seen.peak).toBe(2);
    expect(seen.order.filter((each) => each === '-x')).toHaveLength(6);
  });

  test('[P21] a tool that waits for a child run lends it its place: with room for one, three levels still end', async () => {
    const leaf = agent({ name: 'leaf', model: scriptedModel([async () => Promise.resolve('deep')]) });
    const delegateTo = (child: typeof leaf) =>
      tool({
        name: 'delegate',
        description: 'Delegates.',
        input: z.object({}),
        execute: async (_, context) => (await context.run(child, 'x')).output ?? '',
      });
    const middle = agent({
      name: 'middle',
      tools: [delegateTo(leaf)],
      model: scriptedModel([async () => Promise.resolve(calls(call('delegate'))), 'middle']),
    });
    const model = scriptedModel([async () => Promise.resolve(calls(call('delegate'))), 'top']);
    expect(
      (await finish({ name: 'a', model, tools: [delegateTo(middle)] }, { limits: { concurrency: 1 } }))
        .output,
    ).toBe('top');
  });

  test('a person who takes their time does not keep others from working', async () => {
    const clock = virtualClock();
    const approved = tool({
      name: 'approved',
      description: 'Waits.',
      input: z.object({}),
      approval: true,
      execute: () => 'approved',
    });
    const asks = tool({
      name: 'asks',
      description: 'Asks.',
      input: z.object({}),
      execute: (_, context) => context.ask('?'),
    });
    const nap = tool({
      name: 'nap',
      description: 'Sleeps.',
      input: z.object({}),
      execute: () => after(clock, 10),
    });
    const model = scriptedModel([calls(call('approved'), call('asks'), call('nap')), 'done']);
    const definition = agent({ name: 'a', model, tools: [approved, asks, nap] });
    const handle = start(definition, 'go', { clock, limits: { concurrency: 1 } });
    await clock.advance(10);
    const finished: string[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'tool.finished') finished.push(event.tool);
    });
    expect(finished).toEqual(['nap']);
    handle.reply('yes');
    handle.approve('call_0_0');
    expect((await settled(handle)).output).toBe('done');
  });

  test('work that was called off and never comes back gives its place away', async () => {
    const clock = virtualClock();
    const stuck = agent({ name: 'stuck', model: scriptedModel([]), observe: () => never<string>() });
    const delegate = tool({
      name: 'delegate',
      description: 'Delegates.',
      input: z.object({}),
      timeoutMs: 100,
      retry: false,
      execute: async (_, context) => (await context.run(stuck, 'x')).output ?? '',
    });
    const model = scriptedModel([calls(call('delegate')), async () => Promise.resolve('done')]);
    const result = await finish(
      { name: 'a', model, tools: [delegate] },
      { limits: { concurrency: 1 } },
      clock,
    );
    expect(result.output).toBe('done');
  });
});

describe('keys', () => {
  test('every effect has a key of its own, made of run, path, step, phase, index and attempt', async () => {
    const flaky = tool({
      name: 'flaky',
      description: 'Fails once.',
      input: z.object({}),
      execute: (_, { attempt }) => {
        if (attempt === 1) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
        return 'ok';
      },
    });
    const model = scriptedModel([down, calls(call('echo', { text: 'x' }), call('flaky')), 'done']);
    const critics = [{ name: 'c', critique: () => ({ verdict: 'accept' }) as const }];
    const { effects } = await finish(
      { name: 'a', model, tools: [flaky, echo], critics, observe: () => 'sun' },
      { runId: 'r' },
    );
    expect(effects.map(({ key }) => key)).toEqual([
      'r/a#0.preparing.0.1',
      'r/a#0.OBSERVE.0.1',
      'r/a#0.DECIDE.0.1',
      'r/a/~model-0#0.waitingToRetry.0.2',
      'r/a/~model-0#0.asking.0.2',
      'r/a#0.ACT.0.1',
      'r/a#0.ACT.1.1',
      'r/a/~call_0_1#0.waitingToRetry.0.2',
      'r/a/~call_0_1#0.running.0.2',
      'r/a#1.OBSERVE.0.1',
      'r/a#1.DECIDE.0.1',
      'r/a#1.CRITIC.0.1',
    ]);
    expect(effects.every(({ state }) => state === 'answered')).toBe(true);
  });
});

test('where nobody can approve, the answer is no; where nobody can be asked, the tool fails', async () => {
  const approved = tool({
    name: 'approved',
    description: 'x',
    input: z.object({}),
    approval: true,
    execute: () => 1,
  });
  const asks = tool({
    name: 'asks',
    description: 'x',
    input: z.object({}),
    execute: (_, context) => context.ask('?'),
  });
  const model = scriptedModel([calls(call('approved'), call('asks')), 'done']);
  const { records } = await agent({ name: 'a', model, tools: [approved, asks] }).run('go');
  expect(records[0]?.results).toMatchObject([
    { ok: false, kind: 'denied' },
    { ok: false, kind: 'execution' },
  ]);
});

test.each([0, -5, 1.5, Number.NaN, Infinity, '10'])(
  'a question that expires after %s is refused before anybody is asked, and what was found is said',
  async (expireAfterMs) => {
    const asks = tool({
      name: 'asks',
      description: 'x',
      input: z.object({}),
      // As from JavaScript.
      execute: (_, context) => context.ask('?', { expireAfterMs: expireAfterMs as number }),
    });
    const model = scriptedModel([calls(call('asks')), 'done']);
    const person = { answer: () => 'yes' };
    const { records, events } = await agent({ name: 'a', model, tools: [asks] }).run('go', { person });
    expect(records[0]?.results).toMatchObject([
      {
        ok: false,
        error: {
          code: 'input.invalid',
          message: expect.stringMatching(
            /^Cannot ask a person as its expireAfterMs is not a whole number from 1: found /,
          ),
        },
      },
    ]);
    expect(events.filter(({ type }) => type === 'person.asked')).toEqual([]);
  },
);

test('rules and reducers that return a promise fail the run, and their rejection is nobody’s', async () => {
  const late = deferred<never>();
  const failures = await Promise.all(
    [
      agent({ name: 'a', model: scriptedModel(['x']), reduce: () => late.promise as never }),
      agent({
        name: 'a',
        model: scriptedModel([calls(call('echo', { text: 'x' }))]),
        tools: [echo],
        stop: { shouldStop: () => late.promise as never },
      }),
      agent({
        name: 'a',
        model: scriptedModel([calls(call('echo', { text: 'x' }))]),
        tools: [echo],
        stop: { name: 'odd', check: () => late.promise as never },
      }),
    ].map((odd) => settled(start(odd, 'go'))),
  );
  late.reject(new Error('unheard'));
  await quiet();
  for (const { error } of failures)
    expect(error).toMatchObject({ code: 'agent.threw', message: /answer at once/ });
});
