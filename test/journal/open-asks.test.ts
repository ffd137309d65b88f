import { expect, test } from 'vitest';
import { OpenAsks } from '../../src/runtime/journal/write/open-asks.ts';

test('an effect that is over waits for nothing any more, and who holds the process for its sake is notified', () => {
  const asks = new OpenAsks();
  const notified: boolean[] = [];
  asks.onWaits = (isAwaited) => notified.push(isAwaited);
  asks.waits('one', { expiresAt: 5 }, true);
  asks.waits('other', { expiresAt: 7 }, true);
  asks.close('one');
  expect(asks.dueAt).toBe(7);
  asks.close('other');
  expect(asks.dueAt).toBeUndefined();
  expect(notified).toEqual([true, true, true, false]);
  asks.close('other');
  expect(notified).toHaveLength(4);
});
