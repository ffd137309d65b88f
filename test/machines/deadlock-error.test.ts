import { expect, test } from 'vitest';
import { deadlockError } from '../../src/machines/messages/deadlock-error.ts';
import { WaitGraph } from '../../src/machines/messages/wait-graph.ts';
import type { Wait } from '../../src/machines/messages/wait-graph.ts';

const wait = (who: string, on: string, extra: Partial<Wait<string>> = {}): Wait<string> => ({
  who,
  on: [on],
  kind: 'ask',
  ...extra,
});

test('[KAIZEN-52] the error names everybody in the circle and what each waits for', () => {
  const graph = new WaitGraph<string>();
  graph.add(wait('bob', 'cy', { kind: 'lock', what: 'db' }));
  graph.add(wait('cy', 'dee', { kind: 'child' }));
  graph.add(wait('dee', 'eve', { kind: 'call' }));
  graph.add(wait('eve', 'fay', { kind: 'slot', what: 'search' }));
  graph.add(wait('fay', 'gus', { kind: 'slot' }));
  graph.add(wait('gus', 'ada', { kind: 'lock' }));
  const error = deadlockError(graph.add(wait('ada', 'bob')) ?? [], { nameOf: (name) => name });
  expect(error.code).toBe('wait.deadlock');
  expect(error.retryable).toBe('no');
  expect(error.message).toBe(
    "Cannot wait as nobody would ever go on: 'ada' waits for an answer of 'bob', 'bob' waits for the lock 'db' of 'cy', " +
      "'cy' waits for 'dee' to end, 'dee' waits for a place in 'search' of 'fay', " +
      "'fay' waits for a place in 'gus', 'gus' waits for the lock 'ada'. Answer first, or ask somebody who does not wait for you",
  );
  expect(error.data.details).toMatchObject({
    cycle: { 0: { from: 'ada', to: 'bob', kind: 'ask' }, length: 6 },
  });
});
