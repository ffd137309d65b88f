import { expect, test, vi } from 'vitest';
import { nostrPublisher } from '../../../src/inspect/publishing/nostr.ts';

vi.mock('nostr-tools/pure', () => {
  throw new Error('Cannot find package');
});

test('where nostr-tools is missing, publishing says so in one line when it is first used, and is not tried again', async () => {
  const webSocket = class {} as unknown as typeof WebSocket;
  const publisher = nostrPublisher({ relays: ['ws://127.0.0.1:1'], secretKey: 'a'.repeat(64), webSocket });
  await expect(
    publisher.publish({ runId: 'r', publications: [], dropped: 0 }, new AbortController().signal),
  ).rejects.toMatchObject({
    code: 'publishing.package-missing',
    retryable: 'no',
    message:
      'Cannot publish to Nostr as the package nostr-tools is not installed or does not start: run `npm install nostr-tools`',
  });
});
