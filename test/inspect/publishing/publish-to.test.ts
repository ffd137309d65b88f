import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { EventBody } from '../../../src/contracts/events/event.ts';
import { attachHooks } from '../../../src/events/hooks/hooks.ts';
import type { PublishOptions } from '../../../src/inspect/publishing/publish-to.ts';
import { publishTo } from '../../../src/inspect/publishing/publish-to.ts';
import { publicationSchema } from '../../../src/inspect/publishing/publication.ts';
import type { PublishedBatch, Publisher } from '../../../src/inspect/publishing/publisher.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { orchestrator } from '../../../src/patterns/orchestrator.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { echo, letTimePass, never, ofType, quiet, settled, start } from '../../support/runs.ts';
import { noTotals, sampleRun } from '../../events/sample-events.ts';
import { inShort, rememberingPublisher } from './publisher-kit.ts';

const ended = {
  type: 'run.ended',
  status: 'completed',
  stopReason: { kind: 'answered' },
  totals: noTotals,
} as const;
const answered = (text: string, key = KEY): EventBody => ({
  type: 'model.answered',
  model: 'm',
  key,
  text,
  calls: 0,
  finish: 'stop',
  usage: { input: 1, output: 1 },
  durationMs: 1,
});
const KEY = 'run-1/desk#0.DECIDE.0.0';

/** A run whose events a test tells, published by `publisher`. */
const published = (publisher: Publisher, options: PublishOptions = {}) => {
  const run = sampleRun();
  const clock = virtualClock();
  const drops: number[] = [];
  const hook = publishTo(publisher, { secrets: {}, ...options });
  const attached = attachHooks(run.stream, [hook], {
    clock,
    onFailure: (observer, error) => {
      run.failures.push({ observer, message: error instanceof Error ? error.message : String(error) });
    },
    onDropped: (_, count) => drops.push(count),
  });
  return { ...run, clock, drops, hook, flush: () => attached.flush('run-1') ?? Promise.resolve() };
};

describe('batches', () => {
  test('[TENEX-32] [M49] five fast chunks are published twice, numbered, each with the whole text so far', async () => {
    const kit = rememberingPublisher();
    const { delta, tell, clock } = published(kit.publisher, { kinds: ['content'] });
    for (const piece of ['Once ', 'upon ', 'a ', 'time ']) {
      delta(piece);
      await clock.advance(20);
    }
    await clock.advance(20);
    expect(kit.publications.map(inShort)).toEqual(['1 Once upon a time …']);
    delta('there');
    tell(answered('Once upon a time there'));
    await clock.advance(99);
    expect(kit.tried).toHaveLength(1);
    await clock.advance(1);
    expect(kit.publications.map(inShort)).toEqual(['1 Once upon a time …', '2 Once upon a time there.']);
  });

  test('[TENEX-32] the end of a sentence goes at once, if the batch before is long enough ago', async () => {
    const kit = rememberingPublisher();
    const { delta, clock } = published(kit.publisher, { kinds: ['content'] });
    delta('Yes.');
    await clock.advance(0);
    expect(kit.publications.map(inShort)).toEqual(['1 Yes.…']);
    delta(' No.');
    await clock.advance(99);
    expect(kit.tried).toHaveLength(1);
    await clock.advance(1);
    expect(kit.publications.map(inShort)).toEqual(['1 Yes.…', '2 Yes. No.…']);
  });

  test('[TENEX-28] [D2] text that is taken back is emptied, and what the next attempt says is published', async () => {
    const kit = rememberingPublisher();
    const { delta, tell, clock } = published(kit.publisher, { kinds: ['content'] });
    delta('wrong ');
    await clock.advance(100);
    tell({ type: 'model.discarded', model: 'm', key: KEY, characters: 6 });
    await clock.advance(100);
    delta('right', 'second');
    tell(answered('right', 'second'));
    await clock.advance(100);
    expect(kit.publications.map(inShort)).toEqual(['1 wrong …', '2 …', '3 right.']);
  });

  test('[TENEX-81] every kind has its schema', async () => {
    const kit = rememberingPublisher();
    const { tell, clock } = published(kit.publisher);
    tell({ type: 'phase.entered', phase: 'OBSERVE' });
    tell({
      type: 'tool.started',
      callId: 'c',
      tool: 't',
      input: {},
      description: 'Reading\u0007 it',
      attempt: 1,
    });
    tell({ type: 'tool.finished', callId: 'c', tool: 't', ok: true, text: 'there', durationMs: 1 });
    tell({ type: 'custom.emitted', name: 'shop.ordered', data: { id: 7 } });
    tell(answered('done'));
    const error = { code: 'model.failed', message: 'down', retryable: 'no', errorId: 'e1' } as const;
    tell({ type: 'model.failed', model: 'm', key: 'k', error });
    tell({ ...ended, status: 'failed', error });
    await clock.advance(100);
    expect(kit.publications.map(({ type }) => type)).toEqual([
      'typing',
      'tool.started',
      'tool.finished',
      'custom',
      'content',
      'error',
      'typing',
      'completion',
    ]);
    for (const publication of kit.publications)
      expect(publicationSchema.parse(structuredClone(publication))).toEqual(publication);
    expect(kit.publications[1]).toMatchObject({ description: 'Reading it' });
  });

  test('secrets are taken out, also where they come in pieces', async () => {
    const kit = rememberingPublisher();
    const { delta, tell, clock } = published(kit.publisher, {
      kinds: ['content'],
      secrets: { KEY: 'sk-123456789' },
    });
    delta('it is sk-1234');
    await clock.advance(100);
    delta('56789 now');
    await clock.advance(100);
    tell(answered('it is sk-123456789 now, sk-12'));
    await clock.advance(100);
    expect(kit.publications.map(inShort)).toEqual([
      '1 it is …',
      '2 it is [redacted KEY] now…',
      '3 it is [redacted KEY] now, sk-12.',
    ]);
  });
});

describe('publishers that fail', () => {
  test('[TENEX-14] [TENEX-32] a batch is tried again after 1, 2 and 4 s, with the same numbers and before all others', async () => {
    const at: number[] = [];
    const kit = rememberingPublisher((_, attempt) => {
      at.push(clock.now());
      if (attempt <= 3) throw new Error('down');
    });
    const { tell, delta, clock, failures, hook } = published(kit.publisher, {
      kinds: ['content', 'completion'],
    });
    delta('One.');
    await clock.advance(500);
    delta(' Two.');
    tell(answered('One. Two.'));
    await clock.advance(10_000);
    expect(at.slice(0, 4)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(kit.tried.slice(0, 4).map(({ publications }) => publications.map(inShort))).toEqual(
      Array.from({ length: 4 }, () => ['1 One.…']),
    );
    expect(kit.publications.map(inShort)).toEqual(['1 One.…', '2 One. Two..']);
    expect(failures).toEqual([{ observer: 'chat', message: 'down' }]);
    expect(hook.stats).toEqual({ published: 2, dropped: 0, waiting: 0 });
  });

  test('what is given up is told, in the run and in the next batch', async () => {
    const kit = rememberingPublisher((_, attempt) => {
      if (attempt <= 2) throw new Error('down');
    });
    const { tell, clock, drops, hook } = published(kit.publisher, { attempts: 2, retryMs: 10 });
    tell(answered('lost'));
    await clock.advance(1_000);
    expect(drops).toEqual([1]);
    tell(answered('found', 'other'));
    await clock.advance(1_000);
    expect(kit.taken.map(({ dropped, publications }) => [dropped, ...publications.map(inShort)])).toEqual([
      [1, '2 found.'],
    ]);
    expect(hook.stats.dropped).toBe(1);
  });

  test('an error that cannot be mended gives its batch up at once', async () => {
    const kit = rememberingPublisher((_, attempt) => {
      if (attempt === 1) throw new TroupeError('publishing.invalid', 'Cannot');
    });
    const { tell, clock, drops } = published(kit.publisher);
    tell(answered('one'));
    tell(answered('two', 'other'));
    await clock.advance(0);
    await clock.advance(100);
    expect(drops).toEqual([1]);
    expect(kit.publications.map(inShort)).toEqual(['2 two.']);
  });

  test('[M49] no more than the capacity waits: what is too much goes, is counted and told, and the end never goes', async () => {
    let isDown = true;
    const kit = rememberingPublisher(() => {
      if (isDown) throw new Error('down');
    });
    const { tell, clock, drops, flush, hook } = published(kit.publisher, {
      capacity: 3,
      overflow: 'dropNewest',
    });
    for (let index = 0; index < 10; index += 1) tell(answered(`t${index}`, `k${index}`));
    tell(ended);
    expect(hook.stats.waiting).toBe(3);
    await clock.advance(100);
    isDown = false;
    const flushed = flush();
    await clock.advance(5_000);
    await flushed;
    expect(kit.taken.map(({ dropped, publications }) => [dropped, ...publications.map(inShort)])).toEqual([
      [0, '1 t0.'],
      [7, '2 t2.', '3 t3.', '4 completed'],
    ]);
    expect(drops.reduce((sum, count) => sum + count, 0)).toBe(7);
    expect(hook.stats).toEqual({ published: 4, dropped: 7, waiting: 0 });
  });

  test('whatever fails, numbers come in order, each is taken or told as dropped, and nothing is taken twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('dropOldest' as const, 'dropNewest' as const),
        async (failures, capacity, overflow) => {
          const kit = rememberingPublisher((_, attempt) => {
            if (failures[attempt - 1] === true) throw new Error('down');
          });
          const run = published(kit.publisher, {
            capacity,
            overflow,
            attempts: 3,
            kinds: ['content'],
            maxBatch: 4,
          });
          for (let index = 0; index < 12; index += 1) {
            run.tell(answered('x', `k${index}`));
            await run.clock.advance(index % 3 === 0 ? 700 : 0);
          }
          const flushed = run.flush();
          await letTimePass(run.clock, flushed);
          const numbers = kit.publications.map(({ seq }) => seq);
          expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
          expect(new Set(numbers).size).toBe(numbers.length);
          expect(numbers.length + run.hook.stats.dropped).toBe(12);
          expect(run.drops.reduce((sum, count) => sum + count, 0)).toBe(run.hook.stats.dropped);
          expect(run.clock.pending).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });
});

const writer = () => agent({ name: 'writer', model: scriptedModel(['There it is.']) });

test('[TENEX-15] all is published before the run counts as settled, also where it fails', async () => {
  const slow = rememberingPublisher(() => new Promise((resolve) => clock.setTimeout(resolve, 400)));
  const clock = virtualClock();
  const broken = agent({ name: 'broken', model: scriptedModel([new Error('fell')]) });
  const hook = publishTo(slow.publisher, { secrets: {} });
  const handle = start(broken, 'go', { hooks: [hook], clock });
  const result = settled(handle);
  let isSettled = false;
  void result.then(() => (isSettled = true));
  await clock.advance(300);
  expect(isSettled).toBe(false);
  await letTimePass(clock, result);
  expect(slow.publications.map(({ type }) => type)).toEqual(['typing', 'error', 'typing', 'completion']);
  expect((await result).status).toBe('failed');
  expect(clock.pending).toBe(0);
});

test('[TENEX-63] a publisher that throws, or never comes back, changes nothing but for a bounded wait', async () => {
  const bad: Publisher[] = [
    {
      name: 'throws',
      publish: () => {
        throw new Error('boom');
      },
    },
    { name: 'hangs', publish: () => never() },
  ];
  const clock = virtualClock();
  const plain = await letTimePass(clock, settled(start(writer(), 'go', { clock, runId: 'r' })));
  for (const publisher of bad) {
    const time = virtualClock();
    const handle = start(writer(), 'go', { clock: time, runId: 'r', hooks: [publishTo(publisher)] });
    const result = settled(handle);
    await time.advance(4_999);
    const before = await Promise.race([result.then(() => 'settled'), quiet().then(() => 'waits')]);
    expect(before).toBe('waits');
    const { output, status, records } = await letTimePass(time, result);
    expect({ output, status, steps: records.length }).toEqual({
      output: plain.output,
      status: plain.status,
      steps: plain.records.length,
    });
    expect(time.pending).toBe(0);
  }
});

test('[TENEX-13] [TENEX-24] the orchestrator of a team says and types nothing, whoever works for it does', async () => {
  const route = (agents: string[], phase: string) => JSON.stringify({ agents, phase, reason: 'so' });
  const clock = virtualClock();
  const kit = rememberingPublisher();
  const house = orchestrator({
    name: 'house',
    members: { maker: agent({ name: 'maker', model: scriptedModel(['Made.']) }) },
    orchestrator: { model: scriptedModel([route(['maker'], 'execute'), route(['END'], 'execute')]) },
    start: 'execute',
  });
  const result = await letTimePass(
    clock,
    settled(start(house, 'go', { hooks: [publishTo(kit.publisher)], clock })),
  );
  expect(ofType(result.events, 'model.answered').some(({ path }) => path.includes('orchestrator'))).toBe(
    true,
  );
  const speakers = new Set(
    kit.publications.filter(({ type }) => type !== 'completion').map(({ path }) => path),
  );
  expect([...speakers].filter((path) => path.includes('orchestrator'))).toEqual([]);
  expect([...speakers].some((path) => path.includes('maker'))).toBe(true);
  expect(kit.publications.at(-1)).toMatchObject({ type: 'completion', path: 'house' });
});

test('an agent of a name given as silent is silent; its run still completes', async () => {
  const clock = virtualClock();
  const kit = rememberingPublisher();
  const hook = publishTo(kit.publisher, { silent: ['writer'] });
  await letTimePass(clock, settled(start(writer(), 'go', { hooks: [hook], clock })));
  expect(kit.publications.map(inShort)).toEqual(['1 completed']);
});

test('a hook of an agent publishes what the agent does, and is flushed though it never sees the end of the run', async () => {
  const clock = virtualClock();
  const kit = rememberingPublisher(() => new Promise((resolve) => clock.setTimeout(resolve, 50)));
  const child = agent({
    name: 'child',
    tools: [echo],
    model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'below']),
    hooks: [publishTo(kit.publisher)],
  });
  const parent = agent({
    name: 'parent',
    model: scriptedModel([calls({ name: 'down', input: {} }), 'above']),
    tools: [
      tool({
        name: 'down',
        description: 'Has a child do it.',
        input: z.object({}),
        execute: async (_, { run }) => (await run(child, 'please')).output,
      }),
    ],
  });
  await letTimePass(clock, settled(start(parent, 'go', { clock })), 10);
  const types = kit.publications.map(({ type }) => type);
  expect(types).toContain('tool.finished');
  expect(types).not.toContain('completion');
  expect(clock.pending).toBe(0);
});

test('one hook serves several runs, each numbered by itself, and closes its publisher once', async () => {
  const kit = rememberingPublisher();
  const hook = publishTo(kit.publisher, { kinds: ['completion'] });
  const one = agent({ name: 'one', model: scriptedModel(['a', 'b']) });
  await Promise.all([one.run('1', { hooks: [hook] }), one.run('2', { hooks: [hook] })]);
  await hook.close();
  expect(kit.publications.map(inShort)).toEqual(['1 completed', '1 completed']);
  expect(new Set(kit.taken.map(({ runId }: PublishedBatch) => runId)).size).toBe(2);
  expect(kit.closed).toBe(1);
});

test.each([{ capacity: 0 }, { maxBatch: 0 }, { attempts: Number.NaN }, { flushMs: -1 }])(
  'a number that bounds nothing is refused: %j',
  (options) => {
    expect(() => publishTo(rememberingPublisher().publisher, options)).toThrow(
      expect.objectContaining({ code: 'publishing.invalid' }),
    );
  },
);
