import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  act,
  agent,
  answer,
  fork,
  replay,
  resume,
  tool,
  type LiveEvent,
  type RunHandle,
  type RunResult,
} from 'troupe';
import { ndjson, publishTo, recorder, sseResponse } from 'troupe/inspect';
import { notesMemory, threads } from 'troupe/memory';
import { openai, type Model, type ModelRequest } from 'troupe/models';
import { memoryStore } from 'troupe/stores';
import { scriptedModel } from 'troupe/testing';
import { emptyHistory, HistoryView } from '../../src/base/collections/history.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';

const KEY = 'shop-4217-Zx81-key';
const ENCODED = Buffer.from(`id:${KEY}`).toString('base64');
const NAMES = ['SHOP_API_KEY', 'OTHER_TOKEN', 'ANOTHER_SECRET'];

beforeEach(() => {
  process.env['SHOP_API_KEY'] = KEY;
});
afterEach(() => {
  // In place: whoever stubs variables in another test has this very object.
  for (const name of NAMES) delete process.env[name];
});

/** A model that says what is in the script, and what it was asked. */
const heard = (script: Parameters<typeof scriptedModel>[0]): { model: Model; requests: string[] } => {
  const requests: string[] = [];
  const inner = scriptedModel(script);
  const answer: Model['answer'] = (request: ModelRequest, call) => {
    requests.push(JSON.stringify([...request.messages]));
    return inner.answer(request, call);
  };
  return { model: { ...inner, provider: inner.provider, id: inner.id, answer }, requests };
};

const shop = tool({
  name: 'shop',
  description: 'Asks the shop.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => {
    if (text === 'fail')
      throw new Error(`401 for ${KEY} at https://ada:hunter22@shop.example`, { cause: new Error(KEY) });
    return `found ${KEY}`;
  },
});

const failed = async (run: Promise<RunResult>): Promise<{ error: Error; result: RunResult }> => {
  const error = await run.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown as Error,
  );
  return { error, result: Reflect.get(error, 'result') as RunResult };
};

describe('a key of the environment', () => {
  test('[FIND-34] [TENEX-85] is neither in the events nor in the next request where a tool fails with it', async () => {
    const { model, requests } = heard([
      { calls: [{ id: 'a', name: 'shop', input: { text: 'fail' } }] },
      'Sorry.',
    ]);
    const clerk = agent({ name: 'clerk', model, tools: [shop] });
    const result = await clerk.run('Buy.');
    for (const told of [
      JSON.stringify(result.events),
      JSON.stringify(result.records),
      JSON.stringify(result.effects),
    ]) {
      expect(told).not.toContain(KEY);
      expect(told).not.toContain('hunter22');
      expect(told).toContain('[redacted SHOP_API_KEY]');
    }
    expect(requests[1]).toContain('[redacted SHOP_API_KEY]');
    expect(requests[1]).not.toContain(KEY);
  });

  test('[FIND-29] is nowhere in the error of a model that echoes it, nor are keys that only look like one', async () => {
    const look = `gsk_${'a1B2c3D4'.repeat(5)}`;
    const model: Model = {
      ...scriptedModel([]),
      provider: 'echo',
      id: 'echo',
      answer: () => {
        const inner = new Error(`Incorrect API key provided: ${KEY}, ${look}, Bearer abcdef0123456789`);
        throw Object.assign(new Error(`401 ${KEY} ${look}`, { cause: inner }), { status: 401 });
      },
    };
    const { error, result } = await failed(agent({ name: 'clerk', model }).run('Hello'));
    const told = JSON.stringify([result.events, result.error, error, error.message, messagesOf(error)]);
    expect(told).toContain('[redacted SHOP_API_KEY]');
    for (const secret of [KEY, look, 'abcdef0123456789']) expect(told).not.toContain(secret);
  });

  test('[FIND-52] [KAIZEN-85] is redacted in all events, also encoded, while tools and the caller get what they need', async () => {
    const inputs: string[] = [];
    const echo = tool({
      name: 'echo',
      description: 'Says it again.',
      input: z.object({ text: z.string() }),
      execute: ({ text }) => {
        inputs.push(text);
        return text;
      },
    });
    const said = `${KEY} ${encodeURIComponent(`a ${KEY}`)} ${ENCODED}`;
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'echo', input: { text: said } }] }, KEY]);
    const seen: LiveEvent[] = [];
    const hook = { name: 'seen', handle: (event: LiveEvent) => void seen.push(event) };
    const result = await agent({ name: 'clerk', model, tools: [echo] }).run(said, { hooks: [hook] });
    expect(inputs).toEqual([said]);
    expect(result.output).toBe(KEY);
    for (const told of [JSON.stringify(seen), JSON.stringify(result.events)]) {
      expect(told).not.toContain(KEY);
      expect(told).not.toContain(ENCODED);
    }
  });

  test('[FIND-52] that is given to a run is redacted, too', async () => {
    const result = await agent({ name: 'clerk', model: scriptedModel(['my-own-secret!']) }).run(
      'my-own-secret!',
      {
        secrets: { VAULT: 'my-own-secret!' },
      },
    );
    expect(JSON.stringify(result.events)).not.toContain('my-own-secret!');
    expect(JSON.stringify(result.events)).toContain('[redacted VAULT]');
    expect(result.output).toBe('my-own-secret!');
  });
});

describe('what is kept beside a run', () => {
  test('[FIND-52] threads and notes have no secret that was said in it', async () => {
    const kept = new Map<string, string>();
    const files: KeyValueFiles = {
      read: async (name) => kept.get(name),
      write: async (name, text) => void kept.set(name, text),
      append: async (name, text) => void kept.set(name, `${kept.get(name) ?? ''}${text}`),
      remove: async (name) => void kept.delete(name),
      names: async () => [...kept.keys()],
    };
    const clerk = agent({
      name: 'clerk',
      model: scriptedModel([`It is ${KEY}, and password = "hunter2-hunter2".`]),
      memory: notesMemory({ files }),
    });
    await clerk.run(`The key is ${KEY}`, { thread: 'ada', threads: threads(files) });
    const all = JSON.stringify([...kept]);
    expect(kept.size).toBeGreaterThan(2);
    expect(all).toContain('[redacted SHOP_API_KEY]');
    expect(all).not.toContain(KEY);
    expect(all).not.toContain('hunter2-hunter2');
  });
});

describe('a model that says a key in pieces', () => {
  const pieces = (text: string, size: number): readonly string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
  const sayer = (text: string, size: number): Model => ({
    ...scriptedModel([]),
    provider: 'pieces',
    id: 'pieces',
    answer: (_request, call) => {
      for (const piece of pieces(text, size)) call.delta({ type: 'text', text: piece });
      return { text, calls: [], finish: 'stop', usage: { input: 1, output: 1 } };
    },
  });
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
  const said = `Take ${KEY} or ${token} with password: "hunter2-hunter2" at https://ada:hunter22@shop.example/x, and see.`;
  const shown =
    'Take [redacted SHOP_API_KEY] or [redacted key] with password: "[redacted secret]" at https://[redacted credentials]@shop.example/x, and see.';

  test('[FIND-52] shows none of it to an observer, however it is cut', async () => {
    for (const size of [1, 2, 3, 5, 8, 13, 1_000]) {
      const handle = agent({ name: 'clerk', model: sayer(said, size) }).stream('go');
      const seen: string[] = [];
      handle.events$.subscribe((event) => {
        if (event.type === 'model.delta' && event.delta.type === 'text') seen.push(event.delta.text);
      });
      await handle.result;
      // What keys of a kind begin with is no secret, and need not wait.
      expect(seen.join('').replace(/gh?p?_?(?=\[redacted key)/, ''), `in pieces of ${size}`).toBe(shown);
    }
  });

  test('[FIND-52] [KAIZEN-85] shows none of it in the inspector and in what is published', async () => {
    const record = recorder();
    const lines: string[] = [];
    record.recording.follow({ entry: (line) => lines.push(line), delta: (line) => lines.push(line) });
    const published: string[] = [];
    const hook = publishTo({
      name: 'chat',
      publish: async ({ publications }) => void published.push(JSON.stringify(publications)),
    });
    const result = await agent({ name: 'clerk', model: sayer(said, 4) }).run('go', {
      inspect: record,
      hooks: [hook],
    });
    expect(result.output).toBe(said);
    for (const told of [lines.join('\n'), published.join('\n')]) {
      expect(told).toContain('[redacted SHOP_API_KEY]');
      for (const secret of [KEY, token, 'hunter2', KEY.slice(0, 9), token.slice(0, 14)])
        expect(told).not.toContain(secret);
    }
  });

  test('[FIND-37] is streamed where there is no process', async () => {
    const handle = agent({ name: 'clerk', model: sayer('Hello.', 2) }).stream('go');
    vi.stubGlobal('process', undefined);
    let response: Response;
    let lines: Response;
    try {
      response = sseResponse(handle);
      lines = new Response(ndjson(handle));
    } finally {
      vi.unstubAllGlobals();
    }
    expect(await response.text()).toContain('Hello.');
    expect(await lines.text()).toContain('Hello.');
  });
});

describe('a stored run with a key of the environment in it', () => {
  const inputs: string[] = [];
  const spend = tool({
    name: 'spend',
    description: 'Spends.',
    input: z.object({ key: z.string() }),
    safety: 'write',
    approval: true,
    execute: ({ key }) => {
      inputs.push(key);
      return `spent with ${key}`;
    },
  });
  const clerk = () =>
    agent({
      name: 'clerk',
      decide: ({ step }) =>
        step === 0
          ? act({ name: 'spend', input: { key: `Basic ${ENCODED} ${KEY}` } })
          : answer(`Done ${KEY}.`),
      tools: [spend],
    });
  const rowsIn = (store: ReturnType<typeof memoryStore>): string =>
    JSON.stringify([store.read('r'), store.letters('r')]);

  /** A run that waits for a yes, suspended: as after a crash. */
  const suspended = async () => {
    inputs.length = 0;
    const store = memoryStore();
    const handle = clerk().stream(`Spend ${KEY}`, { store, runId: 'r' });
    for await (const event of handle) if (event.type === 'tool.approval-requested') break;
    await handle.suspend();
    // Its lease is given back.
    await new Promise(setImmediate);
    return store;
  };

  test('[FIND-52] calls its tool with the real value when it is resumed, and has it in no row', async () => {
    const store = await suspended();
    expect(rowsIn(store)).not.toContain(KEY);
    expect(rowsIn(store)).not.toContain(ENCODED.slice(4, -4));
    const handle = await resume(clerk(), 'r', { store });
    await approveAll(handle);
    const result = await handle.result;
    expect(inputs).toEqual([`Basic ${ENCODED} ${KEY}`]);
    expect(result.output).toBe(`Done ${KEY}.`);
    expect(rowsIn(store)).not.toContain(KEY);
    expect(JSON.stringify(result.events)).not.toContain(KEY);
    const replayed = await replay(clerk(), 'r', { store });
    expect(replayed.events).toEqual(result.events);
    expect(replayed.result?.output).toBe(`Done ${KEY}.`);
  });

  test('[FIND-52] is held where the variable is not there, and can be read all the same', async () => {
    const store = await suspended();
    delete process.env['SHOP_API_KEY'];
    const refused = resume(clerk(), 'r', { store });
    await expect(refused).rejects.toMatchObject({
      code: 'secret.missing',
      message: expect.stringContaining('SHOP_API_KEY'),
    });
    await expect(fork(clerk(), 'r', { store })).rejects.toMatchObject({ code: 'secret.missing' });
    expect(inputs).toEqual([]);
    const { events } = await replay(clerk(), 'r', { store });
    expect(JSON.stringify(events)).toContain('[redacted SHOP_API_KEY]');
    const handle = await resume(clerk(), 'r', { store, secrets: { SHOP_API_KEY: KEY } });
    await approveAll(handle);
    await handle.result;
    expect(inputs).toEqual([`Basic ${ENCODED} ${KEY}`]);
  });

  test('[FIND-52] replays event by event where other secrets are known', async () => {
    const store = await suspended();
    const { events } = await replay(clerk(), 'r', { store });
    process.env['OTHER_TOKEN'] = KEY;
    process.env['ANOTHER_SECRET'] = 'spend-and-more';
    expect((await replay(clerk(), 'r', { store })).events).toEqual(events);
    process.env['SHOP_API_KEY'] = 'quite-another-one';
    expect((await replay(clerk(), 'r', { store })).events).toEqual(events);
  });
});

const approveAll = async (handle: RunHandle): Promise<void> => {
  for await (const event of handle)
    if (event.type === 'tool.approval-requested') handle.approve(event.callId);
};

const messagesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];

describe('a key that only its model was given', () => {
  const apiKey = 'plain-words-and-0042';
  const refusing = () =>
    openai('gpt-5.5', {
      apiKey,
      fetch: async () => {
        const error = { message: `Incorrect API key provided: ${apiKey}`, code: 'invalid_api_key' };
        return Response.json({ error }, { status: 401 });
      },
    });

  test('[FIND-29] is told nowhere where the provider echoes it', async () => {
    const { error, result } = await failed(agent({ name: 'clerk', model: refusing() }).run('Hello'));
    const told = JSON.stringify([result.events, result.effects, error, messagesOf(error)]);
    expect(told).toContain('[redacted openai:gpt-5.5 apiKey]');
    expect(told).not.toContain(apiKey);
  });

  test('[FIND-52] is in no row of a stored run, which goes on where the model is given again', async () => {
    const store = memoryStore();
    const { error } = await failed(
      agent({ name: 'clerk', model: refusing() }).run(`Use ${apiKey}`, { store, runId: 'r' }),
    );
    expect(error).toMatchObject({ code: 'model.auth' });
    expect(JSON.stringify([store.read('r'), store.entry('r')])).not.toContain(apiKey);
    const { events } = await replay(agent({ name: 'clerk', model: refusing() }), 'r', { store });
    expect(events.length).toBeGreaterThan(3);
    await expect(
      resume(agent({ name: 'clerk', model: scriptedModel([]) }), 'r', { store }),
    ).rejects.toMatchObject({
      code: 'secret.missing',
      message: expect.stringContaining('openai:gpt-5.5 apiKey'),
    });
  });
});

test('[FIND-29] a model that is asked outside of a run tells no key that it was echoed', async () => {
  const looks = [`gsk_${'a1B2c3D4'.repeat(5)}`, `AIza${'Sy1b'.repeat(9)}`, 'Bearer abcdef0123456789'];
  const model = openai('gpt-5.5', {
    apiKey: 'any',
    fetch: async () => Response.json({ error: { message: `No: ${looks.join(', ')}` } }, { status: 401 }),
  });
  const call = { key: 'k', signal: new AbortController().signal, delta: () => undefined, isWatched: false };
  const request = { instructions: '', messages: new HistoryView<Turn>(emptyHistory()), tools: [] };
  const asked = Promise.resolve(model.answer(request, call));
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'model.auth', message: expect.stringContaining('[redacted key]') });
  for (const look of looks) expect(String(error)).not.toContain(look.slice(7));
});
