import { expect, test } from 'vitest';
import type { EventBody } from '../../src/contracts/events/event.ts';
import { LazyLog } from '../../src/runtime/log/lazy-log.ts';

const ada = { path: 'ada', agent: 'ada' };

/** A log of `length` events, every tenth of them a failure of memory, and the events that were built of it. */
const logOf = (length: number): { readonly log: LazyLog; readonly built: EventBody[] } => {
  const built: EventBody[] = [];
  const log = new LazyLog('run', {
    content: (body) => {
      built.push(body);
      return body;
    },
  });
  for (let index = 0; index < length; index += 1) {
    const error = {
      code: 'memory.failed',
      category: 'fault',
      message: `no ${index}`,
      retryable: 'no',
    } as const;
    const failed = { type: 'memory.failed', memory: 'notes', work: 'recall', error } as const;
    log.push(
      index % 10 === 0 ? failed : { type: 'agent.reduced', diff: {} },
      ada,
      undefined,
      undefined,
      index,
    );
  }
  return { log, built };
};

test('failures of memory are found from an event on, in order, and no other event is built for it', () => {
  const { log, built } = logOf(100);
  expect(log.memoryFailures(71).map(({ seq }) => seq)).toEqual([80, 90]);
  expect(built.map((body) => body.type === 'memory.failed' && body.error.message)).toEqual([
    'no 80',
    'no 90',
  ]);
  expect(log.memoryFailures(90)).toEqual([log.at(90)]);
  expect(log.memoryFailures(91)).toEqual([]);
  expect(log.memoryFailures()).toHaveLength(10);
});
