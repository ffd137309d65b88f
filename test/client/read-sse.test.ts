import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader, SseReader } from '../../src/client/read-sse.ts';

const inPieces = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((one, other) => one - other);
  return [0, ...places].map((place, index) => text.slice(place, places[index] ?? text.length));
};

test('server-sent events are read as the parser of the trade reads them, wherever they are cut', () => {
  const line = fc.constantFrom(
    'data: a',
    'data:b',
    'data',
    ': still here',
    'id: 7',
    'event: x',
    'retry: 20',
    'x: y',
    '',
    '',
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(line), end, fc.array(fc.nat(), { maxLength: 6 }), (lines, ending, cuts) => {
      const text = [...lines, '', 'data: last', '', ''].join(ending);
      const known: string[] = [];
      const parser = createParser({ onEvent: ({ data }) => known.push(data) });
      parser.feed(text.replaceAll(/\r\n?/g, '\n'));
      const reader = new SseReader();
      const read = inPieces(`\uFEFF${text}\n`, cuts).flatMap((piece) => reader.push(piece));
      expect(read).toEqual(known);
    }),
  );
});

test('a server says when to come back', () => {
  const reader = new SseReader();
  reader.push('retry: 250\n\nretry: soon\n\n');
  expect(reader.retryMs).toBe(250);
});

test('lines are read wherever they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
      const reader = new LineReader();
      const read = inPieces('{"a":1}\n\n{"b":"\u{1F331}"}\r\n', cuts).flatMap((piece) => reader.push(piece));
      expect(read.map((text): unknown => JSON.parse(text))).toEqual([{ a: 1 }, { b: '\u{1F331}' }]);
    }),
  );
});
