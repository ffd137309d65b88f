import { expect, test } from 'vitest';
import { a2aAgent } from '../../src/a2a/index.ts';
import { isTroupeError, resume } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { genuineAgent, messagesIn, text } from './a2a-kit.ts';

test('wherever a process dies, the task and the answer to its question are sent once, and the run ends well when it is resumed', async () => {
  const person = { answer: () => 'Oslo' };
  let deaths = 0;
  for (let at = 1; at <= 16; at += 1)
    for (const isDone of [true, false]) {
      const far = await genuineAgent(({ context, tell, give }) => {
        if (context.task === undefined) tell(6, 'Where to?');
        else {
          give([text('Booked.')]);
          tell(3);
        }
      });
      const member = a2aAgent({ name: 'far', url: far.url });
      const store = memoryStore();
      const mortal = mortalStore(store, { at, isDone });
      const handle = member.stream('Book', { store: mortal.store, person });
      const ended = await Promise.race([
        handle.result.then(() => 'lived' as const),
        mortal.died.then(() => 'died' as const),
      ]);
      if (ended === 'lived') continue;
      deaths += 1;
      try {
        const again = await resume(member, handle.runId, { store: mortalStore(store).store, person });
        expect((await again.result).output).toBe('Booked.');
        expect(far.told).toEqual(['Book', 'Oslo']);
        expect(new Set(messagesIn(far.heard)).size).toBe(2);
      } catch (thrown) {
        const isUnknown =
          isTroupeError(thrown, 'journal.unknown') || isTroupeError(thrown, 'journal.corrupt');
        // Where it had not begun, nobody was told of it.
        if (!isUnknown || far.told.length > 0) throw thrown;
      }
    }
  // A run has about 12 writes: the last rounds live.
  expect(deaths).toBeGreaterThanOrEqual(20);
  expect(deaths).toBeLessThan(32);
});
