import { describe, expect, it } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { ask, streamed } from '../support/ask-model.ts';
import { describeWithFixtures, fixtures } from '../support/fixtures.ts';
import { mockProvider } from '../support/mock-provider.ts';
import {
  inputOf,
  isWhole,
  keptRecordings,
  modelFor,
  modelReading,
  recordedReply,
  type RecordedStream,
  recordedStreams,
  singleBytes,
  wireEvents,
} from '../support/provider-streams.ts';
import { isThorough } from '../support/thorough.ts';

/** How our words for why a model stopped say what the vendors' do. */
const finishes: Readonly<Record<string, string>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
};

/** Thoughts that xAI counts beside its output, and we count in. */
const THOUGHTS_BESIDE: Readonly<Record<string, number>> = { 'xai/main/xai-text.chunks.txt': 290 };

const finishOf = ({ stop = '', tool_calls: calls = [] }: RecordedStream): string | undefined =>
  stop === 'completed' ? (calls.length > 0 ? 'tool-calls' : 'stop') : finishes[stop];

const summary = ({ text, calls, finish, usage }: ModelAnswer): object => ({
  text,
  calls: calls.map(({ id, name, input, problem }) => ({ id, name, input, problem })),
  finish,
  usage: { input: usage.input, output: usage.output },
});

const expectedSummary = (recorded: RecordedStream): object => ({
  text: recorded.text,
  calls: (recorded.tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.name,
    input: call.arguments === undefined ? call.input : (JSON.parse(call.arguments) as unknown),
    problem: undefined,
  })),
  finish: finishOf(recorded),
  usage: {
    input: inputOf(recorded),
    output: (recorded.usage?.out ?? 0) + (THOUGHTS_BESIDE[recorded.file] ?? 0),
  },
});

/** From this event on, everything that makes up the answer has arrived. */
const completeAfter = (recorded: RecordedStream, events: readonly string[]): number =>
  isWhole(recorded)
    ? events.length
    : recorded.kind === 'openai-chat'
      ? events.findIndex((each) => /"finish_reason":\s*"/.test(each)) + 1
      : events.findIndex((each) =>
          /"type":\s*"(response\.completed|response\.incomplete|message_stop)"/.test(each),
        ) + 1;

const ENDINGS = ['end', 'reset'] as const;

/**
 * Where a stream is cut, and by what. All of them for a short stream, each by both; the beginning, the end and every 97th between
 * for a long one, by the one and the other in turn, but by both where all are tried.
 */
const cuts = (length: number): readonly (readonly [at: number, by: (typeof ENDINGS)[number]])[] => {
  const places = [...Array(length).keys()].filter(
    (at) => isThorough || length <= 30 || at < 5 || at > length - 8 || at % 97 === 0,
  );
  return places.flatMap((at, index) =>
    ENDINGS.filter((_, which) => isThorough || length <= 30 || index % 2 === which).map(
      (by) => [at, by] as const,
    ),
  );
};

/** What holds for each recorded answer. */
const holdFor = (all: readonly RecordedStream[]): void => {
  const whole = all.filter(({ verdict }) => verdict === 'ok');

  it.each(whole)('[P18] over HTTP, $file reads as its vendor reads it', async (recorded) => {
    const events = wireEvents(recorded);
    await using provider = await mockProvider(recordedReply(recorded, [events.join('')]));
    const { answer, deltas } = ask(modelFor(recorded.kind, provider, recorded.profile));
    expect(summary(await answer)).toEqual(expectedSummary(recorded));
    expect(streamed(deltas, 'text')).toBe(recorded.text);
    expect(provider.requests).toHaveLength(1);
  });

  it.each(all)(
    '[F7] [F8] $file, cut after an event (long ones: after every 97th and near both ends), by an end or a reset, is an error, never an answer',
    async (recorded) => {
      const events = wireEvents(recorded);
      const complete = completeAfter(recorded, events);
      expect(complete).toBeGreaterThan(0);
      for (const [at, then] of cuts(complete)) {
        const cut = modelReading(recorded, events.slice(0, at), then);
        const thrown: unknown = await ask(cut).answer.catch((error: unknown) => error);
        if (!isTroupeError(thrown)) throw new Error(`cut after ${at} by ${then}: ${JSON.stringify(thrown)}`);
        expect([thrown.code, thrown.retryable]).toEqual([
          then === 'end' ? 'model.malformed' : 'model.network',
          'yes',
        ]);
      }
    },
  );

  it.each(all.filter(({ kind }) => kind === 'openai-chat'))(
    '[F7] [F8] $file, cut behind its finish_reason, is the whole answer or an error',
    async (recorded) => {
      const events = wireEvents(recorded);
      const model = (pieces: readonly string[], then?: 'reset') =>
        ask(modelReading(recorded, pieces, then)).answer;
      const { text, calls, finish } = await model(events);
      for (let at = completeAfter(recorded, events); at < events.length; at += 1) {
        expect(await model(events.slice(0, at))).toMatchObject({ text, calls, finish });
        const broken: unknown = await model(events.slice(0, at), 'reset').catch((error: unknown) => error);
        const isBroken = isTroupeError(broken, 'model.network');
        expect(isBroken ? { text, calls, finish } : broken).toMatchObject({ text, calls, finish });
      }
    },
  );

  const sizeOf = (recorded: RecordedStream): number => wireEvents(recorded).join('').length;
  it.each(isThorough ? whole : whole.filter((recorded) => sizeOf(recorded) < 20_000))(
    '[F12] $file, byte by byte, reads as in one piece (streams under 20 KB, unless all is asked for)',
    async (recorded) => {
      const events = wireEvents(recorded);
      const { answer: read } = ask(modelReading(recorded, singleBytes(events.join(''))));
      const answer = await read;
      expect(summary(answer)).toEqual(expectedSummary(recorded));
    },
  );
};

describe('recorded answers that are kept with the tests', () => {
  holdFor(keptRecordings());
});

describeWithFixtures('recorded streams of real providers', 'provider-streams', () => {
  const all = recordedStreams();
  holdFor(all);

  it('[F13] a message that starts twice, with nothing between, is read once', async () => {
    const file = 'anthropic/main/duplicate-message-start.chunks.txt';
    const events = wireEvents({ file, kind: 'anthropic' });
    await using provider = await mockProvider({ pieces: events });
    const { answer, deltas } = ask(modelFor('anthropic', provider));
    expect(await answer).toMatchObject({
      text: 'Hello, World!',
      finish: 'stop',
      usage: { input: 17, output: 227 },
    });
    expect(streamed(deltas, 'text')).toBe('Hello, World!');
  });

  it('[F14] a call whose pieces lack the role, and repeat the name as nothing, is read', async () => {
    const file = 'mistral/main/mistral-incremental-tool-call.chunks.txt';
    await using provider = await mockProvider({ pieces: wireEvents({ file, kind: 'openai-chat' }) });
    const answer = await ask(modelFor('openai-chat', provider)).answer;
    expect(answer).toMatchObject({
      calls: [{ name: 'webSearchTool', input: { query: 'current Berlin weather' } }],
      finish: 'tool-calls',
      usage: { input: 171, output: 14, cached: 128 },
    });
  });

  it('[F14] events and items of unknown types are passed over', async () => {
    const file = 'openai/responses/openai-apply-patch-tool.1.chunks.txt';
    await using provider = await mockProvider({ pieces: wireEvents({ file, kind: 'openai-responses' }) });
    const answer = await ask(modelFor('openai-responses', provider)).answer;
    expect(answer.calls).toEqual([]);
    expect(answer.finish).toBe('stop');
    expect(JSON.stringify(answer.replay)).toContain('apply_patch_call');
  });

  it('the fixtures are where they are expected', () => {
    expect(all.length, fixtures('provider-streams')).toBeGreaterThanOrEqual(33);
  });
});
