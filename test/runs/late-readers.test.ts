import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { ModelDelta } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { foldProgress, noProgress } from '../../src/events/progress/progress.ts';
import { text$ } from '../../src/events/stream/select.ts';
import { sseResponse } from '../../src/runtime/serve/streams/sse.ts';
import { parallel } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass } from '../support/runs.ts';
import { slowStore } from '../support/slow-store.ts';
import { sized } from '../support/thorough.ts';

const SECRET = 'sk-proj-0123456789abcdefghij';
const piece = fc.record({
  kind: fc.constantFrom('text', 'reasoning', 'tool-call'),
  text: fc.constantFrom('a', 'bc ', '', 'sk-proj-01234', '56789abcdefghij', 'd'.repeat(30)),
  afterMs: fc.nat(2),
});
const answer = fc.array(piece, { minLength: 1, maxLength: 12 });
const plan = fc.record({
  /** Of each member, an answer that calls a tool, and one that does not. */
  answers: fc.array(fc.tuple(answer, answer), { minLength: 2, maxLength: 2 }),
  joins: fc.array(fc.tuple(fc.nat(30), fc.constantFrom('events$', 'for await', 'sse')), {
    minLength: 1,
    maxLength: 4,
  }),
  /** In ms; undefined for a run without a store. */
  store: fc.option(fc.nat(6), { nil: undefined }),
});
type Piece = typeof piece extends fc.Arbitrary<infer Value> ? Value : never;

const INPUT = JSON.stringify({ text: 'x' });

const writer = (name: string, answers: readonly (readonly Piece[])[], clock: VirtualClock) => {
  let asked = 0;
  return agent({
    name,
    tools: [echo],
    failures: { retry: { idleTimeoutMs: Infinity } },
    model: {
      provider: 'example',
      id: name,
      answer: async (_request, call) => {
        const pieces = answers[asked] ?? [];
        asked += 1;
        const said = { text: '', reasoning: '' };
        for (const { kind, text, afterMs } of pieces) {
          await new Promise<void>((resolve) => {
            clock.setTimeout(resolve, afterMs);
          });
          if (kind !== 'tool-call') said[kind as 'text' | 'reasoning'] += text;
          call.delta({ type: kind, text, ...(kind === 'tool-call' ? { index: 0 } : {}) } as ModelDelta);
        }
        return modelAnswer({
          text: said.text === '' ? 'none' : said.text,
          ...(said.reasoning === '' ? {} : { reasoning: said.reasoning }),
          calls: asked === 1 ? [{ id: 'c', name: 'echo', input: JSON.parse(INPUT) as { text: string } }] : [],
        });
      },
    },
  });
};

const readers: Readonly<Record<string, (handle: RunHandle, seen: LiveEvent[]) => Promise<void>>> = {
  events$: (handle, seen) => {
    handle.events$.subscribe((event) => void seen.push(event));
    return Promise.resolve();
  },
  'for await': async (handle, seen) => {
    for await (const event of handle) seen.push(event);
  },
  sse: async (handle, seen) => {
    const text = await sseResponse(handle).text();
    for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) seen.push(JSON.parse(data) as LiveEvent);
  },
};

/** What of the streamed answers is missing, comes twice, or comes before the call that it answers. */
const faultsIn = (events: readonly LiveEvent[]): readonly string[] => {
  const faults: string[] = [];
  const asked = new Set<string>();
  const heard = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'model.asked') asked.add(event.key);
    if (event.type === 'model.delta' && event.delta.type !== 'progress') {
      const { key, offset, delta } = event;
      const place = `${key} ${delta.type}`;
      const before = heard.get(place) ?? '';
      if (!asked.has(key)) faults.push(`${place} before its call`);
      if (offset !== before.length) faults.push(`${place} at ${offset} after ${before.length}`);
      heard.set(place, before + delta.text);
    }
    if (event.type === 'model.answered') {
      asked.delete(event.key);
      const said = heard.get(`${event.key} text`);
      if (said !== undefined && said !== '' && said !== event.text)
        faults.push(`'${said}' in place of '${event.text}'`);
    }
  }
  return faults;
};

test('who joins in the midst of an answer has it whole, whoever of a team gives it, and in whatever way it is read', async () => {
  const joined = { early: 0, within: 0 };
  await fc.assert(
    fc.asyncProperty(plan, async ({ answers, joins, store: delayMs }) => {
      const clock = virtualClock();
      const [one = [], other = []] = answers;
      const team = parallel({
        name: 'team',
        members: { one: writer('one', one, clock), other: writer('other', other, clock) },
      });
      const store = delayMs === undefined ? undefined : slowStore(memoryStore(), delayMs, clock);
      const handle = team.stream('go', { clock, secrets: { KEY: SECRET }, ...(store && { store }) });
      const seen = joins.map(([, way]) => ({ way, events: [] as LiveEvent[] }));
      const reading = joins.map(async ([atMs, way], index) => {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, atMs);
        });
        await readers[way]?.(handle, seen[index]?.events ?? []);
      });
      const result = await letTimePass(clock, handle.result, 5);
      await letTimePass(clock, Promise.all(reading), 5);
      for (const { way, events } of seen) {
        expect(faultsIn(events), way).toEqual([]);
        expect(events.filter(({ type }) => type !== 'model.delta')).toEqual(
          JSON.parse(JSON.stringify(result.events)),
        );
        expect(JSON.stringify(events)).not.toContain(SECRET);
        const first = events.find(({ type }) => type === 'model.delta');
        if (first !== undefined)
          joined[first.type === 'model.delta' && first.offset === 0 ? 'within' : 'early'] += 1;
      }
    }),
    { numRuns: sized(15, 500) },
  );
  expect(joined.within).toBeGreaterThan(5);
});

test('text$ of who joins late begins with all that was said, and a page that connects again shows it once', async () => {
  const clock = virtualClock();
  const words: Piece[] = ['It ', 'is ', 'fine.'].map((text) => ({ kind: 'text', text, afterMs: 10 }));
  const handle = writer('one', [words, words], clock).stream('go', { clock });
  const early: LiveEvent[] = [];
  handle.events$.subscribe((event) => void early.push(event));
  await clock.advance(20);
  const said: string[] = [];
  text$(handle.events$).subscribe(({ text }) => void said.push(text));
  const again: LiveEvent[] = [];
  handle.events$.subscribe((event) => void again.push(event));
  expect(said).toEqual(['It is ']);
  // Its connection was lost after two words, and is there again: it knows the log, and is given the answer from its beginning.
  const known = early.reduce(foldProgress, noProgress);
  const after = again.filter(({ type }) => type === 'model.delta').reduce(foldProgress, known);
  expect(after.speeches).toEqual(known.speeches);
  await letTimePass(clock, handle.result);
  expect(said.slice(0, 3)).toEqual(['It is ', 'It is fine.', 'It is fine.']);
});
