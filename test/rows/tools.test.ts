import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import type { ToolFailure } from '../../src/contracts/tools/tool-result.ts';
import { activityOf } from '../../src/events/progress/activity.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import {
  deferred,
  echo,
  hang,
  letTimePass,
  never,
  ofType,
  quiet,
  settled,
  start,
  typesOf,
} from '../support/runs.ts';

const input = z.object({});

const wants = (...names: readonly string[]) => calls(...names.map((name) => ({ name, input: {} })));

/** A tool that does `work`, and takes nothing. */
const worker = (name: string, work: (context: ToolContext) => unknown, more: object = {}) =>
  tool({ name, description: `Does ${name}.`, input, execute: (_, context) => work(context), ...more });

/** What is told of tools, as `type callId`, in order. */
const toolStory = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'tool.started' || event.type === 'tool.finished'
      ? [`${event.type} ${event.callId}${event.synthesised === true ? ' synthesised' : ''}`]
      : [],
  );

/** Writes down events of these types as they come. */
const scribe = (order: string[], pattern: RegExp) =>
  hook({ name: 'scribe', handle: ({ type }) => void (pattern.test(type) && order.push(type)) });

test('[TENEX-34] a tool starts in one order: numbered and told, judged, approved, told to start, begun', async () => {
  const order: string[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input,
    approval: () => (order.push('needs approval?'), true),
    execute: (_, { callId }) => (order.push(`begun ${callId}`), 'paid'),
  });
  const options = {
    hooks: [scribe(order, /^tool\./)],
    person: { approve: () => (order.push('a person looks'), true) },
    safety: () => (order.push('safe?'), { verdict: 'allow' } as const),
  };
  const model = scriptedModel([wants('pay'), 'there']);
  await settled(start(agent({ name: 'a', tools: [pay], model }), 'go', options));
  expect(order).toEqual([
    'tool.requested',
    'safe?',
    'needs approval?',
    'tool.approval-requested',
    'a person looks',
    'tool.approved',
    'tool.started',
    'begun call_0_0',
    'tool.finished',
  ]);
});

test('[TENEX-36] a tool ends in one order: told, counted, folded in, then the run is checked for its end', async () => {
  const done: string[] = [];
  const told: string[] = [];
  const work = worker('work', () => (done.push('result'), 'fine'));
  const one = agent({
    name: 'a',
    tools: [work],
    model: scriptedModel([wants('work'), 'never asked']),
    reduce: ({ state, results }) => (done.push(`folded in: ${results[0]?.text}`), state),
    stop: { shouldStop: ({ tally }) => (done.push(`checked after ${tally.toolCalls}`), true) },
  });
  const hooks = [scribe(told, /^(tool\.finished|agent\.(acted|reduced|checked)|step\.ended|run\.ended)$/)];
  const { totals } = await settled(start(one, 'go', { hooks }));
  expect(done).toEqual(['result', 'folded in: fine', 'checked after 1']);
  expect(told).toEqual([
    'tool.finished',
    'agent.acted',
    'agent.reduced',
    'agent.checked',
    'step.ended',
    'run.ended',
  ]);
  expect(totals.toolCalls).toBe(1);
});

test('[TENEX-35] [TENEX-Q07] a thousand calls of one moment, all with one id of the provider, have a thousand ids', async () => {
  const clock = virtualClock();
  const asked = Array.from({ length: 1_000 }, (_, index) => ({
    id: 'call_1',
    name: 'echo',
    input: { text: String(index) },
  }));
  const model = scriptedModel([calls(...asked), calls(...asked.slice(0, 2)), 'there']);
  const handle = start(agent({ name: 'a', tools: [echo], model }), 'go', { clock });
  const { records, events } = await settled(handle);
  const results = records.flatMap((record) => record.results);
  expect(results).toHaveLength(1_002);
  expect(new Set(results.map(({ callId }) => callId)).size).toBe(1_002);
  expect(new Set(ofType(events, 'tool.started').map(({ at }) => at))).toEqual(new Set([0]));
  // And each result stands with the call that it answers.
  const answered = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
  expect(answered).toEqual(asked.map((call) => call.input.text));
});

test('[TENEX-37] a call that cannot start has its start made up, once, before its end, and without waiting', async () => {
  const clock = virtualClock(50);
  // The name was called before, and is again: no start stands in for another.
  const model = scriptedModel([wants('ghost', 'echo', 'ghost'), wants('ghost'), 'there']);
  const decided = agent({ name: 'a', tools: [echo], model });
  const { events } = await settled(start(decided, 'go', { clock }));
  const ghosts = ['call_0_0', 'call_0_2', 'call_1_0'];
  for (const id of ghosts)
    expect(toolStory(events).filter((line) => line.includes(id))).toEqual([
      `tool.started ${id} synthesised`,
      `tool.finished ${id}`,
    ]);
  expect(toolStory(events).filter((line) => line.includes('call_0_1'))).toEqual([
    'tool.started call_0_1',
    'tool.finished call_0_1',
  ]);
  expect(new Set(events.map(({ at }) => at))).toEqual(new Set([50]));
  expect(clock.pending).toBe(0);
});

test('[TENEX-Q21] whatever becomes of a call, no end is told before its start, and no start is left without an end', async () => {
  const clock = virtualClock();
  const flaky = (() => {
    let tried = 0;
    return worker('flaky', () => {
      if ((tried += 1) < 3) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
      return 'at last';
    });
  })();
  const tools = [
    echo,
    flaky,
    hang,
    worker('throws', () => Promise.reject(new TypeError('a bug'))),
    worker('slow', () => new Promise(() => undefined), { timeoutMs: 100, retry: false }),
    worker('danger', () => 'gone', { safety: 'danger' }),
    worker('denied', () => 'no', { approval: true }),
  ];
  const model = scriptedModel([
    wants('ghost', 'throws', 'flaky', 'echo', 'slow', 'danger', 'denied'),
    wants('hang', 'throws'),
  ]);
  const person = { approve: ({ tool: name }: { tool: string }) => name === 'danger' };
  const one = agent({ name: 'a', tools, model, limits: { toolConcurrency: 9 } });
  const handle = start(one, 'go', { clock, person });
  for (let second = 0; second < 10; second += 1) {
    await clock.advance(1_000);
    await quiet();
  }
  handle.abort('enough');
  const { events, records } = await settled(handle);
  expect(records[0]?.results.map((result) => (result.ok ? 'ok' : result.kind))).toEqual([
    'unknown',
    'execution',
    'ok',
    'validation',
    'timeout',
    'ok',
    'denied',
  ]);
  const open = new Map<string, 'started' | 'finished'>();
  for (const event of events) {
    if (event.type === 'tool.started') open.set(event.callId, 'started');
    if (event.type !== 'tool.finished') continue;
    expect(open.get(event.callId)).toBe('started');
    open.set(event.callId, 'finished');
  }
  expect(new Set(open.values())).toEqual(new Set(['finished']));
  // What was denied never started, and hanging on was ended by the runtime.
  expect([...open.keys()]).not.toContain('call_0_6');
  expect(toolStory(events)).toContain('tool.finished call_1_0 synthesised');
});

test('[TENEX-49] a tool knows the run, agent, step and call that it works for, and no other', async () => {
  const seen: Record<string, Json>[] = [];
  const look = worker('look', (context) => {
    const { runId, path, agent: name, step, callId, key, attempt, state } = context;
    seen.push({
      runId,
      path,
      agent: name,
      step,
      callId,
      key,
      attempt,
      state,
      mine: context.context === mine,
      now: context.now(),
    });
    return 'seen';
  });
  const mine = { tenant: 'acme' };
  const clock = virtualClock(9);
  const child = agent({
    name: 'child',
    tools: [look],
    state: { depth: 1 },
    model: scriptedModel([wants('look'), 'below']),
  });
  const delegate = worker('delegate', async ({ run }) => (await run(child, 'please')).output);
  const parent = agent({
    name: 'parent',
    tools: [look, delegate],
    model: scriptedModel([wants('look'), wants('look', 'delegate'), 'above']),
    reduce: ({ step }) => ({ step }),
  });
  const options = { runId: 'run-7', context: mine, clock };
  await settled(start(parent, 'go', options));
  const base = { runId: 'run-7', attempt: 1, mine: true, now: 9 };
  const at = (path: string, step: number, callId: string) => ({
    ...base,
    path,
    step,
    callId,
    // What it was called with is part of the key.
    key: expect.stringMatching(new RegExp(`^run-7/${path}#${step}\\.${callId}~[0-9a-f]{12}$`)),
  });
  expect(seen).toEqual([
    { ...at('parent', 0, 'call_0_0'), agent: 'parent', state: {} },
    { ...at('parent', 1, 'call_1_0'), agent: 'parent', state: { step: 0 } },
    { ...at('parent/child-1', 0, 'call_0_0'), agent: 'child', state: { depth: 1 } },
  ]);
});

test('[TENEX-49] a tool may take apart what it is given: each piece works by itself', async () => {
  const clock = virtualClock(9);
  const child = agent({ name: 'child', model: scriptedModel(['below']) });
  const takes = worker('takes', async ({ ask, now, progress, run, signal }) => {
    progress(`at ${now()}`);
    const said = await ask('Which?');
    return [said, (await run(child, 'please')).output, signal.aborted];
  });
  const model = scriptedModel([wants('takes'), 'there']);
  const person = { answer: (question: string) => `${question} That.` };
  const one = agent({ name: 'a', tools: [takes], model });
  const { records, events } = await settled(start(one, 'go', { clock, person }));
  expect(records[0]?.results).toMatchObject([{ ok: true, value: ['Which? That.', 'below', false] }]);
  expect(ofType(events, 'tool.progressed')).toMatchObject([{ text: 'at 9', callId: 'call_0_0' }]);
});

test('[TENEX-58] what does not fit never reaches the tool: a failed result, no throw, its duration kept', async () => {
  const clock = virtualClock();
  let calledWith: unknown = 'nothing';
  const even = tool({
    name: 'even',
    description: 'Takes even numbers.',
    // It takes its time to find out.
    input: z.object({
      n: z.number().refine(async (n) => {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, 40);
        });
        return n % 2 === 0;
      }, 'it is odd'),
    }),
    execute: ({ n }) => {
      calledWith = n;
      return 'even';
    },
  });
  const model = scriptedModel([calls({ name: 'even', input: { n: 3 } }), 'there']);
  const handle = start(agent({ name: 'a', tools: [even], model }), 'go', { clock });
  const { records, status, events } = await letTimePass(clock, settled(handle));
  expect(status).toBe('completed');
  expect(calledWith).toBe('nothing');
  expect(records[0]?.results).toMatchObject([
    { ok: false, kind: 'validation', durationMs: 40, attempts: 1, error: { code: 'tool.input-invalid' } },
  ]);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ ok: false, durationMs: 40 }]);
});

test('[TENEX-Q13] people read words of every call, of one to an unknown tool too', async () => {
  const model = scriptedModel([wants('ghost', 'plain'), 'there']);
  const one = agent({ name: 'a', tools: [worker('plain', () => 'x')], model });
  const { events } = await settled(start(one, 'go'));
  expect(ofType(events, 'tool.started').map((event) => activityOf(event)?.line)).toEqual([
    'a · ACT · Looking for ghost',
    'a · ACT · Using plain',
  ]);
});

test('[TENEX-Q10] a tool that says nothing of itself is none; of what it may leave out, every fact is there', () => {
  expect(() => tool({ name: 'mute', description: '', input, execute: () => '' })).toThrow(/description/);
  const { version, category, tags, safety, idempotent, exclusive, timeoutMs, retry } = echo;
  expect({ version, category, tags, safety, idempotent, exclusive, timeoutMs, retry }).toEqual({
    version: '0.0.0',
    category: 'general',
    tags: [],
    safety: 'read',
    idempotent: true,
    exclusive: false,
    timeoutMs: 60_000,
    retry: { attempts: 3, initialWaitMs: 500, maxWaitMs: 10_000 },
  });
});

test.each([
  ['as long as it says itself', { timeoutMs: 2_000 }, 2_000],
  ['60 s where it says nothing', {}, 60_000],
])(
  '[TENEX-Q15] a tool may take %s; then its signal is aborted and it has timed out',
  async (_, more, limit) => {
    const clock = virtualClock();
    let signal: AbortSignal | undefined;
    const slow = worker('slow', (context) => (({ signal } = context), new Promise(() => undefined)), {
      retry: false,
      ...more,
    });
    const model = scriptedModel([wants('slow'), 'there']);
    const handle = start(agent({ name: 'a', tools: [slow], model }), 'go', { clock });
    await quiet();
    await clock.advance(limit - 1);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    const { records } = await settled(handle);
    expect(records[0]?.results).toMatchObject([{ ok: false, kind: 'timeout', durationMs: limit }]);
    expect(clock.pending).toBe(0);
  },
);

test('[D6] durations are measured, of tools, models and runs, and no timer is left, however it ends', async () => {
  const lasting = (clock: ReturnType<typeof virtualClock>, ms: number) =>
    new Promise<void>((resolve) => {
      clock.setTimeout(resolve, ms);
    });
  for (const last of ['there', new Error('dead')]) {
    const clock = virtualClock(1_000);
    const work = worker('work', async () => (await lasting(clock, 37), 'done'));
    const model = scriptedModel([
      async () => (await lasting(clock, 11), wants('work')),
      async () => (await lasting(clock, 5), last),
    ]);
    const handle = start(agent({ name: 'a', tools: [work], model }), 'go', { clock });
    for (const ms of [11, 37, 5]) {
      await quiet();
      await clock.advance(ms);
    }
    const { events, totals, records } = await settled(handle);
    expect(ofType(events, 'tool.finished')).toMatchObject([{ durationMs: 37 }]);
    expect(ofType(events, 'model.answered')[0]?.durationMs).toBe(11);
    expect(totals.durationMs).toBe(53);
    expect(records[0]).toMatchObject({ startedAt: 1_000, endedAt: 1_048 });
    expect(clock.pending).toBe(0);
  }
});

test.each([
  ['a tool', [wants('work')]],
  ['a model', [() => never<string>()]],
])('[D6] no timer is left where %s is at work when the run is aborted', async (_, script) => {
  const clock = virtualClock(1_000);
  const work = worker('work', () => never());
  const handle = start(agent({ name: 'a', tools: [work], model: scriptedModel(script) }), 'go', { clock });
  await clock.advance(37);
  expect(clock.pending).toBeGreaterThan(0);
  handle.abort('enough');
  const { status, totals } = await settled(handle);
  expect([status, totals.durationMs]).toEqual(['aborted', 37]);
  expect(clock.pending).toBe(0);
});

describe('several calls of one step', () => {
  /** Tools that end when a test says so, and how many were at work at once. */
  const crew = () => {
    const order: string[] = [];
    const open = new Map<string, () => void>();
    let atWork = 0;
    const crewed = { order, peak: 0, end: (name: string) => open.get(name)?.() };
    const member = (name: string, more: object = {}) =>
      worker(
        name,
        async () => {
          atWork += 1;
          crewed.peak = Math.max(crewed.peak, atWork);
          order.push(`+${name}`);
          const done = deferred<undefined>();
          open.set(name, () => {
            done.resolve(undefined);
          });
          await done.promise;
          atWork -= 1;
          order.push(`-${name}`);
          return `${name} is done`;
        },
        more,
      );
    return { crewed, member };
  };

  test('[TENEX-91] [DODO-21] they run together, and their results stand in the order of the calls', async () => {
    const { crewed, member } = crew();
    const names = ['one', 'two', 'three'];
    const model = scriptedModel([wants(...names), 'there']);
    const one = agent({ name: 'a', tools: names.map((name) => member(name)), model });
    const handle = start(one, 'go');
    await quiet();
    for (const name of ['two', 'three', 'one']) {
      crewed.end(name);
      await quiet();
    }
    await settled(handle);
    expect(crewed.peak).toBe(3);
    expect(crewed.order).toEqual(['+one', '+two', '+three', '-two', '-three', '-one']);
    expect(model.requests[1]?.messages.slice(-3).map(({ text }) => text)).toEqual([
      'one is done',
      'two is done',
      'three is done',
    ]);
  });

  test('[TENEX-50] [QITOS-86] four at once at most, and one that must be alone waits for all before it and holds all after it', async () => {
    const { crewed, member } = crew();
    const names = ['a', 'b', 'c', 'd', 'e', 'alone', 'f'];
    const model = scriptedModel([wants(...names), 'there']);
    const one = agent({
      name: 'x',
      tools: names.map((name) => member(name, { exclusive: name === 'alone' })),
      model,
    });
    const handle = start(one, 'go');
    await quiet();
    expect(crewed.order).toEqual(['+a', '+b', '+c', '+d']);
    for (const name of ['d', 'a', 'b', 'c', 'e', 'alone', 'f']) {
      crewed.end(name);
      await quiet();
    }
    const { records } = await settled(handle);
    expect(crewed.peak).toBe(4);
    expect(crewed.order.slice(4).join(' ')).toBe('-d +e -a -b -c -e +alone -alone +f -f');
    expect(records[0]?.results.map(({ tool: name }) => name)).toEqual(names);
  });

  test('[DODO-04] a tool that ends the run does so after its batch: the calls beside it still run', async () => {
    const done: string[] = [];
    const model = scriptedModel([
      calls(
        { name: 'echo', input: { text: 'before' } },
        { name: 'complete', input: { answer: 'that is it', summary: 'looked twice' } },
        { name: 'note', input: {} },
      ),
      'never asked',
    ]);
    const note = worker('note', async () => (await quiet(), done.push('note'), 'noted'));
    const one = agent({ name: 'a', tools: [echo, complete, note], model });
    const { output, stopReason, records } = await settled(start(one, 'go'));
    expect(output).toBe('that is it');
    expect(stopReason).toEqual({ kind: 'answered' });
    expect(done).toEqual(['note']);
    expect(records[0]?.results.map(({ ok, text }) => [ok, text])).toEqual([
      [true, 'before'],
      [true, 'looked twice'],
      [true, 'noted'],
    ]);
    expect(model.requests).toHaveLength(1);
  });

  test('[DODO-04] [D39] one that was refused, as its answer is empty, ends nothing', async () => {
    const empty = calls({ name: 'complete', input: { answer: ' ' } });
    const model = scriptedModel([empty, 'there']);
    const { output, records } = await settled(start(agent({ name: 'a', tools: [complete], model }), 'go'));
    expect(output).toBe('there');
    expect(records[0]?.results).toMatchObject([{ ok: false, kind: 'validation' }]);
  });

  test('[DODO-15] a call that cannot be read is answered, the ones beside it run, and the model has both to go on from', async () => {
    const ran: string[] = [];
    const work = tool({
      name: 'work',
      description: 'Works.',
      input: z.object({ what: z.string() }),
      execute: ({ what }) => (ran.push(what), `${what} is done`),
    });
    const model = scriptedModel([
      {
        calls: [
          { id: 'x', name: 'work', input: { what: 'half' }, problem: 'the JSON ends in the middle' },
          { id: 'y', name: 'work', input: { what: 'whole' } },
        ],
      },
      'there',
    ]);
    const { status, events } = await settled(start(agent({ name: 'a', tools: [work], model }), 'go'));
    expect(status).toBe('completed');
    expect(ran).toEqual(['whole']);
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      {
        role: 'tool',
        callId: 'call_0_0',
        failed: true,
        text: expect.stringContaining('ends in the middle'),
      },
      { role: 'tool', callId: 'call_0_1', text: 'whole is done' },
    ]);
    expect(typesOf(events).filter((type) => type === 'tool.finished')).toHaveLength(2);
  });
});

test('[D4] a failed result loses nothing where it is written down and read again, in a record or an event', async () => {
  const throws = worker('throws', () => {
    throw new TypeError('a bug', { cause: new Error('below') });
  });
  const model = scriptedModel([wants('throws'), 'there']);
  const { records, events } = await settled(
    start(agent({ name: 'a', tools: [throws], model }), 'go', { runId: 'run-7' }),
  );
  const result = records[0]?.results[0];
  const expected = {
    ok: false,
    kind: 'execution',
    callId: 'call_0_0',
    tool: 'throws',
    error: {
      code: 'tool.failed',
      tool: 'throws',
      runId: 'run-7',
      path: 'a',
      step: 0,
      phase: 'ACT',
      cause: { name: 'TypeError', message: 'a bug' },
    },
  } satisfies { [Key in keyof ToolFailure]?: unknown };
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(JSON.parse(JSON.stringify(result))).toMatchObject(expected);
  expect(ofType(events, 'tool.finished')[0]?.error).toEqual(result?.ok === false ? result.error : {});
});

test('[D4] all that results say of themselves is there when the events of their run are read again', async () => {
  const facts = { status: 503, retryAfterMs: 5, details: { field: 'city', tried: [1, null] } } as const;
  const dark = worker('dark', () => {
    const cause = new Error('no light', { cause: new RangeError('no lamp') });
    throw new TroupeError('tool.failed', 'Cannot see as it is dark', { ...facts, retryable: 'no', cause });
  });
  const artifacts = [{ name: 'a.png', mediaType: 'image/png', content: 'AA==', encoding: 'base64' }] as const;
  const draws = worker('draws', () => dual({ text: 'drawn', value: { pages: [1] }, artifacts }));
  const tools = [dark, draws, complete];
  const model = scriptedModel([
    wants('dark', 'draws', 'nothing'),
    calls({ name: 'complete', input: { answer: { all: true }, summary: 'looked' } }),
  ]);
  const { events, records } = await settled(start(agent({ name: 'a', tools, model }), 'go'));
  const [results] = records.map((record) => record.results);
  expect(results).toMatchObject([
    { error: { ...facts, tool: 'dark', cause: { message: 'no light', cause: { name: 'RangeError' } } } },
    { artifacts },
    { kind: 'unknown', error: { tool: 'nothing' } },
  ]);
  expect(records[1]?.results[0]).toMatchObject({ control: { type: 'complete', summary: 'looked' } });
  const read = events.map((event) => runtimeEventSchema.parse(JSON.parse(JSON.stringify(event))));
  expect(read).toEqual(events);
  expect(ofType(read, 'step.ended').map(({ record }) => record)).toEqual(records);
});
