import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import type { Budget } from '../../src/contracts/runs/budget.ts';
import type { ParallelReply } from '../../src/patterns/parallel.ts';
import { textOf } from '../../src/coordination/round/said-json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { parallel, pipeline } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { LogEntry } from '../../src/contracts/events/log.ts';
import { jsonLog, metrics, snapshotAsPrometheus } from '../../src/inspect/telemetry/index.ts';
import { letTimePass, never, ofType, phasesOf, settled, start } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';

const RUNS = sized(10, 100);

/** Says its name and what it was given, after a while. */
const slow = (clock: VirtualClock, name: string, ms: number | ((input: string) => number)) =>
  agent({
    name,
    decide: async ({ input }) => {
      const text = textOf(input);
      await new Promise<void>((resolve) => {
        clock.setTimeout(resolve, typeof ms === 'number' ? ms : ms(text));
      });
      return answer(`${name}: ${text}`);
    },
  });

const says = (name: string) => agent({ name, decide: ({ input }) => answer(`${name}: ${textOf(input)}`) });
const dies = (name: string) =>
  agent({
    name,
    decide: () => {
      throw new Error('out of paper');
    },
  });
const hangs = (name: string) => agent({ name, model: scriptedModel([() => never<string>()]) });

const engaged = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'member.engaged').map(({ member }) => member);

describe('side by side', () => {
  const run = async (team: (clock: VirtualClock) => Agent<never, unknown>, input: unknown = 'go') => {
    const clock = virtualClock(0);
    const found = team(clock) as Agent<unknown, unknown>;
    return letTimePass(clock, settled(start(found, input, { clock })), 100);
  };

  test('[KAIZEN-42] the replies stand in the order of the members, whoever was done first', async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(delays, async (all) => {
        const { output } = await run((clock) =>
          parallel({
            name: 'all',
            concurrency: 4,
            members: Object.fromEntries(all.map((ms, index) => [`m${index}`, slow(clock, `m${index}`, ms)])),
          }),
        );
        expect(output).toEqual(
          all.map((_, index) => ({
            member: `m${index}`,
            status: 'completed',
            output: `m${index}: go`,
            error: null,
          })),
        );
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    { concurrency: undefined, most: 10 },
    { concurrency: 3, most: 3 },
  ])('[KAIZEN-42] of a list, at most $most items are under way at a time', async ({ concurrency, most }) => {
    const peak = { now: 0, most: 0 };
    const worker = agent({
      name: 'worker',
      decide: async ({ input }) => {
        peak.now += 1;
        peak.most = Math.max(peak.most, peak.now);
        await new Promise((resolve) => setImmediate(resolve));
        peak.now -= 1;
        return answer(textOf(input).toUpperCase());
      },
    });
    const items = Array.from({ length: 25 }, (_, index) => `item ${index}`);
    const result = await run(() => parallel({ name: 'all', each: worker, concurrency }), items);
    expect(result.output).toMatchObject(items.map((item) => ({ output: item.toUpperCase() })));
    expect(peak.most).toBe(most);
    expect(phasesOf(result.events, 'all')).toEqual(['dealing', 'gathering', 'joining', 'completed']);
  });

  test('an empty list is done at once; what is no list is refused', async () => {
    const worker = says('worker');
    expect(await run(() => parallel({ name: 'all', each: worker, quorum: 2 }), [])).toMatchObject({
      status: 'completed',
      output: [],
    });
    const refused = await run(() => parallel({ name: 'all', each: worker }), 'one');
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(refused.error?.message).toContain('it is no list: one');
    expect(engaged(refused.events)).toEqual([]);
  });

  test('a member that takes a text gets one, whoever has a schema gets what there is', async () => {
    const seen: unknown[] = [];
    const reader = agent({ name: 'reader', decide: ({ input }) => (seen.push(input), answer('x')) });
    const other = agent({
      name: 'other',
      input: z.object({ a: z.number() }),
      decide: ({ input }) => (seen.push(input), answer('y')),
    });
    const members: Record<string, Agent<never, unknown>> = { reader, other };
    expect((await run(() => parallel({ name: 'all', members }), { a: 1 })).status).toBe('completed');
    expect(seen).toEqual(['{"a":1}', { a: 1 }]);
  });

  test('[P1] one that fails is a reply that says why; if all fail, so does the team', async () => {
    const mixed = await run(() =>
      parallel({ name: 'all', members: { ann: says('ann'), bob: dies('bob'), carl: says('carl') } }),
    );
    expect(mixed).toMatchObject({
      status: 'completed',
      output: [
        { member: 'ann', output: 'ann: go', error: null },
        { member: 'bob', status: 'failed', output: null },
        { member: 'carl', output: 'carl: go' },
      ],
    });
    expect(JSON.stringify(mixed.output)).toContain('out of paper');
    const none = await run(() => parallel({ name: 'all', members: { ann: dies('ann'), bob: dies('bob') } }));
    expect(none).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(none.candidate).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
  });

  test('[KAIZEN-42] whoever takes too long has failed, and the others are not kept waiting', async () => {
    const result = await run((clock) =>
      parallel({
        name: 'all',
        limits: { memberTimeMs: 500 },
        members: { ann: hangs('ann'), bob: slow(clock, 'bob', 200) },
      }),
    );
    expect(result.output).toMatchObject([
      { member: 'ann', status: 'failed' },
      { member: 'bob', output: 'bob: go' },
    ]);
    expect(JSON.stringify(result.output)).toContain('500 ms');
  });

  test('a quorum: the first who answer are enough, the others are cancelled', async () => {
    const result = await run((clock) =>
      parallel({
        name: 'all',
        quorum: 2,
        members: { ann: hangs('ann'), bob: slow(clock, 'bob', 300), carl: slow(clock, 'carl', 100) },
      }),
    );
    expect(result).toMatchObject({
      status: 'completed',
      output: [
        { member: 'ann', status: 'aborted', error: 'cancelled: enough of the others have answered' },
        { member: 'bob', status: 'completed' },
        { member: 'carl', status: 'completed' },
      ],
    });
  });

  test('a quorum that is not met stops the work, with what there is', async () => {
    const result = await run(() =>
      parallel({
        name: 'all',
        quorum: 2,
        members: { ann: says('ann'), bob: dies('bob'), carl: dies('carl') },
      }),
    );
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'quorum', detail: '1 of 3 answered, and 2 have to' },
      candidate: [{ output: 'ann: go' }, { status: 'failed' }, { status: 'failed' }],
    });
  });

  test('the first failure ends it, if that is wanted', async () => {
    const result = await run(() =>
      parallel({
        name: 'all',
        failsFast: true,
        concurrency: 2,
        members: { ann: hangs('ann'), bob: dies('bob'), carl: says('carl') },
      }),
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(result.candidate).toMatchObject([{ status: 'aborted' }, { status: 'failed' }]);
    expect(engaged(result.events)).toEqual(['ann', 'bob']);
  });

  test('a function makes one of all replies; it sees them in order, and the input', async () => {
    const aggregate = (replies: readonly ParallelReply[], input: unknown) => ({
      input: String(input),
      said: replies.map(({ output }) => output),
    });
    const result = await run((clock) =>
      parallel({
        name: 'all',
        members: { ann: slow(clock, 'ann', 300), bob: slow(clock, 'bob', 100) },
        aggregator: aggregate,
      }),
    );
    expect(result.output).toEqual({ input: 'go', said: ['ann: go', 'bob: go'] });
  });

  test.each([
    { what: 'throws', aggregator: (): unknown => 'x'.repeat(-1), says: 'Invalid count value' },
    {
      what: 'gives a promise',
      aggregator: (): unknown => Promise.resolve('x'),
      says: 'has to answer at once',
    },
    { what: 'gives no plain JSON', aggregator: (): unknown => ({ at: new Date(0) }), says: 'not plain JSON' },
  ])('[KAIZEN-42] a function that $what takes nothing away', async ({ aggregator, says: why }) => {
    const result = await run(() => parallel({ name: 'all', members: { ann: says('ann') }, aggregator }));
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'aggregator' },
      candidate: [{ member: 'ann', output: 'ann: go' }],
    });
    expect(JSON.stringify(result.stopReason)).toContain(why);
  });

  test('an agent makes one of all replies: it reads them in order, failures and messages, too', async () => {
    const model = scriptedModel(['all in all']);
    const result = await run((clock) =>
      parallel({
        name: 'all',
        members: { ann: slow(clock, 'ann', 300), bob: dies('bob') },
        aggregator: agent({ name: 'sum', model }),
      }),
    );
    expect(result.output).toBe('all in all');
    expect(phasesOf(result.events, 'all')).toEqual([
      'dealing',
      'gathering',
      'joining',
      'reducing',
      'reduced',
      'completed',
    ]);
    const text = model.requests[0]?.messages[0]?.text ?? '';
    expect(text).toContain('Request: go');
    expect(text).toMatch(/\[ann\] ann: go\n\[bob\] \(no answer: .*out of paper/);
  });

  test('the aggregator of a list reads each item with its reply', async () => {
    const model = scriptedModel(['both']);
    await run(
      () => parallel({ name: 'all', each: says('w'), aggregator: agent({ name: 'sum', model }) }),
      ['one', 'two'],
    );
    expect(model.requests[0]?.messages[0]?.text).toContain('[w] one: w: one\n[w] two: w: two');
  });

  test('an aggregator that fails takes nothing away', async () => {
    const result = await run(() =>
      parallel({ name: 'all', members: { ann: says('ann') }, aggregator: dies('sum') }),
    );
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'aggregator' },
      candidate: [{ output: 'ann: go' }],
    });
  });

  test.each([
    { steps: 1, candidate: [{ status: 'completed' }, { status: 'stopped' }] },
    { steps: 2, candidate: [{ output: 'ann: go' }, { output: 'bob: go' }] },
  ])('a budget of $steps that is spent stops it, with the replies so far', async ({ steps, candidate }) => {
    const result = await run(() =>
      parallel({
        name: 'all',
        concurrency: 1,
        limits: { budget: { steps } },
        members: { ann: says('ann'), bob: says('bob') },
        aggregator: agent({ name: 'sum', model: scriptedModel(['x']) }),
      }),
    );
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget' }, candidate });
  });
});

test('what it takes and gives follows from its members', () => {
  const counter = agent({ name: 'counter', input: z.object({ n: z.number() }), output: z.number() });
  const reader = agent({ name: 'reader' });
  expectTypeOf(parallel({ name: 'a', members: { reader } })).toExtend<
    Agent<string, readonly ParallelReply[]>
  >();
  expectTypeOf(parallel({ name: 'a', each: counter, aggregator: () => 1 })).toExtend<
    Agent<readonly { n: number }[], number>
  >();
  expectTypeOf(parallel({ name: 'a', each: reader, aggregator: reader })).toExtend<
    Agent<readonly string[], string>
  >();
  expect(parallel({ name: 'a', members: { reader } }).diagram()).toContain('gathering');
});

test.each([
  { setup: { members: {} }, says: 'found {}' },
  { setup: { members: { aggregator: says('x') } }, says: 'none of them called' },
  {
    setup: { members: { ann: says('x') }, quorum: 2 },
    says: 'more than its members, of whom there are 1: found 2',
  },
  { setup: { members: { ann: says('x') }, quorum: 0 }, says: 'quorum is not a whole number' },
  { setup: { members: { ann: says('x') }, concurrency: 0.5 }, says: 'concurrency is not a whole number' },
  { setup: { members: { ann: {} as Agent<string> } }, says: 'was not made by agent()' },
])('what cannot be a team is refused: $says', ({ setup, says: why }) => {
  expect(() => parallel({ name: 'all', ...setup })).toThrow(why);
});

test('it is not a pipeline: what each gets is the input, not what another left', async () => {
  const one = says('one');
  const two = says('two');
  const { output } = await parallel({ name: 'all', members: { one, two } }).run('x');
  expect(output?.map(({ output: said }) => said)).toEqual(['one: x', 'two: x']);
  expect((await pipeline({ name: 'line', stages: [one, two] }).run('x')).output).toBe('two: one: x');
});

describe('the budget of a team', () => {
  const noop = tool({ name: 'noop', description: 'Nothing.', input: z.object({}), execute: () => '' });
  const hangs = agent({ name: 'hangs', decide: () => never() });
  const wantsCalls = calls({ name: 'noop', input: {} });
  const paid: ModelAnswer['usage'] = { input: 40, output: 0 };

  test.each<[string, Budget]>([
    ['steps', { steps: 4 }],
    ['toolCalls', { toolCalls: 2 }],
    ['tokens', { tokens: 100 }],
    ['usd', { usd: 1 }],
    ['timeMs', { timeMs: 1_000 }],
  ])('ends it at once when it is spent, whoever is busy: %s', async (kind, budget) => {
    const clock = virtualClock();
    const model = scriptedModel(
      Array.from({ length: 9 }, () => ({ ...wantsCalls, usage: paid })),
      'costly',
    );
    const spender =
      kind === 'timeMs'
        ? agent({ name: 'spender', decide: () => never() })
        : agent({ name: 'spender', tools: [noop], model: { ...model, isLanguageModel: true } });
    // The team in between is bounded by the budget above it, too.
    const inner = parallel({ name: 'inner', members: { hangs, spender } });
    const team = parallel({ name: 'team', members: { hangs, inner }, limits: { budget } });
    const prices = { name: 'p', cost: () => 0.5 };
    const run = settled(start(team, 'go', { clock, prices }));
    if (kind === 'timeMs') await clock.advance(1_001);
    const { status, stopReason, events } = await run;
    expect({ status, stopReason }).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'budget', budget: kind, path: 'team' },
    });
    expect(ofType(events, 'member.ended').map(({ member }) => member)).toEqual(
      expect.arrayContaining(['hangs', 'spender', 'inner']),
    );
    expect(clock.pending).toBe(0);
  });

  test('that ended it is said by a replay of its journal, too', async () => {
    const store = memoryStore();
    const spender = agent({ name: 'spender', tools: [noop], decide: () => act({ name: 'noop', input: {} }) });
    const team = parallel({ name: 'team', members: { hangs, spender }, limits: { budget: { steps: 3 } } });
    const ran = await settled(start(team, 'go', { store, runId: 'r1' }));
    const again = await replay(team, 'r1', { store });
    expect(again.result?.events).toEqual(ran.events);
    expect(again.result?.stopReason).toEqual(ran.stopReason);
  });
});

test('a member whose time is over has failed with one cause: in its reply, its event, the log and the measures', async () => {
  const clock = virtualClock();
  const lines: string[] = [];
  const measures = metrics();
  const hooks = [jsonLog((line) => void lines.push(line), { level: 'warn' }), measures];
  const logged: string[] = [];
  const store = memoryStore();
  const team = parallel({
    name: 'team',
    members: {
      hangs: agent({ name: 'hangs', decide: () => never() }),
      quick: agent({ name: 'quick', decide: () => answer('x') }),
    },
    limits: { memberTimeMs: 300 },
  });
  const log = ({ type, error }: LogEntry): void => void logged.push(`${type} ${error.code}`);
  const handle = start(team, 'go', { clock, hooks, log, store, runId: 'r1' });
  const { output, events } = await letTimePass(clock, settled(handle));
  const message = "Cannot wait for 'hangs' any longer as its time is over: 300 ms";
  expect(output).toMatchObject([{ status: 'failed', error: message }, { status: 'completed' }]);
  expect(ofType(events, 'member.ended').find(({ member }) => member === 'hangs')).toMatchObject({
    status: 'failed',
    stopReason: { kind: 'failed' },
    error: { code: 'member.timed-out', message },
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('member.timed-out');
  expect(logged).toEqual(['member.ended member.timed-out']);
  expect(snapshotAsPrometheus(measures.snapshot())).toMatch(/^troupe_errors_total\{.*member\.timed-out/m);
  expect((await replay(team, 'r1', { store })).events).toEqual(events);
});
