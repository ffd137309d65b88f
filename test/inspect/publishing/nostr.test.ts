import { AbstractRelay } from 'nostr-tools/abstract-relay';
import { nsecEncode } from 'nostr-tools/nip19';
import type { Event } from 'nostr-tools/pure';
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent } from 'nostr-tools/pure';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { nostrPublisher } from '../../../src/inspect/publishing/nostr.ts';
import { publicationSchema } from '../../../src/inspect/publishing/publication.ts';
import { publishTo } from '../../../src/inspect/publishing/publish-to.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { openRelay } from './nostr-relay.ts';

// It has what is used of a browser's, and more.
const webSocket = WebSocket as unknown as typeof globalThis.WebSocket;
const closing: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

const relayAt = async (port?: number) => {
  const relay = await openRelay(port);
  closing.push(() => relay.close());
  return relay;
};

/** What a subscriber of the relay is passed on, and nothing that is not signed. */
const subscribed = async (url: string, author: string, kind = 21_111) => {
  const seen: Event[] = [];
  const relay = new AbstractRelay(url, { verifyEvent, websocketImplementation: webSocket });
  await relay.connect();
  closing.push(() => {
    relay.close();
  });
  await new Promise<void>((resolve) => {
    relay.subscribe([{ kinds: [kind], authors: [author] }], {
      onevent: (event) => seen.push(event),
      oneose: resolve,
    });
  });
  return { seen, relay };
};

const batch = (...texts: readonly string[]) => ({
  runId: 'run-1',
  dropped: 0,
  publications: texts.map((text, index) => ({
    type: 'content' as const,
    seq: index + 1,
    at: Date.now(),
    runId: 'run-1',
    path: 'desk',
    agent: 'desk',
    key: 'k',
    text,
    isComplete: true,
  })),
});
const { signal } = new AbortController();

describe('over somebody else’s relay', () => {
  test('[TENEX-81] a run is published as signed, ephemeral events, in order, and tagged with the run', async () => {
    const relay = await relayAt();
    const secretKey = generateSecretKey();
    const { seen } = await subscribed(relay.url, getPublicKey(secretKey));
    const hook = publishTo(
      nostrPublisher({ relays: [relay.url], secretKey, webSocket, tags: [['p', 'somebody']] }),
    );
    const writer = agent({ name: 'writer', model: scriptedModel(['It is there.']) });
    const { runId } = await writer.run('go', { hooks: [hook] });
    await hook.close();
    await expect.poll(() => seen.length).toBe(4);
    const publications = seen.map(({ content }) => publicationSchema.parse(JSON.parse(content)));
    expect(publications.map(({ type }) => type)).toEqual(['typing', 'content', 'typing', 'completion']);
    expect(publications.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(seen.every(verifyEvent)).toBe(true);
    expect(seen[1]?.tags).toEqual([
      ['d', runId],
      ['t', 'content'],
      ['seq', '2'],
      ['p', 'somebody'],
    ]);
  });

  test.each([9_003, 21_111])('[FIND-33] [TENEX-81] a run is published as events of kind %i', async (kind) => {
    const relay = await relayAt();
    const secretKey = generateSecretKey();
    const { seen } = await subscribed(relay.url, getPublicKey(secretKey), kind);
    const hook = publishTo(nostrPublisher({ relays: [relay.url], secretKey, webSocket, kind }));
    await agent({ name: 'writer', model: scriptedModel(['There.']) }).run('go', { hooks: [hook] });
    await hook.close();
    await expect.poll(() => seen.length).toBe(4);
    expect(new Set(seen.map((event) => event.kind))).toEqual(new Set([kind]));
  });

  test('the relay refuses what was tampered with: it is a judge', async () => {
    const relay = await relayAt();
    const { relay: client } = await subscribed(relay.url, 'a'.repeat(64));
    const event = finalizeEvent(
      { kind: 21_111, created_at: Math.floor(Date.now() / 1_000), tags: [], content: 'true' },
      generateSecretKey(),
    );
    await expect(client.publish({ ...event, content: 'false' })).rejects.toThrow(/invalid/i);
  });

  test('what is sent again has the same id', async () => {
    const relay = await relayAt();
    const secretKey = generateSecretKey();
    const { seen } = await subscribed(relay.url, getPublicKey(secretKey));
    const publisher = nostrPublisher({ relays: [relay.url], secretKey: nsecEncode(secretKey), webSocket });
    const said = batch('one', 'two');
    await publisher.publish(said, signal);
    await publisher.publish(said, signal);
    await publisher.close?.();
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(2);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(2);
  });

  test('one relay that is gone is no reason to fail, unless more are asked for; and it may come back', async () => {
    const here = await relayAt();
    const gone = await relayAt();
    await gone.close();
    const secretKey = Buffer.from(generateSecretKey()).toString('hex');
    const relays = [here.url, gone.url];
    const lenient = nostrPublisher({ relays, secretKey, webSocket, timeoutMs: 500 });
    await lenient.publish(batch('one'), signal);
    const strict = nostrPublisher({ relays, secretKey, webSocket, quorum: 2, timeoutMs: 500 });
    const failure = strict.publish(batch('one'), signal);
    await expect(failure).rejects.toMatchObject({ code: 'publishing.failed', retryable: 'yes' });
    await expect(failure).rejects.not.toThrow(secretKey);
    await relayAt(gone.port);
    await strict.publish(batch('one'), signal);
    await lenient.close?.();
    await strict.close?.();
  });
});

describe('what is refused', () => {
  const secretKey = generateSecretKey();
  test.each([
    { relays: [] },
    { kind: 1 },
    { kind: 999 },
    { kind: 10_000 },
    { kind: 30_000 },
    { kind: 21_111.5 },
    { quorum: 2 },
    { quorum: 0 },
  ])('%j', (options) => {
    expect(() => nostrPublisher({ relays: ['ws://127.0.0.1:1'], secretKey, webSocket, ...options })).toThrow(
      expect.objectContaining({ code: 'publishing.invalid' }),
    );
  });

  test('a key that is none, of which nothing is said', async () => {
    const publisher = nostrPublisher({ relays: ['ws://127.0.0.1:1'], secretKey: 'nsec1hunter2', webSocket });
    const failure = publisher.publish(batch('one'), signal);
    await expect(failure).rejects.toMatchObject({ code: 'publishing.invalid', retryable: 'no' });
    await expect(failure).rejects.not.toThrow('hunter2');
  });

  test.skipIf('WebSocket' in globalThis)('a platform without WebSocket, unless it is given one', () => {
    expect(() => nostrPublisher({ relays: ['ws://127.0.0.1:1'], secretKey })).toThrow(/webSocket/);
  });
});
