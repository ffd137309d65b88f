import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Observable } from 'rxjs';
import { delay, mergeMap, NEVER, take } from 'rxjs';
import { afterAll, describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { parseEvent } from '../../../src/events/parse-event.ts';
import { around } from '../../../src/events/stream/middleware.ts';
import type { EventSource } from '../../../src/runtime/serve/streams/event-source.ts';
import type { SseOptions } from '../../../src/runtime/serve/streams/sse.ts';
import { sseResponse } from '../../../src/runtime/serve/streams/sse.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred, echo, quiet } from '../../support/runs.ts';
import { serveLoopback, textOf } from './loopback.ts';
import { deltaOf, durable, noted } from '../../events/sample-events.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** An agent that looks something up, and then waits until it is let go. */
const waitingAgent = () => {
  const gate = deferred<void>();
  const model = scriptedModel([
    calls({ name: 'echo', input: { text: 'seen' } }),
    async () => {
      await gate.promise;
      return 'It is there.';
    },
  ]);
  return { gate, writer: agent({ name: 'writer', tools: [echo], model }) };
};

/** Reads until `isEnough`, and hangs up. */
const read = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  isEnough: (message: EventSourceMessage) => boolean = () => false,
) => {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages: EventSourceMessage[] = [];
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const reader = events?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    messages.push(next.value);
    if (isEnough(next.value)) break;
  }
  abort.abort();
  return { response, messages };
};

const durableOf = (messages: readonly EventSourceMessage[]) =>
  messages.filter(({ id }) => id !== undefined).map(({ data }) => parseEvent(JSON.parse(data)));

describe('server-sent events over HTTP', () => {
  test('[M54] a client that lost the connection goes on where it was, from the log: nothing twice, nothing missed', async () => {
    const { gate, writer } = waitingAgent();
    const handle = writer.stream('go');
    const server = await serveLoopback((request) => sseResponse(handle, { after: request, secrets: {} }));
    closing.push(() => server.close());
    const first = await read(server.url, {}, ({ event }) => event === 'tool.finished');
    expect(first.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(first.response.headers.get('cache-control')).toContain('no-cache');
    const last = first.messages.at(-1)?.id ?? '';
    gate.resolve();
    const second = await read(server.url, { 'last-event-id': last });
    const { events } = await handle.result;
    expect([...durableOf(first.messages), ...durableOf(second.messages)]).toEqual(events);
    expect(durableOf(second.messages)[0]?.seq).toBe(Number(last) + 1);
    expect(second.messages.at(-1)?.event).toBe('run.ended');
  });

  test('who is there from the start sees the deltas, without an id, between their neighbours', async () => {
    const { gate, writer } = waitingAgent();
    const handle = writer.stream('go', { paused: true });
    const server = await serveLoopback(() => sseResponse(handle, { secrets: {} }));
    closing.push(() => server.close());
    gate.resolve();
    const { messages } = await read(server.url, {}, ({ event }) => {
      if (event === 'run.started') handle.resume();
      return false;
    });
    const spoken = messages.flatMap(({ event, data }) =>
      event === 'model.delta' ? [(JSON.parse(data) as { delta: { text: string } }).delta.text] : [],
    );
    expect(spoken.join('')).toBe('It is there.');
    expect(messages.every(({ event, id }) => (event === 'model.delta') === (id === undefined))).toBe(true);
  });

  test('who hangs up is let go of, and the run goes on', async () => {
    const { gate, writer } = waitingAgent();
    const handle = writer.stream('go');
    const clock = virtualClock();
    let returned = 0;
    const source: EventSource = {
      events$: handle.events$,
      [Symbol.asyncIterator]: () => {
        const events = handle[Symbol.asyncIterator]();
        return {
          next: () => events.next(),
          return: async () => {
            returned += 1;
            return (await events.return?.()) ?? { value: undefined, done: true };
          },
        };
      },
    };
    const server = await serveLoopback(() => sseResponse(source, { clock, secrets: {} }));
    closing.push(() => server.close());
    await read(server.url, {}, ({ event }) => event === 'tool.finished');
    await expect.poll(() => returned).toBe(1);
    expect(clock.pending).toBe(0);
    gate.resolve();
    expect((await handle.result).output).toBe('It is there.');
  });
});

describe('a response', () => {
  /** A source that says what it is told to say. */
  const sourceOf = (events: readonly LiveEvent[], isOpen = false): EventSource => ({
    events$: NEVER,
    [Symbol.asyncIterator]: async function* () {
      yield* events;
      if (isOpen) await new Promise(() => undefined);
    },
  });

  test('says every 15 s that it is still there, while somebody reads, and no more once it is left', async () => {
    const clock = virtualClock();
    const { body } = sseResponse(sourceOf([], true), { clock, secrets: {} });
    const reader = body?.getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await reader?.read())?.value)).toBe('retry: 1000\n\n');
    const next = reader?.read();
    await clock.advance(15_000);
    expect(decoder.decode((await next)?.value)).toBe(': still here\n\n');
    // Nobody reads: they do not pile up.
    await clock.advance(60_000);
    expect(decoder.decode((await reader?.read())?.value)).toBe(': still here\n\n');
    const pending = reader?.read();
    await quiet();
    void reader?.cancel();
    expect((await pending)?.done).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('a secret is taken out, also where it comes in pieces, and no text is lost to it', async () => {
    const key = 'run-1/desk#0.DECIDE.0.0';
    const body = sseResponse(
      sourceOf([
        deltaOf('it is sk-12', key),
        deltaOf('3456789 or sk-1', key),
        durable(1, {
          type: 'model.answered',
          model: 'm',
          key,
          text: 'it is sk-123456789 or sk-1',
          calls: 0,
          finish: 'stop',
          usage: { input: 1, output: 1 },
          durationMs: 1,
        }),
      ]),
      { secrets: { KEY: 'sk-123456789' } },
    ).body;
    const text = body === null ? '' : await textOf(body);
    expect(text).not.toContain('sk-123456789');
    const spoken: string[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'model.delta')
          spoken.push((JSON.parse(data) as { delta: { text: string } }).delta.text);
        else spoken.push(`= ${(JSON.parse(data) as { text: string }).text}`);
      },
    });
    parser.feed(text);
    expect(spoken).toEqual(['it is ', '[redacted KEY] or ', 'sk-1', '= it is [redacted KEY] or sk-1']);
  });

  test('what would move a terminal is escaped, and read back as what it was', async () => {
    const event = durable(0, noted('\u001b[31mred\u009b\u202e'));
    const { body } = sseResponse(sourceOf([event]), { secrets: {} });
    const text = body === null ? '' : await textOf(body);
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0080-\u009f\u202e]/);
    const seen: unknown[] = [];
    createParser({ onEvent: ({ data }) => seen.push(parseEvent(JSON.parse(data))) }).feed(text);
    expect(seen).toEqual([event]);
  });

  test('middleware stands before it', async () => {
    const { writer, gate } = waitingAgent();
    gate.resolve();
    const handle = writer.stream('go');
    const seen: string[] = [];
    const { body } = sseResponse(handle, {
      secrets: {},
      middleware: [around({ before: ({ type }) => void seen.push(type) })],
    });
    const text = body === null ? '' : await textOf(body);
    expect(seen.at(-1)).toBe('run.ended');
    expect(text).toContain('event: run.ended');
  });

  const many = Array.from({ length: 3_000 }, (_, seq) => durable(seq, noted(String(seq))));
  const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const read3 = async (options: Partial<SseOptions>) => {
    const { body } = sseResponse(sourceOf(many), { secrets: {}, ...options });
    return idsIn(body === null ? '' : await textOf(body));
  };

  test('middleware loses nothing of a long log, may leave out and put in, and may take its time', async () => {
    const all = many.map(({ seq }) => seq);
    expect(await read3({ middleware: [around({})] })).toEqual(all);
    expect(await read3({ after: 2_990, middleware: [(events$) => events$.pipe(delay(0))] })).toEqual(
      all.slice(2_991),
    );
    const twice = [(events$: Observable<LiveEvent>) => events$.pipe(mergeMap((event) => [event, event]))];
    expect(await read3({ after: 2_997, middleware: twice })).toEqual([2_998, 2_998, 2_999, 2_999]);
    expect(await read3({ middleware: [(events$) => events$.pipe(take(2))] })).toEqual([0, 1]);
  });

  test('middleware that throws breaks its stream off, and lets go of the run', async () => {
    let isLeft = false;
    const source: EventSource = {
      events$: NEVER,
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ value: durable(0, noted('x')), done: false }),
        return: () => {
          isLeft = true;
          return Promise.resolve({ value: undefined, done: true });
        },
      }),
    };
    const explode = around({
      before: () => {
        throw new Error('boom');
      },
    });
    const { body } = sseResponse(source, { secrets: {}, middleware: [explode] });
    await expect(body === null ? '' : textOf(body)).rejects.toThrow('boom');
    expect(isLeft).toBe(true);
  });

  test.each(['', 'abc', '-1', '1e3', '99999999999999999999'])(
    'an id that is none of ours is no place to go on from: %j',
    async (after) => {
      const { body } = sseResponse(sourceOf([durable(0, noted('x'))]), { after, secrets: {} });
      expect(body === null ? '' : await textOf(body)).toContain('id: 0\n');
    },
  );
});
