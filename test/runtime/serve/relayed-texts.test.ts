import { afterAll, describe, expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { RelayedDelta } from '../../../src/runtime/serve/runs/relayed-texts.ts';
import { readNotice, textsOf, writeNotices } from '../../../src/runtime/serve/runs/relayed-texts.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { describeWithPostgres } from '../../support/postgres.ts';
import { deferred } from '../../support/runs.ts';
import { RelayedEvents } from '../../../src/runtime/serve/runs/relayed-events.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { eventRedactor } from '../../../src/runtime/serve/streams/event-redactor.ts';
import { served } from './serve-kit.ts';

/** A model that writes piece by piece, each when it is let. */
const writing = () => {
  const pieces: string[] = [];
  let next = deferred<void>();
  let isOver = false;
  const model: Model = {
    ...scriptedModel([]),
    answer: async (_request, { delta }) => {
      let text = '';
      for (;;) {
        for (const piece of pieces.splice(0)) {
          text += piece;
          delta({ type: 'text', text: piece });
        }
        if (isOver) return modelAnswer({ text });
        await next.promise;
        next = deferred<void>();
      }
    },
  };
  return {
    model,
    write: (text: string) => {
      pieces.push(text);
      next.resolve();
    },
    end: () => {
      isOver = true;
      next.resolve();
    },
  };
};

const writer = (model: Model) => agent({ name: 'writer', model });

const entrance = (store: JournalStore) =>
  served({ agents: { writer: writer(scriptedModel([])) }, store, executes: false });

const isDelta = (event: LiveEvent | undefined): event is DeltaEvent => event?.type === 'model.delta';

const event: DeltaEvent = {
  v: 1,
  type: 'model.delta',
  at: 5,
  runId: 'r',
  path: 'writer',
  agent: 'writer',
  key: 'r/writer#0.DECIDE.0.0',
  offset: 3,
  delta: { type: 'text', text: '' },
};

/** The events of a run, one after the other, and the text that its deltas make. */
const reader = (events: AsyncIterable<LiveEvent>) => {
  const seen: LiveEvent[] = [];
  const iterator = events[Symbol.asyncIterator]();
  let text = '';
  const until = async (isWanted: () => boolean): Promise<void> => {
    while (!isWanted()) {
      const { value, done } = await iterator.next();
      if (done === true) throw new Error(`it is over: ${seen.map(({ type }) => type).join(' ')}`);
      seen.push(value);
      if (isDelta(value) && value.delta.type === 'text')
        text = text.slice(0, value.offset ?? 0) + value.delta.text;
    }
  };
  return {
    seen,
    reads: (wanted: string) => until(() => text === wanted),
    ends: () => until(() => seen.at(-1)?.type === 'run.ended'),
    leave: () => iterator.return?.(),
  };
};

/** What the processes of a store do: two views of it are opened. */
const relays = (open: () => readonly [JournalStore, JournalStore]): void => {
  test('an entrance streams the text that a worker writes, between the events of its call', async () => {
    const [store, other] = open();
    const { model, write, end } = writing();
    await using front = await entrance(other);
    await using worker = await served({ agents: { writer: writer(model) }, store });
    await worker.service.booted;
    const run = await connect<typeof front.service>(front.url).start('writer', 'Write.');
    const early = reader(run);
    write('Once ');
    await early.reads('Once ');
    write('upon a time');
    await early.reads('Once upon a time');
    // Who joins late has all of it.
    const late = reader(connect(front.url).at(run.runId));
    await late.reads('Once upon a time');
    write(' there was.');
    await Promise.all([
      early.reads('Once upon a time there was.'),
      late.reads('Once upon a time there was.'),
    ]);
    end();
    await Promise.all([early.ends(), late.ends()]);
    for (const { seen } of [early, late]) {
      const types = seen.map(({ type }) => type);
      expect(types.indexOf('model.delta')).toBeGreaterThan(types.indexOf('model.asked'));
      expect(types.lastIndexOf('model.delta')).toBeLessThan(types.indexOf('model.answered'));
      expect(seen.filter((event) => !isDelta(event)).map((event) => 'seq' in event && event.seq)).toEqual(
        Array.from({ length: seen.filter((event) => !isDelta(event)).length }, (_, seq) => seq),
      );
    }
  });

  test('a text goes on after another worker has the run', async () => {
    const [store, other] = open();
    const [first, second] = [writing(), writing()];
    await using front = await entrance(other);
    const one = await served({ agents: { writer: writer(first.model) }, store });
    await one.service.booted;
    const run = await connect<typeof front.service>(front.url).start('writer', 'Write.');
    const events = reader(run);
    first.write('Begun by one');
    await events.reads('Begun by one');
    await one.service.drain({ withinMs: 1 });
    await using two = await served({ agents: { writer: writer(second.model) }, store });
    await two.service.booted;
    second.write('By two');
    await events.reads('By two');
    second.end();
    await events.ends();
    await one[Symbol.asyncDispose]();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'By two' });
  });
};

describe('in memory', () => {
  relays(() => {
    const store = memoryStore();
    return [store, store];
  });
});

describeWithPostgres('in PostgreSQL', ({ connectionString }) => {
  const opened: JournalStore[] = [];
  afterAll(async () => {
    for (const store of opened) await store.close();
  });
  relays(() => {
    const schema = `texts_${opened.length}`;
    const stores = [
      postgresStore({ connectionString, schema }),
      postgresStore({ connectionString, schema }),
    ] as const;
    opened.push(...stores);
    return stores;
  });
});

test('nothing is sent of a run that nobody reads elsewhere', async () => {
  const topics: string[] = [];
  const kept = memoryStore();
  const store: JournalStore = Object.assign(kept, {
    publish: (topic: string, text: string) => {
      topics.push(topic);
      Object.getPrototypeOf(kept).publish.call(kept, topic, text);
    },
  });
  const { model, write, end } = writing();
  await using worker = await served({ agents: { writer: writer(model) }, store });
  await worker.service.booted;
  const run = await connect<typeof worker.service>(worker.url).start('writer', 'Write.');
  const events = reader(run);
  write('Here');
  await events.reads('Here');
  end();
  await events.ends();
  expect(topics).toEqual([]);
});

test('an entrance whose store cannot pass on texts, or fails at it, has all events', async () => {
  for (const broken of [
    { subscribe: undefined },
    { subscribe: () => Promise.reject(new Error('it does not listen')) },
    {
      publish: () => {
        throw new Error('it does not speak');
      },
    },
  ]) {
    const store: JournalStore = Object.assign(memoryStore(), broken);
    const { model, write, end } = writing();
    await using front = await entrance(store);
    await using worker = await served({ agents: { writer: writer(model) }, store });
    await worker.service.booted;
    const run = await connect<typeof front.service>(front.url).start('writer', 'Write.');
    write('All of it');
    end();
    const events = reader(run);
    await events.ends();
    expect(events.seen.some(isDelta)).toBe(false);
    expect(await run.result).toMatchObject({ output: 'All of it' });
  }
});

test('a delta waits for the events before it, and one behind the end of its answer is left out', async () => {
  const store = memoryStore();
  const logged = (seq: number, type: 'model.asked' | 'model.answered') =>
    ({ ...event, offset: undefined, delta: undefined, type, seq, key: event.key }) as unknown as RuntimeEvent;
  const ready = deferred<RuntimeEvent>();
  const answered = deferred<RuntimeEvent>();
  const reads = [ready.promise, answered.promise];
  let looks = 0;
  const events = new RelayedEvents({
    runId: 'r',
    store,
    clock: virtualClock(),
    events: {
      next: async () => {
        const value = await reads.shift();
        return value === undefined ? { value, done: true } : { value, done: false };
      },
      return: async () => ({ value: undefined, done: true }),
      look: () => {
        looks += 1;
      },
    },
  });
  const send = (after: number, offset: number, text: string) => {
    for (const notice of writeNotices([
      { after, delta: { ...event, offset, delta: { type: 'text', text } } },
    ]))
      void store.publish?.(textsOf('r'), notice);
  };
  const first = events.next();
  // Until it has subscribed.
  await Promise.resolve();
  send(6, 0, 'Once ');
  expect(looks).toBe(1);
  ready.resolve(logged(6, 'model.asked'));
  expect(await first).toMatchObject({ value: { type: 'model.asked' } });
  expect(await events.next()).toMatchObject({ value: { offset: 0, delta: { text: 'Once ' } } });
  // Another reader begins: what is known is not read again.
  send(6, 0, 'Once upon');
  expect(await events.next()).toMatchObject({ value: { offset: 5, delta: { text: 'upon' } } });
  const last = events.next();
  answered.resolve(logged(7, 'model.answered'));
  expect(await last).toMatchObject({ value: { type: 'model.answered' } });
  send(6, 9, ' a time');
  expect(await events.next()).toEqual({ value: undefined, done: true });
  expect(looks).toBe(1);
});

test('a call that is made again is redacted from its beginning', () => {
  const redact = eventRedactor({ TOKEN: 'correct-horse-battery' });
  const shown = (offset: number, text: string) =>
    redact({ ...event, offset, delta: { type: 'text', text } }).map((each) =>
      isDelta(each) && each.delta.type === 'text' ? [each.offset, each.delta.text] : [],
    );
  expect(shown(0, 'It is correct-')).toEqual([[0, 'It is ']]);
  expect(shown(0, 'It was ')).toEqual([[0, 'It was ']]);
  expect(shown(7, 'correct-horse-battery.')).toEqual([[7, '[redacted TOKEN].']]);
});

test('notices have all deltas, in order, none longer than a store passes on', () => {
  const texts = ['a b\nc', '\u0000'.repeat(3_000), '😀é'.repeat(5_000), `${'\\"'.repeat(999)}\n`];
  const deltas: readonly RelayedDelta[] = [
    ...texts.map((text, index) => ({
      after: index,
      delta: { ...event, delta: { type: 'text' as const, text } },
    })),
    { after: 9, delta: { ...event, delta: { type: 'tool-call', index: 1, name: 'step', text: '{"a":1}' } } },
  ];
  const notices = writeNotices(deltas);
  for (const notice of notices) expect(new TextEncoder().encode(notice).length).toBeLessThanOrEqual(7_000);
  const read = notices.flatMap(readNotice);
  const textAfter = (after: number) =>
    read
      .filter((each) => each.after === after)
      .reduce((text, { delta }) => {
        expect(delta.offset).toBe(3 + text.length);
        return text + (delta.delta.type === 'text' ? delta.delta.text : '');
      }, '');
  expect(texts.map((_, after) => textAfter(after))).toEqual(texts);
  expect(read.at(-1)).toEqual(deltas.at(-1));
  expect(writeNotices([])).toEqual([]);
  expect(writeNotices([{ after: 0, delta: { ...event, key: 'k'.repeat(9_000) } }])).toEqual([]);
  for (const strange of ['', 'here', 'x {}', '1 {}', '1 {"v":1}', 'null'])
    expect(readNotice(strange)).toEqual([]);
});
