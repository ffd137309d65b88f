import type { LanguageModelV3 } from '@ai-sdk/provider';
import {
  APICallError,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool as aiTool,
  wrapLanguageModel,
  extractReasoningMiddleware,
} from 'ai';
import { generateText as generateTextOfV7, streamText as streamTextOfV7 } from 'ai-v7';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, asLanguageModel, isTroupeError, tool, TroupeError } from '../../src/index.ts';
import { modelAnswer } from '../../src/models/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';

Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

const water = tool({
  name: 'water',
  description: 'Waters the garden.',
  input: z.object({ litres: z.number() }),
  execute: ({ litres }) => `Watered with ${litres} litres.`,
});

const gardener = (...script: Parameters<typeof scriptedModel>[0]) =>
  agent({ name: 'gardener', tools: [water], model: scriptedModel(script) });

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const watering = calls({ name: 'water', input: { litres: 5 } });

describe('an agent as the model of genuine functions of the AI SDK', () => {
  test('is a model of version 3 by its types', () => {
    const model: LanguageModelV3 = asLanguageModel(gardener('Done.'));
    expect(model.specificationVersion).toBe('v3');
  });

  test('generateText has its output, its calls with their results, and its usage', async () => {
    const model = asLanguageModel(gardener(watering, 'It is wet now.'));
    const result = await generateText({ model, prompt: 'Tend the garden.', stopWhen: stepCountIs(5) });
    expect(result.text).toBe('It is wet now.');
    expect(result.finishReason).toBe('stop');
    expect(result.steps).toHaveLength(1);
    expect(result.toolCalls).toMatchObject([
      { toolName: 'water', input: { litres: 5 }, providerExecuted: true, dynamic: true },
    ]);
    expect(result.toolResults).toMatchObject([{ toolName: 'water', output: 'Watered with 5 litres.' }]);
    expect(result.totalUsage.totalTokens).toBeGreaterThan(0);
    expect(result.providerMetadata?.['troupe']).toMatchObject({ status: 'completed', steps: 2 });
  });

  test('generateText and streamText of the next major version take it as well', async () => {
    const { text, steps } = await generateTextOfV7({
      model: asLanguageModel(gardener(watering, 'It is wet now.')),
      prompt: 'Tend the garden.',
    });
    expect([text, steps.length]).toEqual(['It is wet now.', 1]);
    const streamed = streamTextOfV7({
      model: asLanguageModel(gardener(watering, 'It is wet now.')),
      prompt: 'Tend the garden.',
    });
    let said = '';
    for await (const piece of streamed.textStream) said += piece;
    expect(said).toBe('It is wet now.');
    expect(await streamed.toolCalls).toMatchObject([
      { toolName: 'water', input: { litres: 5 }, providerExecuted: true },
    ]);
  });

  test('the messages of an answer are the history of the next call', async () => {
    const model = asLanguageModel(gardener(watering, 'It is wet now.', 'With 5 litres.'));
    const first = await generateText({ model, prompt: 'Tend the garden.' });
    const next = await generateText({
      model,
      messages: [
        { role: 'user', content: 'Tend the garden.' },
        ...first.response.messages,
        { role: 'user', content: 'With how much?' },
      ],
    });
    expect(next.text).toBe('With 5 litres.');
  });

  test('streamText streams texts, calls and results, and ends', async () => {
    const model = asLanguageModel(gardener(watering, 'It is wet now.'));
    const result = streamText({ model, prompt: 'Tend the garden.' });
    const types = new Set<string>();
    for await (const part of result.fullStream) types.add(part.type);
    expect([...types]).toEqual(
      expect.arrayContaining([
        'start',
        'tool-call',
        'tool-result',
        'text-start',
        'text-delta',
        'text-end',
        'finish',
      ]),
    );
    expect(await result.text).toBe('It is wet now.');
    expect(await result.finishReason).toBe('stop');
    expect((await result.totalUsage).totalTokens).toBeGreaterThan(0);
  });

  test('toUIMessageStream has it all for useChat', async () => {
    const model = asLanguageModel(gardener(watering, 'It is wet now.'));
    const chunks: { type: string }[] = [];
    for await (const chunk of streamText({ model, prompt: 'Tend it.' }).toUIMessageStream())
      chunks.push(chunk);
    expect(chunks.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool-input-available', 'tool-output-available', 'text-delta', 'finish']),
    );
    expect(chunks.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test('Output.object reads the output of an agent with a schema', async () => {
    const schema = z.object({ litres: z.number() });
    const clerk = agent({ name: 'clerk', output: schema, model: scriptedModel(['{ "litres": 5 }']) });
    const model = asLanguageModel(clerk);
    const { output, warnings } = await generateText({
      model,
      prompt: 'How much?',
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ litres: 5 });
    expect(warnings).toEqual([]);
  });

  test('a team answers, too, and a middleware wraps it', async () => {
    const say = (name: string, text: string) => agent({ name, model: scriptedModel([text]) });
    const team = pipeline({
      name: 'desk',
      stages: [say('first', 'a draft'), say('second', '<think>hm</think>final')],
    });
    const model = wrapLanguageModel({
      model: asLanguageModel(team),
      middleware: extractReasoningMiddleware({ tagName: 'think' }),
    });
    const { text, reasoningText } = await generateText({ model, prompt: 'Write.' });
    expect([text, reasoningText]).toEqual(['final', 'hm']);
  });

  test('media of earlier messages are in the history, those that an agent made and those that it was given', async () => {
    const pixel = Buffer.from(PIXEL, 'base64');
    const shown: string[] = [];
    const painter = agent({
      name: 'painter',
      model: {
        provider: 'example',
        id: 'eye',
        takes: { media: ['image/*'] },
        answer: async ({ messages }, { bytesOf }) => {
          for (const { role, text, parts = [] } of messages)
            for (const part of parts) {
              if (!('hash' in part)) continue;
              const isPixel = pixel.equals((await bytesOf?.(part)) ?? Buffer.alloc(0));
              shown.push(`${role} '${text}': ${part.mediaType}, ${isPixel ? 'the pixel' : 'other bytes'}`);
            }
          return modelAnswer({ text: 'A pixel.' });
        },
      },
    });
    const { warnings } = await generateText({
      model: asLanguageModel(painter),
      messages: [
        { role: 'user', content: [{ type: 'image', image: pixel }] },
        { role: 'assistant', content: [{ type: 'file', data: PIXEL, mediaType: 'image/png' }] },
        { role: 'user', content: 'What did you draw?' },
      ],
    });
    expect(shown).toEqual([
      "user '[image image/png]': image/png, the pixel",
      "assistant '[image image/png]': image/png, the pixel",
    ]);
    expect(warnings).toEqual([]);
  });

  test("an approval of the app's tools is a warning, as the agent waits for a person of its own", async () => {
    const { warnings } = await asLanguageModel(gardener('Done.')).doGenerate({
      prompt: [
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: '1', toolName: 'mow', input: {} }],
        },
        { role: 'tool', content: [{ type: 'tool-approval-response' }] },
        { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
      ],
    });
    expect(warnings).toEqual([
      {
        type: 'unsupported',
        feature: 'toolApproval',
        details:
          'its calls wait for the `person` of the run: answer there, or by `answerRequest` of its store',
      },
    ]);
  });

  test('what a run does not take is a warning', async () => {
    const { warnings } = await generateText({
      model: asLanguageModel(gardener('Done.')),
      system: 'Be brief.',
      prompt: 'Tend it.',
      temperature: 0,
      tools: { look: aiTool({ inputSchema: jsonSchema({ type: 'object' }) }) },
    });
    expect(warnings?.map((each) => (each.type === 'unsupported' ? each.feature : each.type))).toEqual([
      'system',
      'temperature',
      'tools',
    ]);
  });

  test('a failure before anything was done is tried again, and one after a tool is not', async () => {
    let asked = 0;
    const failing = (code: 'model.auth' | 'model.unavailable', before = 0) =>
      agent({
        name: 'failing',
        tools: [water],
        failures: { retry: { attempts: 1 } },
        model: {
          provider: 'example',
          id: 'down',
          answer: (request, call) => {
            asked += 1;
            if (asked <= before) return scriptedModel([watering]).answer(request, call);
            throw new TroupeError(code, 'Cannot answer as it is down: 503', {
              retryable: code === 'model.auth' ? 'no' : 'yes',
              retryAfterMs: 1,
            });
          },
        },
      });
    const attempt = async (it: ReturnType<typeof failing>) => {
      asked = 0;
      const error: unknown = await generateText({
        model: asLanguageModel(it),
        prompt: 'Go.',
        maxRetries: 1,
      }).catch((thrown: unknown) => thrown);
      return { error, asked };
    };
    const [down, closed, acted] = [
      await attempt(failing('model.unavailable')),
      await attempt(failing('model.auth')),
      await attempt(failing('model.unavailable', 1)),
    ];
    expect([down.asked, closed.asked, acted.asked]).toEqual([2, 1, 2]);
    expect(APICallError.isInstance(closed.error) && isTroupeError(closed.error, 'model.auth')).toBe(true);
  });

  test('an abort ends the stream with a part that says so', async () => {
    const controller = new AbortController();
    const slow = agent({
      name: 'slow',
      model: {
        provider: 'example',
        id: 'slow',
        answer: (_, { delta }) => {
          delta({ type: 'text', text: 'Once upon' });
          return new Promise(() => {});
        },
      },
    });
    const result = streamText({
      model: asLanguageModel(slow),
      prompt: 'Go.',
      abortSignal: controller.signal,
    });
    const types: string[] = [];
    for await (const part of result.fullStream) {
      types.push(part.type);
      if (part.type === 'text-delta') controller.abort();
    }
    expect(types.at(-1)).toBe('abort');
  });
});
