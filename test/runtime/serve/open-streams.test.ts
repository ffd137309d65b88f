import { expect, test } from 'vitest';
import { OpenStreams } from '../../../src/runtime/serve/http/open-streams.ts';

const silent = (): AsyncIterator<string, undefined> & { isClosed: boolean } => ({
  isClosed: false,
  next: () => new Promise(() => undefined),
  return() {
    this.isClosed = true;
    return Promise.resolve({ value: undefined, done: true });
  },
});

test('a stream on which nothing happens ends with the farewell, whether it is being read then or read later', async () => {
  const ending = new AbortController();
  const streams = new OpenStreams({ streams: 2, streamsPerCaller: 2 }, ending.signal);
  const sources = [silent(), silent()];
  const [read, later] = sources.map((source) => streams.open('ada', source, 'farewell'));
  const next = read?.next();
  ending.abort();
  expect(await next).toEqual({ value: 'farewell', done: false });
  expect(await later?.next()).toEqual({ value: 'farewell', done: false });
  expect([await read?.next(), await later?.next()]).toEqual([
    { value: undefined, done: true },
    { value: undefined, done: true },
  ]);
  expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

test('a stream whose source fails makes room, as one that ends does', async () => {
  const streams = new OpenStreams({ streams: 1, streamsPerCaller: 1 }, new AbortController().signal);
  const failing = { next: () => Promise.reject(new Error('the store is gone')) };
  await expect(streams.open('ada', failing, '').next()).rejects.toThrow('the store is gone');
  const over = { next: () => Promise.resolve({ value: undefined, done: true } as const) };
  expect(await streams.open('ada', over, '').next()).toEqual({ value: undefined, done: true });
  await streams.open('ada', silent(), '').return?.();
  streams.open('ada', silent(), '');
  expect(() => streams.open('bob', silent(), '')).toThrow(
    expect.objectContaining({ code: 'server.refused' }),
  );
});

test('any number of streams listens once for the end, and none does when all are closed', async () => {
  const ending = new AbortController();
  let listeners = 0;
  const { addEventListener: add, removeEventListener: remove } = ending.signal;
  ending.signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add.apply(ending.signal, given);
  };
  ending.signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove.apply(ending.signal, given);
  };
  const streams = new OpenStreams({ streams: 100, streamsPerCaller: 100 }, ending.signal);
  const open = Array.from({ length: 50 }, () => streams.open('ada', silent(), ''));
  expect(listeners).toBe(1);
  await Promise.all(open.map((stream) => stream.return?.()));
  expect(listeners).toBe(0);
});
