import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import type { Reply } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, type HttpRun, runOverHttp, until } from '../support/run-over-http.ts';
import { ofType } from '../support/runs.ts';
import { expectAnswer, expectFailure, GREETING } from '../support/fault-runs.ts';
import { weatherClerk } from '../support/weather-clerk.ts';
import { overloaded, says, upToText, wireAnswer } from '../support/wire-answers.ts';

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('a run over %s', (kind) => {
  const ok = says(kind, GREETING);
  const run = (
    replies: readonly Reply[],
    more: Partial<HttpRun<unknown>> = {},
  ): Promise<HttpOutcome<unknown>> => runOverHttp({ kind, replies, agent: weatherClerk(), ...more });

  describe('a stream that breaks after three pieces', () => {
    const begun = upToText(kind, GREETING, 3);
    const broken: readonly (readonly [string, ErrorCode, Reply])[] = [
      ['[F6] an overloaded provider says so', 'model.unavailable', { pieces: [...begun, overloaded(kind)] }],
      ['[F7] the socket is destroyed', 'model.network', { pieces: begun, ending: 'reset' }],
      ['[F8] it ends as if it were whole', 'model.malformed', { pieces: begun }],
      [
        '[F11] a line is no JSON',
        'model.malformed',
        { pieces: [...begun, 'event: x\ndata: {"choices": [{\n\n'] },
      ],
    ];

    it.each(broken)('%s (%s): asked again, and nothing is shown twice', async (_, code, reply) => {
      const outcome = await run([reply, ok]);
      expect(outcome.requests).toHaveLength(2);
      expectAnswer(outcome, 1);
      const { events } = outcome.result;
      const [discarded] = ofType(events, 'model.discarded');
      expect(discarded).toMatchObject({ characters: 'It is sunny.'.length });
      expect(ofType(events, 'model.asked')[0]).toMatchObject({ key: discarded?.key });
      expect(ofType(events, 'model.retrying')[0]?.error.code).toBe(code);
      // Both requests are the same: what was thrown away was never said.
      expect(outcome.requests[1]?.body).toEqual(outcome.requests[0]?.body);
    });

    it.each(broken)(
      '%s (%s) for ever: three requests, and three times taken back',
      async (_, code, reply) => {
        const outcome = await run([reply, reply, reply, ok]);
        expect(outcome.requests).toHaveLength(3);
        expectFailure(outcome, code);
        expect(ofType(outcome.result.events, 'model.discarded')).toHaveLength(3);
      },
    );

    it.each([
      ['[F9] without a byte', 'stall'],
      ['[F10] with comments', 'comments'],
    ] as const)('%s: given up after the idle limit, and asked again', async (_, ending) => {
      const outcome = await run([{ pieces: begun, ending }, ok], {
        meanwhile: async ({ streamed, events, pass, hungUp }) => {
          await until(() => streamed() === 'It is sunny.');
          await pass(89_999);
          expect(events.some(({ type }) => type === 'model.discarded')).toBe(false);
          await pass(1);
          await until(() => hungUp() === 1);
        },
      });
      expect(outcome.requests).toHaveLength(2);
      expectAnswer(outcome, 1);
      expect(ofType(outcome.result.events, 'model.retrying')[0]).toMatchObject({
        at: 90_000,
        error: { code: 'model.idle' },
      });
    });

    it('[F9] every piece that arrives puts the idle limit off', async () => {
      const retry = { idleTimeoutMs: 1_000, attempts: 1 };
      const [first = '', second = ''] = GREETING.text;
      const pieces = [1, 2].map((count) => upToText(kind, GREETING, count).join(''));
      const whole = (ok.pieces ?? []).join('');
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const send = (text: string): void => body?.enqueue(new TextEncoder().encode(text));
      const fetch = (): Promise<Response> => {
        const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
        return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
      };
      const [one = '', two = ''] = pieces;
      const outcome = await run([], {
        agent: () => weatherClerk({ failures: { retry } })(modelFor(kind, { fetch })),
        meanwhile: async ({ streamed, pass }) => {
          await until(() => body !== undefined);
          send(one);
          await until(() => streamed() === first);
          await pass(900);
          send(two.slice(one.length));
          await until(() => streamed() === `${first}${second}`);
          await pass(900);
          send(whole.slice(two.length));
          body?.close();
          body = undefined;
        },
      });
      expectAnswer(outcome, 0);
      expect(outcome.result.totals.durationMs).toBe(1_800);
    });
  });

  it('[F13] a second message within one stream is a typed error, never mixed text', async () => {
    const [first = ''] = wireAnswer(kind, GREETING);
    const spliced = [
      ...upToText(kind, GREETING, 2),
      first.replace('msg_1', 'msg_2'),
      ...wireAnswer(kind, GREETING),
    ];
    const outcome = await run([{ pieces: spliced }, ok]);
    expectAnswer(outcome, 1);
    expect(ofType(outcome.result.events, 'model.retrying')[0]?.error.code).toBe('model.malformed');
  });

  it.each([
    ['200 with a page of HTML', 200, 'text/html', '<html>Welcome to our network</html>', 'model.malformed'],
    ['200 with half an answer', 200, 'application/json', '{"id": "x", "choi', 'model.malformed'],
    ['502 with a page of HTML', 502, 'text/html', `<html>${'x'.repeat(5_000)}</html>`, 'model.unavailable'],
  ] as const)(
    '[F33] %s three times is that error, in few words; once, it is asked again',
    async (_, status, type, body, code) => {
      const page: Reply = { status, headers: { 'content-type': type }, pieces: [body] };
      expectAnswer(await run([page, ok]), 1);
      const outcome = await run([page, page, page, ok]);
      expect(outcome.requests).toHaveLength(3);
      expectFailure(outcome, code);
      expect(outcome.result.error?.message.length).toBeLessThan(700);
    },
  );
});
