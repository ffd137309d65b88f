import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { expectAnswer, expectFailure, GREETING, WHOLE } from '../support/fault-runs.ts';
import { event, type Reply } from '../support/mock-provider.ts';
import { singleBytes, type WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, runOverHttp } from '../support/run-over-http.ts';
import { ofType } from '../support/runs.ts';
import { asksWeather, weatherClerk } from '../support/weather-clerk.ts';
import { says, upToText, wireAnswer } from '../support/wire-answers.ts';

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);
const lightOf = (index: number): object => ({ type: 'content_block_delta', index, delta: { type: 'light' } });

/** What a later version of each provider may send, and nobody here has heard of. */
const UNKNOWN: Readonly<Record<WireKind, readonly string[]>> = {
  'openai-chat': [event({ weather: 1 }), event({ choices: [{ index: 0, delta: { smell: 'rain' } }] })],
  'openai-responses': [
    named({ type: 'response.hologram.delta', output_index: 7, delta: 'light' }),
    named({ type: 'response.output_item.added', output_index: 8, item: { type: 'hologram' } }),
  ],
  anthropic: [
    named({ type: 'weather_report', index: 7 }),
    named({ type: 'content_block_start', index: 9, content_block: { type: 'hologram' } }),
    event(lightOf(9), 'content_block_delta'),
    named({ type: 'content_block_stop', index: 9 }),
  ],
};

/** What cannot be, after three pieces of text: of an order or of a shape that no provider means. */
const IMPOSSIBLE: Readonly<Record<WireKind, readonly (readonly [string, string])[]>> = {
  'openai-chat': [['calls that are no list', event({ choices: [{ index: 0, delta: { tool_calls: 5 } }] })]],
  'openai-responses': [
    ['an item that is nothing', named({ type: 'response.output_item.added', output_index: 1, item: null })],
  ],
  anthropic: [
    [
      'a second block in one place',
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ],
    ['a piece before its block', event(lightOf(1), 'content_block_delta')],
  ],
};

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('a run over %s', (kind) => {
  const ok = says(kind, GREETING);
  const run = (replies: readonly Reply[]): Promise<HttpOutcome<unknown>> =>
    runOverHttp({ kind, replies, agent: weatherClerk() });

  it.each([
    ['as it is', (text: string) => text],
    ['with CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\uFEFF${text}`],
    [
      'with data over many lines',
      (text: string) => text.replaceAll(/^data: (\{)(.*)$/gm, 'data: $1\ndata: $2'),
    ],
    ['without a newline at its end', (text: string) => text.trimEnd()],
  ])('[F12] whose first answer is split at every byte, %s, is the run of a whole one', async (_, written) => {
    const answer = wireAnswer(kind, { text: ['Grüße aus ', '世界!'], calls: [asksWeather('Köln')] });
    const split = await run([{ pieces: [...singleBytes(written(answer.join('')))] }, ok]);
    const whole = await run([{ pieces: answer }, ok]);
    expect(split.requests.map(({ body }) => body)).toEqual(whole.requests.map(({ body }) => body));
    expect(split.requests).toHaveLength(2);
    expect(compareRuns(split.result, whole.result)).toEqual([]);
    expect(split.result).toMatchObject({ status: 'completed', output: WHOLE, totals: { retries: 0 } });
    expect(split.result.records[0]?.results).toMatchObject([{ ok: true, text: 'Sunny in Köln' }]);
    expect(split.shown).toEqual(['Grüße aus 世界!', WHOLE]);
  });

  /** The greeting with something between its third and its last piece: whole, were it not for that. */
  const withBetween = (...between: readonly string[]): Reply => {
    const begun = upToText(kind, GREETING, 3);
    return { pieces: [...begun, ...between, ...wireAnswer(kind, GREETING).slice(begun.length)] };
  };

  it('[F14] passes over events that nobody has heard of', async () => {
    const outcome = await run([withBetween(...UNKNOWN[kind])]);
    expect(outcome.requests).toHaveLength(1);
    expectAnswer(outcome, 0);
  });

  describe.each(IMPOSSIBLE[kind])('that is sent %s', (_, impossible) => {
    const broken = withBetween(impossible);

    it('[F14] asks again, and shows nothing of what was thrown away', async () => {
      const outcome = await run([broken, ok]);
      expect(outcome.requests).toHaveLength(2);
      expectAnswer(outcome, 1);
      expect(ofType(outcome.result.events, 'model.retrying')[0]?.error.code).toBe('model.malformed');
    });

    it('[F14] each time gives up after three requests', async () => {
      const outcome = await run([broken, broken, broken, ok]);
      expect(outcome.requests).toHaveLength(3);
      expectFailure(outcome, 'model.malformed');
      expect(ofType(outcome.result.events, 'model.discarded')).toHaveLength(3);
    });
  });
});
