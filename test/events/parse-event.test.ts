import { expect, test } from 'vitest';
import { parseEvent, serialiseEvent } from '../../src/events/parse-event.ts';
import { durable, noted, noTotals } from './sample-events.ts';

test('[M47] [QITOS-56] an event survives being written as one line and read again', () => {
  const events = [
    durable(0, { type: 'run.started', input: { question: 'two\nlines' } }),
    durable(1, { type: 'phase.entered', phase: 'OBSERVE' }),
    durable(2, {
      type: 'run.ended',
      status: 'stopped',
      stopReason: { kind: 'maxSteps', limit: 3 },
      totals: noTotals,
    }),
  ];
  const text = events.map(serialiseEvent).join('');
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines.map((line) => parseEvent(JSON.parse(line)))).toEqual(events);
});

test('[M47] a line holds nothing that a terminal obeys, and reads back as what was said', () => {
  const event = durable(0, noted('\u001b]52;c\u0007 \u009b31m \u007f \u202eabc\u2066'));
  const line = serialiseEvent(event);
  expect(line).toMatch(/^[^\p{Cc}\u202A-\u202E\u2066-\u2069]+\n$/u);
  expect(line).toContain(String.raw`\u009b31m`);
  expect(parseEvent(JSON.parse(line))).toEqual(event);
});

const { v, ...unversioned } = durable(0, noted('x'));

test.each([
  [null, 'Cannot read the event as it is not an object: null'],
  [[1], 'Cannot read the event as it is not an object: object'],
  [unversioned, 'Cannot read the event as only version 1 is known: nothing'],
  [{ ...unversioned, v: v + 1 }, 'Cannot read the event as only version 1 is known: 2'],
  [
    { ...durable(0, noted('x')), type: 'agent.danced' },
    'Cannot read the event as its type is unknown: "agent.danced"',
  ],
  [{ v: 1, type: 'model.delta' }, 'Cannot read the event as its type is unknown: "model.delta"'],
])('[M47] %j is refused', (json, message) => {
  expect(() => parseEvent(json)).toThrow(message);
});

test('[M47] an event of an earlier release is read under its name of now', () => {
  const error = { code: 'model.failed', message: 'no', retryable: 'yes' } as const;
  const event = durable(0, { type: 'model.fell-back', from: 'a:1', to: 'b:2', error });
  expect(parseEvent({ ...event, type: 'model.fellBack' })).toEqual(event);
});

test('[QITOS-56] a missing key is named', () => {
  const { runId: _, ...rest } = durable(0, noted('x'));
  expect(() => parseEvent(rest)).toThrow(/not a valid "team.noted".*runId/su);
});

test('[M47] what cannot be read is an error with a code', () => {
  expect(() => parseEvent({})).toThrow(expect.objectContaining({ code: 'input.invalid', retryable: 'no' }));
});
