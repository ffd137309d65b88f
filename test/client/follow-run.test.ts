import { afterEach, describe, expect, test } from 'vitest';
import type { LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { followRun } from '../../src/client/follow-run.ts';
import { readRun } from '../../src/client/read-run.ts';
import type { Progress } from '../../src/events/progress/progress.ts';
import { foldProgress, noProgress } from '../../src/events/progress/progress.ts';
import type { EventSource } from '../../src/runtime/serve/streams/event-source.ts';
import { ndjson } from '../../src/inspect/publishing/ndjson.ts';
import { sseResponse } from '../../src/runtime/serve/streams/sse.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { serveLoopback } from '../inspect/publishing/loopback.ts';
import { deferred, echo, quiet } from '../support/runs.ts';
import { speakingModel } from './speaking-model.ts';

const closing: (() => Promise<void> | void)[] = [];
const serve = async (answer: (request: Request) => Response | Promise<Response>) => {
  const server = await serveLoopback(answer);
  closing.push(() => server.close());
  return server.url;
};
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const lookingUp = () => {
  const model = scriptedModel([
    calls({ name: 'echo', input: { text: 'seen' } }),
    calls({ name: 'echo', input: { text: 'seen again' } }),
    'It is there.',
  ]);
  return agent({ name: 'writer', tools: [echo], model });
};

const fold = (events: readonly LiveEvent[]): Progress => events.reduce(foldProgress, noProgress);

const all = async (reading: AsyncIterable<readonly LiveEvent[]>): Promise<LiveEvent[]> => {
  const events: LiveEvent[] = [];
  for await (const each of reading) events.push(...each);
  return events;
};

const durable = (events: readonly LiveEvent[]): RuntimeEvent[] =>
  events.filter((event): event is RuntimeEvent => event.type !== 'model.delta');

/** An answer whose connection breaks after so many events. */
const broken = (response: Response, after: number): Response => {
  let left = after;
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        controller.enqueue(piece);
        left -= 1;
        if (left < 0) controller.error(new Error('The connection broke'));
      },
    }),
  );
  return new Response(body, response);
};

const lines = (source: EventSource): Response =>
  new Response(ndjson(source, { secrets: {} }), { headers: { 'content-type': 'application/x-ndjson' } });

const soon = { retryMs: 1 };

describe.each([
  {
    kind: 'server-sent events',
    answer: (source: EventSource, request: Request) =>
      sseResponse(source, { after: request, secrets: {}, retryMs: 1 }),
  },
  { kind: 'lines of JSON', answer: (source: EventSource) => lines(source) },
])('a run that is served by $kind', ({ answer }) => {
  test('is read once and in order, whatever event the connection breaks after', async () => {
    const handle = lookingUp().stream('go');
    const { events } = await handle.result;
    for (let cut = 0; cut < events.length; cut += 1) {
      let asked = 0;
      const url = await serve((request) => {
        asked += 1;
        const response = answer(handle, request);
        return asked === 1 ? broken(response, cut) : response;
      });
      const read = await all(readRun(url, soon));
      expect(durable(read), `broken after ${cut}`).toEqual(events);
      // Whoever has the last event does not come back.
      expect(asked).toBe(cut < events.length - 1 ? 2 : asked);
      expect(fold(read)).toEqual(fold(events));
      for (const close of closing.splice(0)) await close();
    }
  });

  test('is followed as it goes on, with what is said', async () => {
    const { model, say, end } = speakingModel();
    const handle = agent({ name: 'writer', model }).stream('Write.');
    const url = await serve((request) => answer(handle, request));
    const run = followRun(url, soon);
    const stop = run.subscribe(() => undefined);
    await expect.poll(() => run.current.progress.phase).toBe('DECIDE');
    say('Once ');
    say('upon');
    await expect.poll(() => run.current.progress.text).toBe('Once upon');
    expect(run.current).toMatchObject({ connection: 'open', progress: { isStreaming: true } });
    end('Once upon a time.');
    const { events } = await handle.result;
    await expect.poll(() => run.current.connection).toBe('closed');
    expect(run.current.progress).toEqual(fold(events));
    stop();
  });
});

describe('whoever follows', () => {
  test('a handle and leaves is let go of, and goes on where it was when it comes back', async () => {
    const { model, say, end } = speakingModel();
    const handle = agent({ name: 'writer', model }).stream('Write.');
    const listening = { count: 0 };
    const run = followRun({
      events$: {
        subscribe: (observer) => {
          listening.count += 1;
          const subscription = handle.events$.subscribe(observer);
          return {
            unsubscribe: () => {
              listening.count -= 1;
              subscription.unsubscribe();
            },
          };
        },
      },
    });
    let told = 0;
    const listener = (): void => {
      told += 1;
    };
    const first = run.subscribe(listener);
    first();
    const again = run.subscribe(listener);
    await quiet();
    expect(listening.count).toBe(1);
    say('Once');
    again();
    await quiet();
    expect(listening.count).toBe(0);
    expect(run.current.connection).toBe('idle');
    const before = told;
    say(' upon');
    const last = run.subscribe(listener);
    say(' a time');
    await quiet();
    expect(told).toBeGreaterThan(before);
    expect(run.current.progress.speeches).toMatchObject([{ text: 'Once upon a time', isWhole: true }]);
    end('Once upon a time.');
    const { events } = await handle.result;
    await quiet();
    expect(run.current.progress).toEqual(fold(events));
    last();
  });

  test('is told once of all that comes at once', async () => {
    const handle = lookingUp().stream('go');
    await handle.result;
    let told = 0;
    const run = followRun(handle);
    run.subscribe(() => {
      told += 1;
    });
    await quiet();
    expect(told).toBe(1);
    expect(run.current.progress.status).toBe('completed');
  });

  test('a URL and leaves hangs up, and asks for the rest when it comes back', async () => {
    const gate = deferred<string>();
    const handle = agent({
      name: 'writer',
      tools: [echo],
      model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), () => gate.promise]),
    }).stream('go');
    const asked: (string | null)[] = [];
    let hungUp = 0;
    const url = await serve((request) => {
      asked.push(request.headers.get('last-event-id'));
      const { body, headers } = sseResponse(handle, { after: request, secrets: {} });
      const seen = new TransformStream<Uint8Array, Uint8Array>();
      void body?.pipeTo(seen.writable).catch(() => (hungUp += 1));
      return new Response(seen.readable, { headers });
    });
    const run = followRun(url);
    const leave = run.subscribe(() => undefined);
    await expect.poll(() => run.current.progress.messages.length).toBe(2);
    await expect.poll(() => run.current.progress.phase).toBe('DECIDE');
    await quiet();
    leave();
    await expect.poll(() => hungUp).toBeGreaterThan(0);
    gate.resolve('Done.');
    const { events } = await handle.result;
    const again = run.subscribe(() => undefined);
    await expect.poll(() => run.current.connection).toBe('closed');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toBeNull();
    expect(Number(asked[1])).toBeGreaterThan(3);
    expect(run.current.progress).toEqual(fold(events));
    again();
  });
});

describe('a server', () => {
  test('that refuses is a failure with its status, and is not asked again', async () => {
    let asked = 0;
    const url = await serve(() => {
      asked += 1;
      return new Response('no', { status: 403 });
    });
    const run = followRun(url, soon);
    run.subscribe(() => undefined);
    await expect.poll(() => run.current.connection).toBe('closed');
    expect(run.current.failure).toMatchObject({ code: 'stream.refused', status: 403, retryable: 'no' });
    expect(run.current.progress).toMatchObject({ status: 'failed', error: { code: 'stream.refused' } });
    expect(asked).toBe(1);
  });

  test('that is down for a while is asked again, later and later', async () => {
    const handle = lookingUp().stream('go');
    const { events } = await handle.result;
    const clock = virtualClock();
    const asked: number[] = [];
    const url = await serve((request) => {
      asked.push(clock.now());
      return asked.length < 4
        ? new Response('down', { status: 503 })
        : sseResponse(handle, { after: request, secrets: {} });
    });
    const reading = all(readRun(url, { clock, retryMs: 100 }));
    for (const ms of [100, 200, 400]) {
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advance(ms);
    }
    expect(durable(await reading)).toEqual(events);
    expect(asked.map((at) => at - (asked[0] ?? 0))).toEqual([0, 100, 300, 700]);
  });

  test('is told who asks, anew each time', async () => {
    const handle = lookingUp().stream('go');
    await handle.result;
    const asked: (string | null)[] = [];
    const url = await serve((request) => {
      asked.push(request.headers.get('authorization'));
      return asked.length === 1 ? new Response('', { status: 503 }) : lines(handle);
    });
    let token = 0;
    const headers = async () => ({ authorization: `Bearer ${(token += 1)}` });
    await all(readRun(url, { ...soon, headers }));
    expect(asked).toEqual(['Bearer 1', 'Bearer 2']);
  });

  test('that stays away is given up after as many attempts as it is given', async () => {
    const url = await serve(() => new Response('down', { status: 503 }));
    await expect(all(readRun(url, { ...soon, attempts: 3 }))).rejects.toMatchObject({
      code: 'stream.refused',
    });
  });

  test.each([
    { name: 'a page', type: 'text/html', text: '<p>' },
    { name: 'text that is no event', type: 'text/event-stream', text: 'data: {}\n\n' },
    { name: 'text that is no JSON', type: 'application/x-ndjson', text: 'hello\n' },
    { name: 'an event of another version', type: 'text/event-stream', text: 'data: {"v":2}\n\n' },
  ])('that sends $name is refused by name', async ({ type, text }) => {
    const url = await serve(() => new Response(text, { headers: { 'content-type': type } }));
    await expect(all(readRun(url, soon))).rejects.toMatchObject({ code: 'stream.invalid', retryable: 'no' });
  });

  test.each([
    { source: 'http://' },
    { source: 'not a url' },
    { source: {} },
    { source: null },
    { source: 7 },
  ])('cannot be followed by $source', ({ source }) => {
    // @ts-expect-error what JavaScript may give
    expect(() => followRun(source)).toThrow(expect.objectContaining({ code: 'stream.invalid' }));
  });
});
