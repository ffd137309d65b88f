import {
  parseJsonEventStream as eventsOf6,
  readUIMessageStream as readOf6,
  uiMessageChunkSchema as schemaOf6,
  type UIMessageChunk as ChunkOf6,
} from 'ai';
import {
  parseJsonEventStream as eventsOf7,
  readUIMessageStream as readOf7,
  uiMessageChunkSchema as schemaOf7,
  type UIMessageChunk as ChunkOf7,
} from 'ai-v7';
import fc from 'fast-check';
import { from } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { EventBody, LiveEvent } from '../../src/contracts/events/event.ts';
import type { EventSource } from '../../src/runtime/serve/streams/event-source.ts';
import { uiMessageResponse } from '../../src/inspect/index.ts';
import { deltaOf, durable, noTotals } from '../events/sample-events.ts';

/** A source of events that are there already. */
const sourceOf = (events: readonly LiveEvent[]): EventSource => ({
  events$: from(events),
  [Symbol.asyncIterator]: async function* () {
    yield* events;
  },
});

/** What the accumulator of either version makes of a response: its last message, and the first error. */
const accumulate = async (sdk: 6 | 7, response: Response) => {
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const body = response.body ?? new ReadableStream<Uint8Array>();
  let parts: readonly { readonly type: string; readonly text?: string; readonly state?: string }[] = [];
  if (sdk === 6) {
    const stream = eventsOf6({ stream: body, schema: schemaOf6 }).pipeThrough(valuesOf<ChunkOf6>(errors));
    for await (const message of readOf6({ stream, onError })) ({ parts } = message);
  } else {
    const stream = eventsOf7({ stream: body, schema: schemaOf7 }).pipeThrough(valuesOf<ChunkOf7>(errors));
    for await (const message of readOf7({ stream, onError })) ({ parts } = message);
  }
  return { parts, errors };
};

/** The parts that fit the genuine schema; whatever does not is an error. */
const valuesOf = <Chunk>(errors: string[]) =>
  new TransformStream<{ success: true; value: Chunk } | { success: false; error: unknown }, Chunk>({
    transform: (parsed, controller) => {
      if (parsed.success) controller.enqueue(parsed.value);
      else errors.push(String(parsed.error));
    },
  });

const started: EventBody = { type: 'run.started', input: 'go' };
const ended: EventBody = {
  type: 'run.ended',
  status: 'completed',
  stopReason: { kind: 'answered' },
  output: 'there',
  totals: noTotals,
};
const call = { callId: 'call_0_0', tool: 't' };
const person = { id: 'r1', ...call, input: {}, description: 'd' };

const PATHS: Readonly<Record<string, string>> = { k1: 'desk', k2: 'desk/one', k3: 'desk/two' };
const pathOf = (key: string): string => PATHS[key] ?? 'desk';

const key = fc.constantFrom('k1', 'k2', 'k3');
const ofModel = key.chain((each) =>
  fc
    .constantFrom<EventBody>(
      { type: 'model.asked', model: 'm', key: each, messages: 1, attempt: 1 },
      {
        type: 'model.answered',
        model: 'm',
        key: each,
        text: 'xy',
        calls: 0,
        finish: 'stop',
        usage: { input: 1, output: 1 },
        durationMs: 1,
      },
      {
        type: 'model.answered',
        model: 'm',
        key: each,
        text: '',
        calls: 1,
        finish: 'stop',
        usage: { input: 1, output: 1 },
        durationMs: 1,
      },
      { type: 'model.discarded', model: 'm', key: each, characters: 1 },
      { type: 'model.interrupted', model: 'm', key: each, text: 'x' },
    )
    .map((body): [EventBody, string] => [body, pathOf(each)]),
);
const ofTools = fc.tuple(
  fc.constantFrom<EventBody>(
    { type: 'tool.requested', ...call, input: { a: 1 } },
    { type: 'tool.approval-requested', ...person },
    { type: 'tool.approved', id: 'r1', ...call },
    { type: 'tool.approved', id: 'r1', ...call, input: { a: 2 } },
    { type: 'tool.denied', id: 'r1', ...call, reason: 'no' },
    { type: 'tool.denied', ...call, reason: 'a rule' },
    { type: 'tool.started', ...call, input: { a: 1 }, description: 'd', attempt: 1 },
    { type: 'tool.progressed', ...call, text: 'half' },
    { type: 'tool.finished', ...call, ok: true, text: '{"b":1}', durationMs: 1 },
    { type: 'tool.finished', ...call, ok: false, text: 'failed', durationMs: 1 },
    { type: 'person.asked', id: 'q1', question: 'why?', callId: 'call_0_0' },
    { type: 'person.answered', id: 'q1', text: 'so' },
    { type: 'budget.warned', budget: 'tokens', limit: 2, used: 1, fraction: 0.5 },
    { type: 'member.engaged', member: 'one' },
    { type: 'agent.critiqued', verdict: 'revise', note: 'shorter' },
    { type: 'custom.emitted', name: 'shop.ordered', data: { id: 7 } },
  ),
  fc.constantFrom('desk', 'desk/one'),
);
const delta = fc
  .tuple(
    key,
    fc.constantFrom('text', 'reasoning', 'tool-call'),
    fc.constantFrom('x', 'xy', ''),
    fc.option(fc.nat(2), { nil: undefined }),
  )
  .map(([each, type, text, offset]): LiveEvent => ({
    ...deltaOf('', each, pathOf(each)),
    step: 0,
    ...(offset === undefined ? {} : { offset }),
    delta:
      type === 'tool-call'
        ? { type, index: 0, name: 't', text }
        : { type: type === 'text' ? 'text' : 'reasoning', text },
  }));

const inOrder = (events: readonly ([EventBody, string] | LiveEvent)[]): readonly LiveEvent[] => {
  let seq = 0;
  return events.map((event) => {
    if (!Array.isArray(event)) return event;
    seq += 1;
    return durable(seq - 1, event[0], event[1]);
  });
};

describe.each([6, 7] as const)('the accumulator of the AI SDK %i', (sdk) => {
  const options = { sdk, staysOpen: true, secrets: {} };

  test('takes whatever comes in whatever order, and every part fits its schema', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(ofModel, ofTools, delta), { maxLength: 30 }), async (middle) => {
        const events = inOrder([[started, 'desk'], ...middle, [ended, 'desk']]);
        const { parts, errors } = await accumulate(sdk, uiMessageResponse(sourceOf(events), options));
        expect(errors).toEqual([]);
        expect(parts.filter(({ state }) => state === 'streaming')).toEqual([]);
        expect(parts.findLast(({ type }) => type === 'text')?.text).toBe('there');
      }),
      { numRuns: 300 },
    );
  });

  test('shows whoever continues a message from any place of it what all others show', async () => {
    const place = fc.nat(10);
    await fc.assert(
      fc.asyncProperty(fc.array(ofTools, { maxLength: 12 }), place, async (middle, seq) => {
        const events = inOrder([[started, 'desk'], ...middle, [ended, 'desk']]);
        const continues = { place: { runId: 'run-1', seq, messageId: 'm', calls: [] } };
        const { parts, errors } = await accumulate(
          sdk,
          uiMessageResponse(sourceOf(events), { ...options, continues }),
        );
        expect(errors).toEqual([]);
        expect(parts.at(-1)?.text ?? 'there').toBe('there');
      }),
      { numRuns: 150 },
    );
  });

  test('keeps what others say where one answer is discarded', async () => {
    const said = (text: string, each: string) => deltaOf(text, each, pathOf(each));
    const events = [
      ...inOrder([[started, 'desk']]),
      said('Kept', 'k2'),
      said('Lost', 'k3'),
      durable(1, { type: 'model.discarded', model: 'm', key: 'k3', characters: 4 }, 'desk/two'),
      said(' whole.', 'k2'),
      durable(
        2,
        {
          type: 'model.answered',
          model: 'm',
          key: 'k2',
          text: 'Kept whole.',
          calls: 0,
          finish: 'stop',
          usage: { input: 1, output: 1 },
          durationMs: 1,
        },
        'desk/one',
      ),
      durable(3, ended),
    ];
    const { parts, errors } = await accumulate(sdk, uiMessageResponse(sourceOf(events), options));
    expect(errors).toEqual([]);
    const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [text] : []));
    expect(texts).toEqual(sdk === 7 ? ['Kept whole.', 'there'] : ['Kept whole.', 'Lost', 'there']);
  });
});
