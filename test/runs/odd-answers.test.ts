import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import type { Critique } from '../../src/contracts/agents/critique.ts';
import type { Review } from '../../src/contracts/agents/critic.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import type { Reply } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, type HttpRun, runOverHttp } from '../support/run-over-http.ts';
import { ofType } from '../support/runs.ts';
import { asksWeather, weatherClerk, weatherTool } from '../support/weather-clerk.ts';
import { says, type WireAnswer } from '../support/wire-answers.ts';

const DONE = 'It is sunny.';

/** What tools answered, as the last request tells it to the provider, in order: whatever the wire's form. */
const toldIn = ({ requests }: HttpOutcome<unknown>): string => JSON.stringify(requests.at(-1)?.body ?? {});

const results = ({ result }: HttpOutcome<unknown>) => result.records.flatMap((record) => record.results);

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('what %s answers', (kind) => {
  const reply = (answer: WireAnswer | string): Reply => says(kind, answer);
  const run = (
    answers: readonly (WireAnswer | string)[],
    more: Partial<HttpRun<unknown>> = {},
  ): Promise<HttpOutcome<unknown>> =>
    runOverHttp({ kind, replies: answers.map(reply), agent: weatherClerk(), ...more });
  const completes = ({ result }: HttpOutcome<unknown>): void => {
    expect(result).toMatchObject({ status: 'completed', output: DONE });
  };
  const fails = ({ result }: HttpOutcome<unknown>, code: ErrorCode): void => {
    expect(result).toMatchObject({
      status: 'failed',
      error: { code, path: 'clerk', runId: result.runId, step: expect.any(Number) },
    });
  };

  describe('[F15] cut off at its length', () => {
    it.each(['{"city":"Aach', '{"city":"Aachen"', '', '{"city":"Aachen"} '])(
      'a call (%s) is never executed; the model is told, and repairs it',
      async (args) => {
        const asked: string[] = [];
        const outcome = await run(
          [
            {
              calls: [asksWeather('Zwolle', 'a'), { name: 'weather', arguments: args, id: 'b' }],
              finish: 'length',
            },
            { calls: [asksWeather('Aachen')] },
            DONE,
          ],
          { agent: weatherClerk({ tools: [weatherTool(asked)] }) },
        );
        completes(outcome);
        expect(outcome.requests).toHaveLength(3);
        // The whole call before it ran, the one that was cut did not.
        expect(asked).toEqual(['Zwolle', 'Aachen']);
        expect(results(outcome).map(({ ok }) => ok)).toEqual([true, false, true]);
        expect(toldIn(outcome)).toMatch(/cut off/);
      },
    );

    it('a text is asked for again, and a model that cannot be brief ends the run after two', async () => {
      const cut: WireAnswer = { text: ['It is sun'], finish: 'length' };
      const outcome = await run([cut, DONE]);
      completes(outcome);
      expect(toldIn(outcome)).toMatch(/cut off at its length limit/);
      const endless = await run([cut, cut, DONE]);
      expect(endless.requests).toHaveLength(2);
      fails(endless, 'output.truncated');
    });
  });

  it('[F21] words and a call in one answer: the call runs, the words are kept, the answer is the last one’s', async () => {
    const outcome = await run([{ text: ['Let me look.'], calls: [asksWeather('Aachen')] }, DONE]);
    completes(outcome);
    expect(toldIn(outcome)).toContain('Let me look.');
    expect(outcome.shown).toEqual(['Let me look.', DONE]);
  });

  describe('[F22] a finish that does not fit', () => {
    it('a call that "stop" ends still runs', async () => {
      const outcome = await run([{ calls: [asksWeather('Aachen')], finish: 'stop' }, DONE]);
      completes(outcome);
      expect(results(outcome)).toMatchObject([{ ok: true }]);
    });

    it('words that "tool calls" ends are the answer', async () => {
      const outcome = await run([{ text: [DONE], finish: 'calls' }]);
      completes(outcome);
      expect(outcome.requests).toHaveLength(1);
    });
  });

  describe('[F23] nothing', () => {
    it.each<WireAnswer>([{}, { finish: 'calls' }, { text: [' \n'] }])(
      'is asked again once, with a word why (%j)',
      async (empty) => {
        const outcome = await run([empty, DONE]);
        completes(outcome);
        expect(outcome.requests).toHaveLength(2);
        expect(outcome.requests[1]?.body).not.toEqual(outcome.requests[0]?.body);
        expect(toldIn(outcome)).toContain('Your last reply was empty');
        expect(ofType(outcome.result.events, 'model.retrying')[0]?.error.code).toBe('model.empty');
        expect(outcome.result.totals).toMatchObject({ modelCalls: 2, retries: 1, inputTokens: 20 });
      },
    );

    it('after tool results too, and the nudge is not part of the conversation', async () => {
      const outcome = await run([
        { calls: [asksWeather('Aachen')] },
        {},
        { calls: [asksWeather('Zwolle')] },
        DONE,
      ]);
      completes(outcome);
      expect(outcome.requests).toHaveLength(4);
      expect(toldIn(outcome)).not.toContain('Your last reply was empty');
    });

    it('twice ends the run', async () => {
      const outcome = await run([{}, {}, DONE]);
      expect(outcome.requests).toHaveLength(2);
      fails(outcome, 'model.empty');
    });
  });

  describe('[F24] a refusal', () => {
    it.each([
      ['in words', { text: ['I cannot ', 'do that.'], finish: 'refusal' }],
      ['without a word', { finish: kind === 'anthropic' ? 'refusal' : 'filter' }],
      ['by a filter, in the middle', { text: ['Half of '], finish: 'filter' }],
      ['by a filter, within a call', { calls: [asksWeather('Aachen')], finish: 'filter' }],
    ] satisfies [string, WireAnswer][])('%s is no success, and is not argued with', async (_, answer) => {
      const asked: string[] = [];
      const outcome = await run([answer, DONE], { agent: weatherClerk({ tools: [weatherTool(asked)] }) });
      expect(outcome.requests).toHaveLength(1);
      expect(outcome.result).toMatchObject({
        status: 'stopped',
        stopReason: { kind: 'refused' },
        output: undefined,
      });
      expect(asked).toEqual([]);
    });

    it('says what the model said', async () => {
      const { result } = await run([{ text: ['I cannot ', 'do that.'], finish: 'refusal' }]);
      expect(result.stopReason).toEqual({ kind: 'refused', text: 'I cannot do that.' });
    });
  });

  describe('[F28] a finish that critics do not believe', () => {
    const critics = [
      {
        name: 'sceptic',
        critique: (): Critique => ({ verdict: 'revise', note: 'You have looked nowhere.' }),
      },
    ];

    it('is sent back twice, with the reason, and then the run is over', async () => {
      const outcome = await run([DONE, DONE, DONE, DONE], { agent: weatherClerk({ critics }) });
      expect(outcome.requests).toHaveLength(3);
      expect(outcome.result).toMatchObject({
        status: 'stopped',
        stopReason: { kind: 'rejected', rejections: 3 },
        candidate: DONE,
        output: undefined,
      });
      expect(toldIn(outcome).split('You have looked nowhere.')).toHaveLength(3);
    });

    it('is believed once the work is done', async () => {
      const honest = {
        name: 'honest',
        critique: ({ evidence }: Review): Critique =>
          evidence.length > 0 ? { verdict: 'accept' } : { verdict: 'revise', note: 'Look first.' },
      };
      const outcome = await run([DONE, { calls: [asksWeather('Aachen')] }, DONE], {
        agent: weatherClerk({ critics: [honest] }),
      });
      completes(outcome);
      expect(outcome.requests).toHaveLength(3);
    });
  });

  it('[P10] a model that calls tools for ever is stopped at the limit of steps, with a valid conversation', async () => {
    const cities = ['Aachen', 'Bonn', 'Celle', 'Dachau', 'Essen'];
    const outcome = await run(
      cities.map((city) => ({ calls: [asksWeather(city)] })),
      { agent: weatherClerk({ stop: maxSteps(4) }) },
    );
    expect(outcome.requests).toHaveLength(4);
    expect(outcome.result).toMatchObject({ status: 'stopped', stopReason: { kind: 'maxSteps', limit: 4 } });
  });
});

describe('what only Anthropic answers', () => {
  const kind = 'anthropic';

  it('[F25] a window that overflows within the answer is asked for once', async () => {
    const outcome = await runOverHttp({
      kind,
      agent: weatherClerk(),
      replies: [says(kind, { text: ['Half of it'], finish: 'overflow' }), says(kind, DONE)],
    });
    expect(outcome.requests).toHaveLength(1);
    expect(outcome.result).toMatchObject({ status: 'failed', error: { code: 'model.context-overflow' } });
    expect(outcome.shown).toEqual([]);
  });

  it('[F26] a turn that pauses is sent back as it is, and goes on', async () => {
    const pause = says(kind, { text: ['Searching'], finish: 'pause' });
    const outcome = await runOverHttp({ kind, agent: weatherClerk(), replies: [pause, says(kind, DONE)] });
    expect(outcome.result).toMatchObject({ status: 'completed', output: DONE });
    expect(outcome.requests).toHaveLength(2);
    const { messages } = outcome.requests[1]?.body ?? {};
    expect(Array.isArray(messages) ? messages.at(-1) : undefined).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Searching' }],
    });
  });

  it('[F26] a model that pauses for ever is stopped', async () => {
    const pause = says(kind, { text: ['Searching'], finish: 'pause' });
    const replies = Array.from({ length: 6 }, () => pause);
    const outcome = await runOverHttp({ kind, agent: weatherClerk({ stop: maxSteps(5) }), replies });
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.result.stopReason).toEqual({ kind: 'maxSteps', limit: 5 });
  });
});
