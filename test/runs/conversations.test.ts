import { filter, firstValueFrom, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import { isJsonObject, toJson } from '../../src/base/json/json.ts';
import { text$ } from '../../src/events/stream/select.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calculator } from '../../src/tools/built-in/calculator.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { mockProvider, type SeenRequest } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { runOverHttp } from '../support/run-over-http.ts';
import { ofType, start } from '../support/runs.ts';
import { asksWeather, weatherClerk, weatherTool } from '../support/weather-clerk.ts';
import { says, type WireAnswer } from '../support/wire-answers.ts';

const DONE = 'It is sunny.';

/** What a request says of the conversation, message by message, without the marks of the prompt cache. */
const said = ({ body }: SeenRequest): readonly string[] => {
  const messages = body['messages'] ?? body['input'];
  return Array.isArray(messages)
    ? messages.map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ''))
    : [];
};

/** What comes before the conversation: it has to stay the same to the byte. */
const prefixOf = (kind: WireKind, { body }: SeenRequest): string =>
  JSON.stringify(
    kind === 'openai-chat'
      ? [body['tools'], said({ path: '', headers: {}, body })[0]]
      : [body['tools'], body['system'], body['instructions']],
  );

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])(
  'a conversation with %s',
  (kind) => {
    const reply = (answer: WireAnswer | string) => says(kind, answer);

    it('[DODO-14] streams its text: what is read live, put together, is the answer', async () => {
      const pieces = ['Grüße', ' aus ', '世', '界', ' 👩‍👩‍👧', '!\n', ' ', 'Ende'];
      const { result, shown } = await runOverHttp({
        kind,
        agent: weatherClerk(),
        replies: [reply({ text: ['Moment. '], calls: [asksWeather('Aachen')] }), reply({ text: pieces })],
      });
      expect(result.output).toBe(pieces.join(''));
      expect(shown).toEqual(['Moment. ', pieces.join('')]);
    });

    it('[DODO-14] gives the same to a reader of its spoken text, across a retry', async () => {
      await using provider = await mockProvider(
        { pieces: says(kind, { text: ['It is ', 'rai'] }).pieces?.slice(0, 3) ?? [] },
        reply({ text: ['It is ', 'sunny.'] }),
      );
      const clerk = weatherClerk({ failures: { retry: { initialWaitMs: 1 } } })(modelFor(kind, provider));
      const handle = start(clerk, 'Well?');
      const spoken = await firstValueFrom(handle.events$.pipe(text$, toArray()));
      expect((await handle.result).output).toBe(DONE);
      expect(spoken.at(-1)?.text).toBe(DONE);
    });

    it('an unwatched run asks and answers the same', async () => {
      await using provider = await mockProvider(reply(DONE));
      expect((await weatherClerk()(modelFor(kind, provider)).run('Well?')).output).toBe(DONE);
    });

    it('[TENEX-25] [P18] thoughts go back with their signature, and only to whoever had them', async () => {
      const thinking = { text: 'Where is Aachen?', proof: 'c2lnbmVk' };
      const { requests, result } = await runOverHttp({
        kind,
        agent: weatherClerk(),
        replies: [
          reply({ thinking, text: ['Let me look.'], calls: [asksWeather('Aachen', 'theirs')] }),
          reply({
            thinking: { text: 'And Zwolle?', proof: 'c2Vjb25k' },
            calls: [asksWeather('Zwolle', 'theirs')],
          }),
          reply(DONE),
        ],
      });
      expect(result.output).toBe(DONE);
      expect(ofType(result.events, 'model.answered').map(({ reasoning }) => reasoning)).toEqual([
        'Where is Aachen?',
        'And Zwolle?',
        undefined,
      ]);
      const last = requests.at(-1)?.body ?? {};
      const echoed = JSON.stringify(last);
      const wanted = {
        // Nothing is signed in this form: the words themselves go back, under the name under which they came.
        'openai-chat': ['"reasoning_content":"Where is Aachen?"', '"reasoning_content":"And Zwolle?"'],
        'openai-responses': ['"encrypted_content":"c2lnbmVk"', '"encrypted_content":"c2Vjb25k"'],
        anthropic: [
          '{"type":"thinking","thinking":"Where is Aachen?","signature":"c2lnbmVk"}',
          '{"type":"thinking","thinking":"And Zwolle?","signature":"c2Vjb25k"}',
        ],
      }[kind];
      for (const each of wanted) expect(echoed).toContain(each);
      // The words beside the call are said once, and the call has one id wherever it is named: in Chat Completions theirs.
      expect(echoed.split('Let me look.')).toHaveLength(2);
      expect(echoed.split('"theirs"')).toHaveLength(kind === 'openai-chat' ? 3 : 1);
    });

    it('[DODO-21] parallel calls go back as one turn with all their results', async () => {
      const { requests, result } = await runOverHttp({
        kind,
        agent: weatherClerk(),
        replies: [
          reply({ calls: ['Aachen', 'Bonn', 'Celle'].map((city) => asksWeather(city)) }),
          reply(DONE),
        ],
      });
      expect(result.totals).toMatchObject({ steps: 2, toolCalls: 3, modelCalls: 2 });
      const [, second] = requests;
      const places = ['Sunny in Aachen', 'Sunny in Bonn', 'Sunny in Celle'].map((text) =>
        JSON.stringify(second?.body).indexOf(text),
      );
      expect(places).toEqual(places.toSorted((left, right) => left - right));
    });

    it('[M12] an empty result of a tool is told in words that the provider takes', async () => {
      const mute = tool({
        name: 'weather',
        description: 'Says nothing.',
        input: z.object({}),
        execute: () => '',
      });
      const { requests } = await runOverHttp({
        kind,
        agent: weatherClerk({ tools: [mute] }),
        replies: [reply({ calls: [{ name: 'weather', arguments: '{}' }] }), reply(DONE)],
      });
      expect(JSON.stringify(requests[1]?.body)).toContain('(no output)');
    });

    describe('[M20] a structured answer', () => {
      const output = z.object({ city: z.string(), celsius: z.number().int() });
      const clerk = (model: Model) =>
        agent({ name: 'clerk', instructions: 'Report.', model, tools: [weatherTool()], output });
      const good = { city: 'Aachen', celsius: 21 };

      it('is asked for by its schema, checked and typed', async () => {
        const { requests, result } = await runOverHttp({
          kind,
          agent: clerk,
          replies: [reply({ calls: [asksWeather('Aachen')] }), reply(JSON.stringify(good))],
        });
        expect(result.output).toEqual(good);
        expect(result.output?.celsius.toFixed(1)).toBe('21.0');
        for (const { body } of requests) expect(JSON.stringify(body)).toContain('"celsius"');
      });

      it('may come in a fence', async () => {
        const { result } = await runOverHttp({
          kind,
          agent: clerk,
          replies: [reply('```json\n{"city":"Aachen","celsius":21}\n```')],
        });
        expect(result.output).toEqual(good);
      });

      it.each(['{"city":"Aachen","celsius":"warm"}', 'It is warm in Aachen.', '[]'])(
        'that does not fit (%s) is repaired once asked to',
        async (bad) => {
          const { requests, result } = await runOverHttp({
            kind,
            agent: clerk,
            replies: [reply(bad), reply(JSON.stringify(good))],
          });
          expect(result.output).toEqual(good);
          expect(requests).toHaveLength(2);
          expect(said(requests[1] ?? { path: '', headers: {}, body: {} }).at(-1)).toContain(
            'Your answer does not fit its schema',
          );
        },
      );

      it('that never fits ends the run after three, and says what was wrong', async () => {
        const bad = reply('{"city":"Aachen"}');
        const { requests, result } = await runOverHttp({ kind, agent: clerk, replies: [bad, bad, bad, bad] });
        expect(requests).toHaveLength(3);
        expect(result).toMatchObject({
          status: 'failed',
          error: { code: 'output.invalid', path: 'clerk', step: 2 },
        });
        expect(result.error?.message).toContain('celsius');
      });

      it('that is no object is wrapped for the provider and unwrapped for the caller', async () => {
        const { requests, result } = await runOverHttp({
          kind,
          agent: (model) => agent({ name: 'clerk', model, output: z.array(z.string()) }),
          replies: [reply('{"value":["Aachen","Bonn"]}')],
        });
        expect(result.output).toEqual(['Aachen', 'Bonn']);
        expect(JSON.stringify(requests[0]?.body)).toContain('"value"');
      });
    });

    it('[P13] the prefix is the same to the byte in every request, and a conversation only grows', async () => {
      const cities = ['Aachen', 'Bonn', 'Celle'];
      const { requests } = await runOverHttp({
        kind,
        agent: weatherClerk({ tools: [weatherTool(), calculator] }),
        replies: [...cities.map((city) => reply({ calls: [asksWeather(city)] })), reply(DONE)],
      });
      expect(new Set(requests.map((request) => prefixOf(kind, request))).size).toBe(1);
      const conversations = requests.map(said);
      conversations.slice(1).forEach((conversation, index) => {
        const before = conversations[index] ?? [];
        expect(conversation.length).toBeGreaterThan(before.length);
        expect(conversation.slice(0, before.length)).toEqual(before);
      });
    });

    it('[DODO-12] [DODO-58] settings reach every request', async () => {
      const { requests } = await runOverHttp({
        kind,
        agent: weatherClerk({ settings: { maxOutputTokens: 321 } }),
        replies: [reply({ calls: [asksWeather('Aachen')] }), reply(DONE)],
      });
      for (const { body } of requests) expect(body['max_tokens'] ?? body['max_output_tokens']).toBe(321);
    });

    it('[DODO-57] goes on from an earlier one', async () => {
      const { requests } = await runOverHttp({
        kind,
        agent: weatherClerk(),
        input: 'And tomorrow?',
        options: () => ({
          history: [
            { role: 'user', text: 'What is it like?' },
            { role: 'assistant', text: DONE },
          ],
        }),
        replies: [reply('Rain.')],
      });
      const conversation = said(requests[0] ?? { path: '', headers: {}, body: {} }).slice(
        kind === 'openai-chat' ? 1 : 0,
      );
      expect(conversation).toHaveLength(3);
      ['What is it like?', DONE, 'And tomorrow?'].forEach((text, index) =>
        expect(conversation[index]).toContain(text),
      );
    });

    it('hears what is said while it works, at the next step', async () => {
      const { requests, result } = await runOverHttp({
        kind,
        agent: weatherClerk(),
        replies: [reply({ calls: [asksWeather('Aachen')] }), reply(DONE)],
        meanwhile: async ({ handle }) => {
          const tools = handle.events$.pipe(filter(({ type }) => type === 'tool.finished'));
          // Within the event, so that the message is there before the next look at the inbox.
          await firstValueFrom(tools.pipe(tap(() => handle.send('In Celsius, please.'))));
        },
      });
      expect(result.output).toBe(DONE);
      expect(JSON.stringify(requests[1]?.body)).toContain('In Celsius, please.');
    });
  },
);

describe('the prompt cache of Anthropic', () => {
  it('[M12] is marked at the end of the system prompt, of the tools and of the conversation, in every request', async () => {
    const kind = 'anthropic';
    const { requests } = await runOverHttp({
      kind,
      agent: weatherClerk({ tools: [weatherTool(), calculator] }),
      replies: [
        says(kind, { calls: [asksWeather('Aachen'), asksWeather('Bonn')] }),
        says(kind, { calls: [asksWeather('Celle')] }),
        says(kind, DONE),
      ],
    });
    for (const { body } of requests) {
      expect(JSON.stringify(body).split('cache_control')).toHaveLength(4);
      const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : undefined);
      const message = toJson(lastOf(body['messages']));
      for (const place of [
        body['system'],
        body['tools'],
        isJsonObject(message) ? message['content'] : undefined,
      ])
        expect(lastOf(place)).toHaveProperty('cache_control');
    }
  });

  it('[M12] is left alone where the agent says so', async () => {
    const { requests } = await runOverHttp({
      kind: 'anthropic',
      agent: weatherClerk({ settings: { cache: false } }),
      replies: [says('anthropic', DONE)],
    });
    expect(JSON.stringify(requests)).not.toContain('cache_control');
  });
});
