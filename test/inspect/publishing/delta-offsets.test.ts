import { expect, test } from 'vitest';
import type { DeltaEvent } from '../../../src/contracts/events/event.ts';
import { eventRedactor } from '../../../src/runtime/serve/streams/event-redactor.ts';
import { deltaOf, durable } from '../../events/sample-events.ts';

const piece = (text: string, offset: number, key = 'k'): DeltaEvent => ({ ...deltaOf(text, key), offset });

/** What comes out: text by its place. */
const told = (events: readonly unknown[]): unknown[] =>
  events.map((event) => {
    const { delta, offset, type } = event as DeltaEvent;
    return type === 'model.delta' && delta.type === 'text' ? [offset, delta.text] : type;
  });

test('a piece that has nothing to hide keeps its place, and is not touched', () => {
  const redact = eventRedactor({ KEY: 'hunter2' });
  const first = piece('one ', 0);
  expect(redact(first)[0]).toBe(first);
});

test('places are counted after what was hidden, and a gap stays as wide as it was', () => {
  const redact = eventRedactor({ KEY: 'hunter2hunter2' });
  const pieces = [piece('it is hunter2', 0), piece('hunter2, so', 13), piece(' there', 40)];
  const out = told(pieces.flatMap((event) => redact(event))) as [number, string][];
  expect(out.map(([, text]) => text).join('')).toBe('it is [redacted KEY], so there');
  let place = 0;
  const gaps = out.map(([offset, text]) => {
    const gap = offset - place;
    place = offset + text.length;
    return gap;
  });
  expect(gaps).toEqual([...gaps.slice(1).map(() => 0), 16]);
});

test('a call that is over is forgotten', () => {
  const redact = eventRedactor({});
  redact(piece('one', 0));
  redact(durable(1, { type: 'model.discarded', model: 'm', key: 'k', characters: 3 }));
  expect(told(redact(piece('two', 0)))).toEqual([[0, 'two']]);
});
