import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { answerRequest } from '../../../src/runtime/journal/letters/requests.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { asLanguageModel } from '../../../src/runtime/ai-sdk/as-language-model.ts';
import { ModelFold } from '../../../src/runtime/ai-sdk/model-fold.ts';
import type { StreamedPart } from '../../../src/runtime/ai-sdk/model-part.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { isTroupeError, TroupeError } from '../../../src/contracts/errors/error.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { sized } from '../../support/thorough.ts';

const water = tool({
  name: 'water',
  description: 'Waters the garden.',
  input: z.object({ litres: z.number() }),
  execute: ({ litres }) => {
    if (litres < 0) throw new Error('That would be a well.');
    return `Watered with ${litres} litres.`;
  },
});
const flood = tool({
  name: 'flood',
  description: 'Floods the garden.',
  safety: 'danger',
  input: z.object({}),
  execute: () => 'Flooded.',
});

type Script = Parameters<typeof scriptedModel>[0];

const gardener = (script: Script) =>
  agent({ name: 'gardener', tools: [water, flood], model: scriptedModel(script) });

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;
const call = { prompt: [user('Tend the garden.')] };

const read = async (stream: ReadableStream<StreamedPart>): Promise<StreamedPart[]> => {
  const parts: StreamedPart[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value);
  }
};

/** The texts of a stream, block by block. */
const textsIn = (parts: readonly StreamedPart[]): readonly string[] => {
  const texts = new Map<string, string>();
  for (const part of parts)
    if (part.type === 'text-delta') texts.set(part.id, (texts.get(part.id) ?? '') + part.delta);
  return [...texts.values()];
};

/** Breaches of the protocol of a stream, and all that is left open. */
const problemsOf = (parts: readonly StreamedPart[]): readonly string[] => {
  const problems: string[] = [];
  const open = new Set<string>();
  const opened = (id: string): void => {
    if (open.has(id)) problems.push(`${id} begins twice`);
    open.add(id);
  };
  for (const part of parts) {
    if (part.type === 'tool-call') opened(part.toolCallId);
    if (part.type === 'text-start' || part.type === 'reasoning-start') opened(part.id);
    const isDelta = part.type === 'text-delta' || part.type === 'reasoning-delta';
    if (isDelta && !open.has(part.id)) problems.push(`${part.id} grows while it is closed`);
    const isEnd = part.type === 'text-end' || part.type === 'reasoning-end';
    if (isEnd && !open.delete(part.id)) problems.push(`${part.id} ends while it is closed`);
    if (part.type === 'tool-result' && !open.delete(part.toolCallId))
      problems.push(`${part.toolCallId} has a result and waits for none`);
  }
  return [...problems, ...open];
};

const thrownBy = async (work: () => PromiseLike<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

/** A model that writes, and never ends. */
const endless = (words = 1): Model & { readonly isAborted: () => boolean } => {
  let isAborted = false;
  return {
    provider: 'example',
    id: 'endless',
    isAborted: () => isAborted,
    answer: (_, { delta, signal }) => {
      signal.addEventListener('abort', () => (isAborted = true));
      for (let word = 0; word < words; word += 1) delta({ type: 'text', text: 'word ' });
      return new Promise(() => {});
    },
  };
};

const unknown = calls({ name: 'nothing', input: {} });

const aStep = fc.oneof(
  fc.integer({ min: -2, max: 9 }).map((litres) => calls({ name: 'water', input: { litres } })),
  fc.constant(calls({ name: 'water', input: { litres: 1 } }, { name: 'water', input: { litres: 2 } })),
  fc.constant(unknown),
);

/** A third call of a tool that there is not would fail the run. */
const someSteps = fc
  .array(aStep, { maxLength: 4 })
  .filter((steps) => steps.filter((step) => step === unknown).length < 3);

describe('the parts of an answer', () => {
  test('each block is ended, each call has one result, the last is the finish, and the last text is the output', () =>
    fc.assert(
      fc.asyncProperty(
        someSteps,
        fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
        async (steps, last) => {
          const whole = await asLanguageModel(gardener([...steps, last])).doGenerate(call);
          const { stream } = await asLanguageModel(gardener([...steps, last])).doStream(call);
          const parts = await read(stream);
          expect(problemsOf(parts)).toEqual([]);
          expect(parts[0]?.type).toBe('stream-start');
          expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1);
          expect(parts.at(-1)?.type).toBe('finish');
          const { output } = await gardener([...steps, last]).run('Tend the garden.');
          expect(textsIn(parts).at(-1)).toBe(output);
          expect(whole.content.filter(({ type }) => type === 'text')).toEqual([
            { type: 'text', text: output },
          ]);
        },
      ),
      { numRuns: sized(15, 1_000) },
    ));

  test('the end of a run that a limit ended is said, with its last text', async () => {
    const { content, finishReason, providerMetadata } = await asLanguageModel(
      agent({
        name: 'gardener',
        tools: [water],
        limits: { budget: { steps: 1 } },
        model: scriptedModel([calls({ name: 'water', input: { litres: 1 } }), 'Done.']),
      }),
    ).doGenerate(call);
    expect(finishReason).toEqual({ unified: 'length', raw: 'budget' });
    expect(providerMetadata.troupe).toMatchObject({ status: 'stopped' });
    expect(content.map(({ type }) => type)).toEqual(['tool-call', 'tool-result']);
  });
});

describe('the end of a call', () => {
  test('an abort aborts the run, and its reason is what the call rejects with', async () => {
    const model = endless();
    const controller = new AbortController();
    const it = asLanguageModel(agent({ name: 'slow', model }));
    const { stream } = await it.doStream({ ...call, abortSignal: controller.signal });
    const parts = read(stream);
    controller.abort(new Error('enough'));
    await expect(parts).rejects.toThrow('enough');
    expect(model.isAborted()).toBe(true);
    await expect(it.doGenerate({ ...call, abortSignal: controller.signal })).rejects.toThrow('enough');
  });

  test('a stream that is cancelled aborts the run', async () => {
    const model = endless();
    const { stream } = await asLanguageModel(agent({ name: 'slow', model })).doStream(call);
    await stream.cancel();
    await expect.poll(model.isAborted).toBe(true);
  });

  test('a slow reader misses deltas, and no text', async () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `${index} `);
    const fast: Model = {
      provider: 'example',
      id: 'fast',
      answer: async (request, asked) => {
        for (const text of words) asked.delta({ type: 'text', text });
        return scriptedModel([words.join('')]).answer(request, { ...asked, delta: () => {} });
      },
    };
    const { stream } = await asLanguageModel(agent({ name: 'fast', model: fast })).doStream(call);
    const parts = await read(stream);
    expect(parts.length).toBeLessThan(2_000);
    expect(textsIn(parts).at(-1)).toBe(words.join(''));
  });

  test('a run that fails before its first part rejects the call, and later ends the stream with an error', async () => {
    const failing = (script: Script) => asLanguageModel(gardener(script));
    expect(isTroupeError(await thrownBy(() => failing([]).doStream(call)), 'script.exhausted')).toBe(true);
    const { stream } = await failing([calls({ name: 'water', input: { litres: 1 } })]).doStream(call);
    const parts = await read(stream);
    expect(parts.slice(-2)).toMatchObject([
      { type: 'error', error: { code: 'script.exhausted' } },
      { type: 'finish', finishReason: { unified: 'error', raw: 'failed' } },
    ]);
  });

  test('the text of an answer that broke off is marked as discarded, before the error', async () => {
    const cut: Model = {
      provider: 'example',
      id: 'cut',
      answer: (_, { delta }) => {
        delta({ type: 'text', text: 'Half an ' });
        return Promise.reject(new TroupeError('model.network', 'Cannot read on', { retryable: 'yes' }));
      },
    };
    const it = asLanguageModel(agent({ name: 'cut', model: cut, failures: { retry: { attempts: 1 } } }));
    const { stream } = await it.doStream(call);
    expect((await read(stream)).slice(-3)).toMatchObject([
      { type: 'text-end', providerMetadata: { troupe: { discarded: true } } },
      { type: 'error', error: { code: 'model.network', isRetryable: true } },
      { type: 'finish', finishReason: { unified: 'error' } },
    ]);
  });

  test('a run that is aborted from elsewhere fails its call: what was said is no answer', async () => {
    const handle = agent({ name: 'slow', model: endless() }).stream('Tend the garden.');
    const fold = new ModelFold('slow', true);
    const parts: StreamedPart[] = [];
    for await (const event of handle) {
      parts.push(...fold.take(event));
      if (event.type === 'model.delta') handle.abort('enough');
    }
    expect(parts.slice(-2)).toMatchObject([
      { type: 'error', error: { code: 'run.aborted' } },
      { type: 'finish', finishReason: { raw: 'aborted' } },
    ]);
  });

  test('only failed calls of models are marked for the AI SDK, as retryable if nothing was done and another id is free', async () => {
    const down: Model = {
      provider: 'example',
      id: 'down',
      answer: () => {
        throw new TroupeError('model.unavailable', 'Cannot answer as it is down: 503', { retryable: 'yes' });
      },
    };
    const it = asLanguageModel(agent({ name: 'down', model: down, failures: { retry: { attempts: 1 } } }));
    const isRetryable = async (troupe: object) => {
      const thrown = await thrownBy(() => it.doGenerate({ ...call, providerOptions: { troupe } }));
      return Reflect.get(Object(thrown), 'isRetryable');
    };
    expect([await isRetryable({}), await isRetryable({ runId: 'mine' })]).toEqual([true, false]);
  });
});

describe('a run that would wait for a person', () => {
  const script = [calls({ name: 'flood', input: {} }), 'It is a lake now.'];

  test('is aborted without a store, and the error has the request', async () => {
    const thrown = await thrownBy(() => asLanguageModel(gardener(script)).doGenerate(call));
    if (!isTroupeError(thrown, 'run.aborted')) throw thrown;
    expect(thrown.data.details).toMatchObject({ requests: [{ kind: 'approval', tool: 'flood' }] });
  });

  test('is suspended with a store, and continues once it is answered', async () => {
    const store = memoryStore();
    const { stream } = await asLanguageModel(gardener(script), { store }).doStream({
      ...call,
      providerOptions: { troupe: { runId: 'r1' } },
    });
    const parts = await read(stream);
    expect(parts.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool-call', 'tool-result', 'error', 'finish']),
    );
    const error = parts.flatMap((part) => (part.type === 'error' ? [part.error] : []))[0];
    if (!isTroupeError(error, 'run.suspended')) throw new Error('It is not suspended.', { cause: error });
    const details = z
      .object({ requests: z.array(z.object({ id: z.string() })).length(1) })
      .parse(error.data.details);
    for (const request of details.requests) await answerRequest(store, 'r1', { id: request.id, yes: true });
    const handle = await resume(gardener(['It is a lake now.']), 'r1', { store });
    expect((await handle.result).output).toBe('It is a lake now.');
  });

  test('goes on with a person that answers', async () => {
    const person = { approve: () => true };
    const { content } = await asLanguageModel(gardener(script), { person }).doGenerate(call);
    expect(content.at(-1)).toEqual({ type: 'text', text: 'It is a lake now.' });
  });
});

describe('the prompt of a call', () => {
  const sent = async (prompt: Parameters<ReturnType<typeof asLanguageModel>['doGenerate']>[0]['prompt']) => {
    const model = scriptedModel(['Done.']);
    await asLanguageModel(agent({ name: 'clerk', model })).doGenerate({ prompt });
    return model.requests[0]?.messages;
  };

  test('is what the model of the agent is sent, each call with its result, media as media', async () => {
    const messages = await sent([
      user('Hello'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 1 } },
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            output: { type: 'json', value: { is: 2 } },
          },
          { type: 'text', text: 'It is 2.' },
          { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'look',
            output: { type: 'error-text', value: 'dark' },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'file', mediaType: 'image/*', data: PIXEL },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'A pixel.' }] },
      user('Thanks'),
    ]);
    expect(messages).toMatchObject([
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'I look.', reasoning: 'Hm.', calls: [{ id: 'a', input: { at: 1 } }] },
      { role: 'tool', callId: 'a', text: '{"is":2}' },
      { role: 'assistant', text: 'It is 2.', calls: [{ id: 'b' }, { id: 'c' }] },
      { role: 'tool', callId: 'b', text: 'dark', failed: true },
      { role: 'tool', callId: 'c', failed: true },
      { role: 'user', parts: [{ type: 'text' }, { type: 'image', mediaType: 'image/png' }] },
      { role: 'assistant', text: 'A pixel.' },
      { role: 'user', text: 'Thanks' },
    ]);
  });

  test('ends with the message of the user, or the call is refused', async () => {
    const thrown = await thrownBy(() => sent([user('Hello'), { role: 'assistant', content: [] }]));
    expect(isTroupeError(thrown, 'input.invalid')).toBe(true);
  });

  test('is read as JSON where the input is not text, and refused if it does not fit', async () => {
    const adder = agent({
      name: 'adder',
      input: z.object({ a: z.number(), b: z.number() }),
      decide: ({ input }) => answer(String(input.a + input.b)),
    });
    const ask = (text: string) => asLanguageModel(adder).doGenerate({ prompt: [user(text)] });
    expect((await ask('{"a": 1, "b": 2}')).content).toEqual([{ type: 'text', text: '3' }]);
    expect(isTroupeError(await thrownBy(() => ask('one and two')), 'input.invalid')).toBe(true);
  });
});

describe('what a call and its options say', () => {
  test('each feature that a run does not take is one warning, and nothing else is', async () => {
    const { warnings } = await asLanguageModel(gardener(['Done.'])).doGenerate({
      prompt: [{ role: 'system', content: 'Be brief.' }, user('Go.')],
      temperature: 0,
      stopSequences: ['x'],
      seed: 1,
      responseFormat: { type: 'json' },
      tools: [{ name: 'look' }],
      toolChoice: { type: 'required' },
      headers: { 'user-agent': 'ai', 'x-mine': '1' },
      includeRawChunks: true,
    });
    expect(warnings.map(({ feature }) => feature)).toEqual([
      'system',
      'temperature',
      'stopSequences',
      'seed',
      'tools',
      'toolChoice',
      'responseFormat',
      'headers',
      'includeRawChunks',
    ]);
    const plain = { ...call, headers: { 'user-agent': 'ai' }, toolChoice: { type: 'auto' } } as const;
    expect((await asLanguageModel(gardener(['Done.'])).doGenerate(plain)).warnings).toEqual([]);
  });

  test('options of one call are those of its run', async () => {
    const { providerMetadata, response } = await asLanguageModel(gardener(['Done.'])).doGenerate({
      ...call,
      providerOptions: { troupe: { runId: 'mine' }, openai: { user: 'me' } },
    });
    expect([providerMetadata.troupe['runId'], response.id, response.modelId]).toEqual([
      'mine',
      'mine',
      'gardener',
    ]);
  });

  test('unknown options are refused, with the nearest name', async () => {
    // @ts-expect-error -- as JavaScript callers may write it
    expect(() => asLanguageModel(gardener([]), { stor: memoryStore() })).toThrow('did you mean `store`');
    const it = asLanguageModel(gardener([]));
    const troupe = { runid: 'r' };
    await expect(it.doGenerate({ ...call, providerOptions: { troupe } })).rejects.toThrow(
      'did you mean `runId`',
    );
    expect(() => asLanguageModel({ ...gardener([]) })).toThrow('was not made by agent()');
  });
});

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
