import { HttpAgent, verifyEvents } from '@ag-ui/client';
import type { BaseEvent } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import fc from 'fast-check';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { from, lastValueFrom, Subject, toArray } from 'rxjs';
import { afterAll, describe, expect, test } from 'vitest';
import type { EventBody, LiveEvent } from '../../../src/contracts/events/event.ts';
import type { RunHandle } from '../../../src/contracts/runs/run-handle.ts';
import type { AgUiEvent } from '../../../src/inspect/publishing/ag-ui-event.ts';
import { agUiResponse, toAgUi } from '../../../src/inspect/publishing/ag-ui.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { deltaOf, durable, noTotals } from '../../events/sample-events.ts';
import { echo } from '../../support/runs.ts';
import { serveLoopback } from './loopback.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const KEY = 'k';
const started: EventBody = { type: 'run.started', input: 'go' };
const ended: EventBody = {
  type: 'run.ended',
  status: 'completed',
  stopReason: { kind: 'answered' },
  output: 'there',
  totals: noTotals,
};
const answered = (text: string, key = KEY): EventBody => ({
  type: 'model.answered',
  model: 'm',
  key,
  text,
  calls: 0,
  finish: 'stop',
  usage: { input: 1, output: 1 },
  durationMs: 1,
});

const mapped = (events: readonly LiveEvent[]): Promise<AgUiEvent[]> =>
  lastValueFrom(toAgUi(from(events)).pipe(toArray()), { defaultValue: [] });

const told = (...bodies: readonly (EventBody | LiveEvent)[]): LiveEvent[] =>
  bodies.map((body, seq) => (body.v === undefined ? durable(seq, body) : body));

/** Its types are of another copy of RxJS. */
const verify = verifyEvents(false) as unknown as MonoTypeOperatorFunction<BaseEvent>;

/** What the genuine client says of an order: it rejects a bad one. */
const verified = (events: readonly AgUiEvent[]) =>
  lastValueFrom(from(events as unknown as BaseEvent[]).pipe(verify, toArray()));

describe('the genuine client, over HTTP', () => {
  const serve = async (writer: ReturnType<typeof agent>, seen: string[] = []) => {
    const errors: string[] = [];
    const server = await serveLoopback(async (request) => {
      const { threadId, runId } = (await request.json()) as { threadId: string; runId: string };
      const begun = writer.stream('go', { paused: true });
      handle = begun;
      return agUiResponse(begun, { threadId, runId, secrets: {} });
    });
    let handle: RunHandle<unknown, unknown> | undefined;
    closing.push(() => server.close());
    const client = new HttpAgent({ url: server.url, threadId: 'thread-1' });
    client.messages = [{ id: 'm0', role: 'user', content: 'go' }];
    const result = client.runAgent(
      { runId: 'run-7' },
      {
        // So that it is there when the first delta comes.
        onRunStartedEvent: () => handle?.resume(),
        onRunErrorEvent: ({ event }) => void errors.push(event.code ?? ''),
        onEvent: ({ event }) => void seen.push(event.type),
      },
    );
    return { client, result, errors };
  };

  test('[M54] reads a run with a tool and text that streams: messages, calls and their results are as they were', async () => {
    const writer = agent({
      name: 'writer',
      tools: [echo],
      model: scriptedModel([calls({ name: 'echo', input: { text: 'seen' } }), 'It is there.']),
    });
    const seen: string[] = [];
    const { client, result } = await serve(writer, seen);
    const { newMessages } = await result;
    expect(newMessages.map(({ role, content }) => [role, content])).toEqual([
      ['assistant', undefined],
      ['tool', 'seen'],
      ['assistant', 'It is there.'],
    ]);
    expect(client.messages[1]).toMatchObject({
      role: 'assistant',
      toolCalls: [{ function: { name: 'echo', arguments: '{"text":"seen"}' } }],
    });
    expect(seen[0]).toBe('RUN_STARTED');
    expect(seen.at(-1)).toBe('RUN_FINISHED');
    expect(seen).toContain('STEP_STARTED');
    expect(seen.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length).toBeGreaterThan(0);
  });

  test('reads of a run that failed as an error', async () => {
    const seen: string[] = [];
    const { result, errors } = await serve(
      agent({ name: 'broken', model: scriptedModel([new Error('fell')]) }),
      seen,
    );
    await result;
    expect(errors).toEqual(['model.failed']);
    expect(seen.at(-1)).toBe('RUN_ERROR');
  });

  test('reads several agents at once', async () => {
    const child = () =>
      agent({
        name: 'child',
        tools: [echo],
        model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'below']),
      });
    const both = tool({
      name: 'both',
      description: 'Has two do it.',
      input: z.object({}),
      execute: async (_, { run }) => {
        const results = await Promise.all([run(child(), 'a'), run(child(), 'b')]);
        return results.map(({ output }) => output).join();
      },
    });
    const parent = agent({
      name: 'parent',
      tools: [both],
      model: scriptedModel([calls({ name: 'both', input: {} }), 'above']),
    });
    const { result } = await serve(parent);
    const { newMessages } = await result;
    expect(newMessages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });
});

describe('what a run comes to', () => {
  test('text that was taken back ends its message, and is named', async () => {
    const events = await mapped(
      told(
        started,
        deltaOf('wrong', KEY),
        { type: 'model.discarded', model: 'm', key: KEY, characters: 5 },
        answered('right'),
        ended,
      ),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'CUSTOM',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    await verified(events);
  });

  test('who came late to a text has the whole of it', async () => {
    const events = await mapped(told(started, deltaOf('there.', KEY), answered('It is there.'), ended));
    const texts = events.flatMap((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : []));
    expect(texts).toEqual(['there.', 'It is there.']);
    await verified(events);
  });

  test('reasoning, and an event of the app’s own', async () => {
    const thought = { ...deltaOf('', KEY), delta: { type: 'reasoning', text: 'Hm.' } } as const;
    const events = await mapped(
      told(
        started,
        thought,
        deltaOf('Yes.', KEY),
        answered('Yes.'),
        { type: 'custom.emitted', name: 'shop.ordered', data: { id: 7 } },
        ended,
      ),
    );
    expect(events.map(({ type }) => type).slice(1, 7)).toEqual([
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'CUSTOM', name: 'shop.ordered', value: { id: 7 } }),
    );
    await verified(events);
  });

  test('whatever comes in whatever order, the client takes it, and every event fits its schema', async () => {
    const key = fc.constantFrom('k1', 'k2');
    const path = fc.constantFrom('desk', 'desk/one');
    const body: fc.Arbitrary<EventBody> = fc.oneof(
      fc.constant<EventBody>({ type: 'phase.entered', phase: 'OBSERVE' }),
      key.map((each) => answered('xy', each)),
      key.map((each): EventBody => ({ type: 'model.discarded', model: 'm', key: each, characters: 1 })),
      fc.constantFrom('c1', 'c2').map((callId): EventBody => ({
        type: 'tool.started',
        callId,
        tool: 't',
        input: { a: 1 },
        description: 'd',
        attempt: 1,
      })),
      fc.constantFrom('c1', 'c2').map((callId): EventBody => ({
        type: 'tool.finished',
        callId,
        tool: 't',
        ok: true,
        text: 'r',
        durationMs: 1,
      })),
      fc.constantFrom('c1', 'c2').map((callId): EventBody => ({
        type: 'tool.approval-requested',
        id: callId,
        callId,
        tool: 't',
        input: { a: 1 },
        description: 'd',
      })),
      fc.constantFrom('c1', 'c2').map((callId): EventBody => ({ type: 'tool.denied', callId, tool: 't' })),
      fc.constant(started),
      fc.constant(ended),
    );
    const event: fc.Arbitrary<LiveEvent> = fc.oneof(
      fc.tuple(body, path).map(([each, where]) => durable(1, each, where)),
      fc.tuple(key, fc.constantFrom('x', 'y', '')).map(([each, text]) => deltaOf(text, each)),
      key.map((each): LiveEvent => ({ ...deltaOf('', each), delta: { type: 'reasoning', text: 'h' } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (middle) => {
        const events = await mapped([...told(started), ...middle, ...told(ended)]);
        for (const each of events) EventSchemas.parse(each);
        expect(await verified(events)).toHaveLength(events.length);
        expect(events.at(-1)?.type).toBe('RUN_FINISHED');
      }),
      { numRuns: 200 },
    );
  });

  test('two who look on are told apart', () => {
    const events$ = new Subject<LiveEvent>();
    const seen: string[][] = [[], []];
    const mapped$ = toAgUi(events$);
    for (const each of seen) mapped$.subscribe(({ type }) => each.push(type));
    for (const event of told(started, answered('x'), ended)) events$.next(event);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.at(0)).toBe('RUN_STARTED');
  });
});
