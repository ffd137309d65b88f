import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { Reply } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, type HttpRun, runOverHttp, until } from '../support/run-over-http.ts';
import { never, ofType } from '../support/runs.ts';
import { asksWeather, cityArguments, weatherClerk, weatherTool } from '../support/weather-clerk.ts';
import { says, type WireAnswer } from '../support/wire-answers.ts';

const DONE = 'It is sunny.';

/** What tools answered, as the last request tells it to the provider, in order: whatever the wire's form. */
const toldIn = ({ requests }: HttpOutcome<unknown>): string => JSON.stringify(requests.at(-1)?.body ?? {});

const results = ({ result }: HttpOutcome<unknown>) => result.records.flatMap((record) => record.results);

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('what %s calls', (kind) => {
  const reply = (answer: WireAnswer | string): Reply => says(kind, answer);
  const run = (
    answers: readonly (WireAnswer | string)[],
    more: Partial<HttpRun<unknown>> = {},
  ): Promise<HttpOutcome<unknown>> =>
    runOverHttp({ kind, replies: answers.map(reply), agent: weatherClerk(), ...more });
  const calling = (args: string): WireAnswer => ({ calls: [{ name: 'weather', arguments: args }] });
  const completes = ({ result }: HttpOutcome<unknown>): void => {
    expect(result).toMatchObject({ status: 'completed', output: DONE });
  };
  const fails = ({ result }: HttpOutcome<unknown>, code: ErrorCode): void => {
    expect(result).toMatchObject({
      status: 'failed',
      error: { code, path: 'clerk', runId: result.runId, step: expect.any(Number) },
    });
  };

  it.each([
    ['no JSON', '{"city": Aachen}'],
    ['an empty string', '""'],
    ['nothing at all, where something is required', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '5'],
    ['an empty object', '{}'],
    ['the wrong type', '{"city":5}'],
    ['a number out of range', '{"city":1e999}'],
    ['NaN', '{"city":NaN}'],
    ['a megabyte', cityArguments('x'.repeat(1_000_000))],
    ['ten thousand lists in each other', `{"city":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a key that changes prototypes', '{"city":"Aachen","__proto__":{"admin":true}}'],
    ['a constructor', '{"city":"Aachen","constructor":{"prototype":{"admin":true}}}'],
  ])(
    '[F16] [DODO-19] %s as arguments is a schema error for the model, and the tool does not run',
    async (_, args) => {
      const asked: string[] = [];
      const outcome = await run([calling(args), DONE], {
        agent: weatherClerk({ tools: [weatherTool(asked)] }),
      });
      completes(outcome);
      expect(asked).toEqual([]);
      expect(results(outcome)).toMatchObject([
        {
          ok: false,
          kind: 'validation',
          error: { code: 'tool.input-invalid', tool: 'weather', path: 'clerk' },
        },
      ]);
      expect(outcome.result.totals).toMatchObject({ toolCalls: 1, modelCalls: 2, steps: 2, retries: 0 });
      expect(ofType(outcome.result.events, 'agent.acted')).toMatchObject([{ ok: 0, failed: 1 }]);
      expect(toldIn(outcome)).toContain('Cannot call');
      expect(JSON.stringify(Object.prototype)).toBe('{}');
    },
  );

  it.each([
    ['encoded twice', JSON.stringify(cityArguments('Aachen'))],
    ['with a key too many', '{"city":"Aachen","unit":"°C"}'],
  ])('[F16] arguments %s mean what they say', async (_, args) => {
    const asked: string[] = [];
    completes(await run([calling(args), DONE], { agent: weatherClerk({ tools: [weatherTool(asked)] }) }));
    expect(asked).toEqual(['Aachen']);
  });

  it('[F16] [DODO-19] all that is wrong is named at once', async () => {
    const book = tool({
      name: 'book',
      description: 'Books a room.',
      input: z.strictObject({ nights: z.number(), name: z.string() }),
      execute: () => 'booked',
    });
    const call = { name: 'book', arguments: '{"nights":"5","name":7,"extra":1}' };
    const outcome = await run([{ calls: [call] }, DONE], { agent: weatherClerk({ tools: [book] }) });
    for (const named of ['nights', 'name', 'extra']) expect(results(outcome)[0]?.text).toContain(named);
  });

  describe('[F17] a tool that there is not', () => {
    const unknown = (name: string): WireAnswer => ({ calls: [{ name, arguments: '{}' }] });

    it('[DODO-20] is answered with those there are, and is not repeated', async () => {
      const outcome = await run([unknown('wether'), DONE]);
      completes(outcome);
      expect(results(outcome)).toMatchObject([{ ok: false, kind: 'unknown', attempts: 1 }]);
      expect(toldIn(outcome)).toContain("did you mean 'weather'? There are: weather");
    });

    it.each(['Weather', 'functions.weather', 'weather.get', '__proto__', 'x'.repeat(200), '天気', ''])(
      'three times in a row ends the run (%s)',
      async (name) => {
        const outcome = await run([unknown(name), unknown(name), unknown(name), DONE]);
        expect(outcome.requests).toHaveLength(3);
        fails(outcome, 'tool.unknown');
        expect(outcome.result.totals).toMatchObject({ steps: 3, toolCalls: 3 });
      },
    );

    it('is forgiven if a known one comes between', async () => {
      const other = unknown('other');
      const outcome = await run([other, other, { calls: [asksWeather('Aachen')] }, other, other, DONE]);
      completes(outcome);
      expect(outcome.requests).toHaveLength(6);
    });

    it('is none of those whose names are only written otherwise on the wire', async () => {
      const asked: string[] = [];
      const stations = toolset({ name: 'stations', tools: [weatherTool(asked)] });
      const outcome = await run(
        [{ calls: [{ name: 'stations_weather', arguments: cityArguments('Aachen') }] }, DONE],
        { agent: weatherClerk({ tools: [stations] }) },
      );
      completes(outcome);
      expect(results(outcome)).toMatchObject([{ ok: true, tool: 'stations.weather' }]);
    });
  });

  describe('[F18] one id for two calls', () => {
    it.each([
      ['in one answer', [{ calls: [asksWeather('Aachen', 'same'), asksWeather('Zwolle', 'same')] }]],
      [
        'in two answers',
        [{ calls: [asksWeather('Aachen', 'same')] }, { calls: [asksWeather('Zwolle', 'same')] }],
      ],
      ['[F20] and no id at all', [{ calls: [asksWeather('Aachen', ''), asksWeather('Zwolle', '')] }]],
    ])('%s: both run, and each result goes to its own call', async (_, answers) => {
      const outcome = await run([...answers, DONE]);
      completes(outcome);
      expect(results(outcome).map(({ text }) => text)).toEqual(['Sunny in Aachen', 'Sunny in Zwolle']);
      const ids = results(outcome).map(({ callId }) => callId);
      expect(new Set(ids).size).toBe(2);
      const told = toldIn(outcome);
      // An id of the provider's own goes back to it once; any other call has ours.
      const isTheirs = kind === 'openai-chat' && told.includes('"same"');
      for (const id of isTheirs ? ['same', ids[1]] : ids) expect(told.split(`"${id}"`)).toHaveLength(3);
      expect(told.indexOf('Sunny in Aachen')).toBeLessThan(told.indexOf('Sunny in Zwolle'));
    });
  });

  it('[F19] [DODO-21] [DODO-22] of parallel calls all results come back, in the order of the calls', async () => {
    const input = z.object({});
    const broken = tool({
      name: 'broken',
      description: 'Fails.',
      input,
      execute: () => Promise.reject(new TypeError('out of order')),
    });
    const slow = tool({
      name: 'slow',
      description: 'Does not come back.',
      input,
      timeoutMs: 1_000,
      retry: false,
      execute: () => never<string>(),
    });
    const late = tool({
      name: 'late',
      description: 'Takes its time.',
      input,
      execute: () => new Promise((done) => setTimeout(() => done('better late'), 5)),
    });
    const of = (name: string) => ({ name, arguments: '{}' });
    const outcome = await run(
      [{ calls: [of('slow'), of('late'), of('broken'), asksWeather('Aachen')] }, DONE],
      {
        agent: weatherClerk({ tools: [weatherTool(), broken, slow, late] }),
        meanwhile: async ({ events, pass }) => {
          await until(() => events.filter(({ type }) => type === 'tool.finished').length === 3);
          await pass(1_000);
        },
      },
    );
    completes(outcome);
    expect(results(outcome).map((each) => [each.tool, each.ok ? 'ok' : each.kind])).toEqual([
      ['slow', 'timeout'],
      ['late', 'ok'],
      ['broken', 'execution'],
      ['weather', 'ok'],
    ]);
    expect(ofType(outcome.result.events, 'agent.acted')).toMatchObject([{ ok: 2, failed: 2 }]);
    const told = toldIn(outcome);
    const places = ['past its time-out', 'better late', 'out of order', 'Sunny in Aachen'].map((text) =>
      told.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(places).not.toContain(-1);
    // Only one of the three forms has a mark for failures.
    expect(told.split('"is_error":true')).toHaveLength(kind === 'anthropic' ? 3 : 1);
  });

  describe('[F29] a finish that is a call', () => {
    const finish = (answer: unknown) => ({ name: 'complete', arguments: JSON.stringify({ answer }) });

    it.each([
      ['first', (others: WireAnswer['calls'] = []) => [finish(DONE), ...others]],
      ['last', (others: WireAnswer['calls'] = []) => [...others, finish(DONE)]],
    ])('%s among others: all of them run, then the run is over', async (_, among) => {
      const asked: string[] = [];
      const outcome = await run(
        [{ calls: among([asksWeather('Aachen'), asksWeather('Zwolle')]) }, 'Never asked.'],
        {
          agent: weatherClerk({ tools: [weatherTool(asked), complete] }),
        },
      );
      completes(outcome);
      expect(outcome.requests).toHaveLength(1);
      expect(asked).toEqual(['Aachen', 'Zwolle']);
      expect(outcome.result.totals).toMatchObject({ toolCalls: 3, steps: 1 });
    });

    it('that is empty is refused, and the model goes on', async () => {
      const outcome = await run([{ calls: [finish('  ')] }, { calls: [finish(DONE)] }], {
        agent: weatherClerk({ tools: [complete] }),
      });
      completes(outcome);
      expect(outcome.requests).toHaveLength(2);
    });
  });
});
