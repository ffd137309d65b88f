import { expect, test, vi } from 'vitest';
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
  const [read, later] = sources.map((source) => streams.open('ada', source, () => 'farewell'));
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
  await expect(streams.open('ada', failing, () => '').next()).rejects.toThrow('the store is gone');
  const over = { next: () => Promise.resolve({ value: undefined, done: true } as const) };
  expect(await streams.open('ada', over, () => '').next()).toEqual({ value: undefined, done: true });
  await streams.open('ada', silent(), () => '').return?.();
  streams.open('ada', silent(), () => '');
  expect(() => streams.open('bob', silent(), () => '')).toThrow(
    expect.objectContaining({ code: 'server.refused' }),
  );
});

test('any number of streams listens once for the end, and none does when all are closed', async () => {
  const ending = new AbortController();
  const { signal } = ending;
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  const streams = new OpenStreams({ streams: 100, streamsPerCaller: 100 }, signal);
  const open = Array.from({ length: 50 }, () => streams.open('ada', silent(), () => ''));
  expect(added).toHaveBeenCalledTimes(1);
  expect(removed).not.toHaveBeenCalled();
  for (const stream of open) await stream.return?.();
  expect(removed).toHaveBeenCalledTimes(1);
});
