import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ask, question, transcript, weather } from '../support/ask-model.ts';
import { runWithout } from '../support/cut-calls.ts';
import { event, type MockProvider, mockProvider, type Reply } from '../support/mock-provider.ts';
import { geminiStreams, PIXEL, SIGNATURE, USAGE } from './gemini-streams.ts';

const gemini = ({ url }: MockProvider, id = 'gemini-3-pro-preview') =>
  aiSdk(createGoogleGenerativeAI({ apiKey: 'k', baseURL: url })(id));

const streams = (chunks: readonly object[], ending: Reply['ending'] = 'end'): Reply => ({
  pieces: chunks.map((each) => event(each)),
  ending,
});

const request = question({ tools: [weather] });

const answerTo = async (reply: Reply): Promise<ModelAnswer> => {
  await using provider = await mockProvider(reply);
  return await ask(gemini(provider), request).answer;
};

const words = (text: string) =>
  streams([{ candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] }]);

describe.each(geminiStreams)('$what', (recorded) => {
  it('is read', async () => {
    const { text, reasoning, calls, providerCalls, media, finish, usage, metadata } = await answerTo(
      streams(recorded.chunks),
    );
    expect({ text, reasoning, finish, usage }).toEqual({
      text: recorded.text ?? '',
      reasoning: recorded.reasoning,
      finish: recorded.finish,
      usage: USAGE,
    });
    expect(metadata).toMatchObject({ responseId: 'vQRpaqzAPN2M9MoPxPq2uQ4' });
    expect(calls.map(({ name, input, problem }) => ({ name, input, problem }))).toEqual(
      (recorded.calls ?? []).map((call) => ({ ...call, problem: undefined })),
    );
    expect(providerCalls ?? []).toEqual(recorded.providerCalls ?? []);
    expect(media ?? []).toEqual(recorded.media ?? []);
  });

  it('goes back with the next request, signatures and bytes as they came', async () => {
    await using provider = await mockProvider(streams(recorded.chunks), words('Well.'));
    const { calls, text, replay } = await ask(gemini(provider), request).answer;
    const said = { role: 'assistant', text, replay, ...(calls.length === 0 ? {} : { calls }) } as const;
    const results = calls.map(
      ({ id, name }) => ({ role: 'tool', callId: id, tool: name, text: 'Rain.' }) as const,
    );
    const messages = transcript({ role: 'user', text: 'Weather?' }, said, ...results);
    await ask(gemini(provider), question({ ...request, messages })).answer;
    const contents = provider.requests[1]?.body['contents'] as { parts: object[] }[];
    expect(contents[1]).toEqual({ role: 'model', parts: recorded.back });
    expect(contents[2]?.parts).toHaveLength(Math.max(1, calls.length));
  });

  it('is no answer where it is cut', async () => {
    for (let end = 1; end < recorded.chunks.length; end += 1) {
      for (const ending of ['end', 'reset'] as const) {
        const cut = await answerTo(streams(recorded.chunks.slice(0, end), ending)).catch(() => undefined);
        expect(cut?.finish ?? 'other').toBe('other');
      }
    }
  });
});

describe('what Gemini ends with', () => {
  const ended = (finishReason: string, parts: readonly object[] = [{ text: 'Well' }]): Reply =>
    streams([{ candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }] }]);

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['OTHER', 'other'],
    ['A_NEW_REASON', 'other'],
  ])('%s is %s', async (reason, finish) => {
    expect((await answerTo(ended(reason))).finish).toBe(finish);
  });

  it('a prompt that it blocks is refused', async () => {
    const { finish } = await answerTo(streams([{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }]));
    expect(finish).toBe('content-filter');
  });

  it('a call that it could not read itself is a problem that the model is told of', async () => {
    const answer = await answerTo(ended('MALFORMED_FUNCTION_CALL', [{ text: 'print(weather' }]));
    expect(answer).toMatchObject({
      text: 'print(weather',
      calls: [],
      finish: 'other',
      problem: expect.stringContaining('MALFORMED_FUNCTION_CALL') as string,
    });
  });

  it.each([
    [429, 'RESOURCE_EXHAUSTED', 'model.rate-limited'],
    [503, 'UNAVAILABLE', 'model.unavailable'],
    [403, 'PERMISSION_DENIED', 'model.forbidden'],
  ])('%i %s is %s', async (status, word, code) => {
    const error = { code: status, message: 'So it is.', status: word };
    await expect(answerTo({ status, pieces: [JSON.stringify({ error })] })).rejects.toMatchObject({
      data: { code },
    });
  });
});

it('a stored run sends what Gemini made back byte for byte, and shows its picture', async () => {
  const picture = { inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: SIGNATURE };
  const first = [
    { candidates: [{ content: { parts: [picture], role: 'model' }, finishReason: 'STOP', index: 0 }] },
  ];
  await using provider = await mockProvider(streams(first), words('Done.'));
  const painter = agent({ name: 'painter', model: gemini(provider) });
  const store = memoryStore();
  const drawn = await painter.run('Draw a pixel.', { store, thread: 'one' });
  expect(drawn).toMatchObject({ status: 'completed' });
  expect(drawn.transcript.at(-1)).toMatchObject({
    parts: [{ type: 'image', mediaType: 'image/png', width: 1 }],
  });
  await painter.run('And now?', { store, thread: 'one' });
  expect(provider.requests[1]?.body['contents']).toMatchObject([{}, { role: 'model', parts: [picture] }, {}]);
});

it('a call whose signed sibling was removed goes back as one that Google lets pass', async () => {
  const parts = ['Bonn', 'Köln'].map((city, index) => ({
    functionCall: { name: 'weather', args: { city }, id: `id_${index}` },
    ...(index === 0 ? { thoughtSignature: SIGNATURE } : {}),
  }));
  const first = [{ candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0 }] }];
  const sent = async (without: readonly string[]): Promise<unknown> => {
    await using provider = await mockProvider(streams(first), words('Rain.'));
    expect(await runWithout(gemini(provider), without)).toMatchObject({ output: 'Rain.' });
    const contents = provider.requests[1]?.body['contents'] as { parts: object[] }[];
    return contents[1]?.parts;
  };
  expect(await sent(['Köln'])).toEqual([parts[0]]);
  expect(await sent(['Bonn'])).toEqual([
    { ...parts[1], thoughtSignature: 'skip_thought_signature_validator' },
  ]);
});
