import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Model, ModelCall } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Inspector } from '../../../src/inspect/local/inspect.ts';
import type { StoredFeedsSetup } from '../../../src/inspect/local/stored-feeds.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { ScriptedReply, ScriptedRequest } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { plainBlobs } from '../../content/plain-blobs.ts';
import { deferred, echo, never, ofType, quiet } from '../../support/runs.ts';
import { pixel } from './album.ts';
import { ask, askOpen, openInspector, portOf } from './local-kit.ts';

const SECRET = 'sk-much-too-secret-for-a-screen';

const price = tool({
  name: 'price',
  description: 'The price of a thing.',
  input: z.object({ thing: z.string() }),
  execute: ({ thing }) => `${thing}: 3 euros, asked with ${SECRET}`,
});

/** An agent of two calls, whose model then answers as it is told. */
const shop = (...replies: readonly ScriptedReply[]) => {
  const model = scriptedModel([
    calls({ name: 'price', input: { thing: 'tea' } }),
    'It is 3 euros.',
    ...replies,
  ]);
  const clerk = agent({
    name: 'clerk',
    instructions: `You sell things. Your key is ${SECRET}.`,
    model,
    tools: [price],
    settings: { temperature: 0.25, headers: { authorization: `Bearer ${SECRET}` } },
  });
  return { model, clerk };
};

interface Said {
  readonly status: number;
  readonly text: string;
  readonly form?: Readonly<Record<string, unknown>>;
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string };
}

const send = async (inspector: Pick<Inspector, 'url' | 'token'>, command: object): Promise<Said> => {
  const { status, text } = await askOpen(inspector, '/api/control', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return { status, text, ...(JSON.parse(text) as Omit<Said, 'status' | 'text'>) };
};

/** A run that is over, and how one of its calls is made again. */
const ended = async (replies: readonly ScriptedReply[], options: RunOptions = {}) => {
  const inspector = await openInspector({ control: true, secrets: { SHOP_KEY: SECRET } });
  const { clerk, model } = shop(...replies);
  const result = await clerk.run('What is tea?', { inspect: inspector, runId: 'r', ...options });
  const keys = ofType(result.events, 'model.asked').map(({ key }) => key);
  const again = (command: object = {}, index = 1) =>
    send(inspector, { do: 'again', run: 'r', key: keys[index], ...command });
  return { inspector, model, result, keys, again };
};

/** Waits for what happens in a turn of the event loop. */
const until = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
};

const withoutKey = (request: ScriptedRequest): object => ({ ...request, key: undefined });

test('a call that is made again sends its model what it was sent, secrets too, under a key of its own', async () => {
  const { model, again } = await ended(['It is 4 euros.', 'It costs a lot.']);
  expect(await again()).toMatchObject({
    status: 200,
    answer: { text: 'It is 4 euros.', finish: 'stop', model: 'scripted:script', costUsd: 0, calls: [] },
  });
  await again({}, 0);
  const [first, second, third, fourth] = model.requests.map(withoutKey);
  expect(JSON.stringify(second)).toContain(SECRET);
  expect(third).toEqual(second);
  expect(fourth).toEqual(first);
  expect(new Set(model.requests.map(({ key }) => key)).size).toBe(4);
});

test('what was edited is all that differs', async () => {
  const { model, again } = await ended(['Yes.', 'No.']);
  await again({ message: 'What is coffee?' });
  await again({ instructions: 'You give things away.' });
  const [, sent, third, fourth] = model.requests.map((request) => ({ ...request, key: undefined }));
  const messages = sent?.messages.map((turn) =>
    turn.role === 'user' ? { ...turn, text: 'What is coffee?' } : turn,
  );
  expect(third).toEqual({ ...sent, messages });
  expect(fourth).toEqual({ ...sent, instructions: 'You give things away.' });
});

test('a text that comes back as it was shown has its secret, and an edited one must not have its mark', async () => {
  const { inspector, keys, model, again } = await ended(['Yes.', 'Yes.']);
  const { form, text } = await send(inspector, { do: 'again-form', run: 'r', key: keys[1] });
  expect(text).not.toContain(SECRET);
  expect(form).toMatchObject({
    model: 'scripted:script',
    models: ['scripted:script'],
    message: 'What is tea?',
    instructions: expect.stringContaining('[redacted SHOP_KEY]'),
    settings: { temperature: 0.25 },
    missing: [],
  });
  expect((await again({ instructions: form?.['instructions'] })).status).toBe(200);
  expect(model.requests[2]?.instructions).toBe(model.requests[1]?.instructions);
  expect(await again({ instructions: `${String(form?.['instructions'])} Be brief.` })).toMatchObject({
    status: 400,
    error: { code: 'input.invalid', message: expect.stringContaining('[redacted SHOP_KEY]') },
  });
  expect(model.requests).toHaveLength(3);
});

test('an answer is shown with its calls, which nobody makes, and without secrets', async () => {
  const { again, model } = await ended([
    {
      ...calls({ name: 'price', input: { thing: SECRET } }),
      text: `My key is ${SECRET}`,
      usage: { input: 5, output: 2, billedUsd: 0.5 },
    },
    new Error(`The key ${SECRET} is wrong`),
  ]);
  const { answer, text } = await again();
  expect(text).not.toContain(SECRET);
  expect(answer).toMatchObject({
    text: 'My key is [redacted SHOP_KEY]',
    calls: [{ name: 'price', input: { thing: '[redacted SHOP_KEY]' } }],
    finish: 'tool-calls',
    tokens: { input: 5, output: 2 },
    costUsd: 0.5,
    firstMs: expect.any(Number),
    durationMs: expect.any(Number),
  });
  const failure = await again();
  expect(failure).toMatchObject({
    status: 409,
    error: { code: 'model.failed', message: expect.stringContaining('scripted:script') },
  });
  expect(failure.text).not.toContain(SECRET);
  expect(model.requests).toHaveLength(4);
});

test('a run in progress has no event, record or charge of a call that is made again', async () => {
  const store = memoryStore();
  const inspector = await openInspector({ control: true, store });
  const gate = deferred<string>();
  const usage = { input: 10, output: 1 };
  const model = scriptedModel([
    { ...calls({ name: 'echo', input: { text: 'a' } }), usage },
    async () => ({ text: await gate.promise, usage }),
    { text: 'apart', usage: { input: 5_000, output: 1 } },
  ]);
  const it = agent({ name: 'it', model, tools: [echo], settings: { maxOutputTokens: 10 } });
  const handle = it.stream('go', {
    inspect: inspector,
    store,
    runId: 'r',
    limits: { budget: { tokens: 1_000 } },
  });
  await until(() => model.requests.length === 2);
  await quiet();
  const copy = async () => ({
    rows: await store.read('r'),
    lines: [...inspector.recorder.recording.from()],
  });
  const before = await copy();
  const key = model.requests[0]?.key;
  expect(await send(inspector, { do: 'again', run: 'r', key })).toMatchObject({
    status: 200,
    answer: { text: 'apart', tokens: { input: 5_000, output: 1 } },
  });
  await quiet();
  expect(await copy()).toEqual(before);
  gate.resolve('done');
  const { status, totals } = await handle.result;
  expect({ status, ...totals }).toMatchObject({ status: 'completed', modelCalls: 2, inputTokens: 20 });
});

test('another model is asked by its name, of those that were chosen for the run too, with words for one that nobody knows', async () => {
  const other = scriptedModel(['I am the other.', 'Really.'], 'other');
  const inspector = await openInspector({ control: true });
  const model = scriptedModel(['Hello.']);
  const it = agent({ name: 'it', model });
  const { events } = await it.run('go', { inspect: inspector, runId: 'r', model: other });
  const [{ key } = { key: '' }] = ofType(events, 'model.asked');
  const { form } = await send(inspector, { do: 'again-form', run: 'r', key });
  expect(form).toMatchObject({ model: 'scripted:other', models: ['scripted:other', 'scripted:script'] });
  const again = (name: string) => send(inspector, { do: 'again', run: 'r', key, model: name });
  expect((await again('scripted:script')).answer).toMatchObject({ text: 'Hello.' });
  expect((await again('scripted:other')).answer).toMatchObject({ text: 'Really.' });
  expect(await again('opnai:gpt-9')).toMatchObject({
    status: 404,
    error: { code: 'model.unknown', message: expect.stringContaining("did you mean 'openai:gpt-9'") },
  });
});

test.each<[string, object, number, string, string]>([
  ['a call that the run did not make', { key: 'r/clerk#9' }, 404, 'request.unknown', 'model.asked'],
  ['a run that is not here', { run: 'other' }, 409, 'run.ended', 'store'],
  ['an empty message', { message: ' ' }, 400, 'input.invalid', 'write a message'],
  ['a misspelt edit', { mesage: 'x' }, 400, 'input.invalid', 'mesage'],
  ['too long a wait', { timeMs: 1e9 }, 400, 'input.invalid', 'timeMs'],
])('%s is refused with words', async (_, change, status, code, words) => {
  const { again, model } = await ended(['never']);
  expect(await again(change)).toMatchObject({
    status,
    error: { code, message: expect.stringContaining(words) },
  });
  expect(model.requests).toHaveLength(2);
});

test('it is refused without control, and without the token', async () => {
  const inspector = await openInspector();
  const { clerk, model } = shop('never');
  const { events } = await clerk.run('go', { inspect: inspector, runId: 'r' });
  const [{ key } = { key: '' }] = ofType(events, 'model.asked');
  for (const command of [{ do: 'again-form' }, { do: 'again' }])
    expect(await send(inspector, { ...command, run: 'r', key })).toMatchObject({
      status: 403,
      error: { message: expect.stringContaining('without control') },
    });
  const open = await ended(['never']);
  const body = JSON.stringify({ do: 'again', run: 'r', key: open.keys[0] });
  const headers = { 'content-type': 'application/json' };
  const answered = await ask(portOf(open.inspector), '/api/control', { method: 'POST', headers, body });
  expect(answered.status).toBe(403);
  expect([model.requests.length, open.model.requests.length]).toEqual([2, 2]);
});

test('a model that never answers is waited for as long as was said, by the clock of the run', async () => {
  const clock = virtualClock();
  const asked = deferred<AbortSignal>();
  const { again } = await ended(
    [
      (_, { signal }) => {
        asked.resolve(signal);
        return never();
      },
    ],
    { clock },
  );
  const said = again();
  const signal = await asked.promise;
  await clock.advance(59_999);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.aborted).toBe(true);
  expect(await said).toMatchObject({
    status: 409,
    error: { code: 'model.timeout', message: expect.stringContaining('60000 ms') },
  });
  expect(clock.pending).toBe(0);
});

test('a caller who leaves cancels the call of the model', async () => {
  const asked = deferred<AbortSignal>();
  const { inspector, keys } = await ended([
    (_, { signal }) => {
      asked.resolve(signal);
      return never();
    },
  ]);
  const leaves = new AbortController();
  const left = fetch(new URL('/api/control', inspector.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${inspector.token}` },
    body: JSON.stringify({ do: 'again', run: 'r', key: keys[1] }),
    signal: leaves.signal,
  });
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  leaves.abort();
  await expect(left).rejects.toThrow('aborted');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  expect(signal.reason).toMatchObject({ code: 'run.aborted' });
});

/** Reads the lines of a response as they come, each by `heard`. */
const linesOf = async (response: Response, heard: (line: object) => void): Promise<void> => {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of response.body ?? []) {
    const lines = (rest + decoder.decode(part as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) heard(JSON.parse(line) as object);
  }
};

/** An agent whose model answers in pieces when it is asked again, and a run of it that is over. */
const speaker = async (...turns: readonly ((call: ModelCall) => string | Promise<string>)[]) => {
  const inspector = await openInspector({ control: true, secrets: { SHOP_KEY: SECRET } });
  let asked = 0;
  const model: Model = {
    provider: 'test',
    id: 'speaks',
    answer: async (_, call) => {
      const turn = turns[asked - 1];
      asked += 1;
      return modelAnswer({ text: (await turn?.(call)) ?? 'Hello.' });
    },
  };
  const it = agent({ name: 'it', model });
  const { events } = await it.run('go', { inspect: inspector, runId: 'r' });
  const [key = ''] = ofType(events, 'model.asked').map((event) => event.key);
  return { inspector, key };
};

/** Makes a call again, and has its answer in pieces. */
const inPieces = (
  { inspector, key }: Awaited<ReturnType<typeof speaker>>,
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(new URL('/api/control', inspector.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
      authorization: `Bearer ${inspector.token}`,
    },
    body: JSON.stringify({ do: 'again', run: 'r', key }),
    signal,
  });

test('an answer arrives in pieces, text and reasoning, before it is whole, and no piece has a part of a secret', async () => {
  const gate = deferred<void>();
  const open = await speaker(async ({ delta }) => {
    delta({ type: 'reasoning', text: 'I think ' });
    delta({ type: 'reasoning', text: 'twice.' });
    delta({ type: 'text', text: 'My key is sk-much-too' });
    delta({ type: 'text', text: '-secret-for-a-screen' });
    delta({ type: 'text', text: ', and it is 4 euros, of which there are ' });
    await gate.promise;
    delta({ type: 'text', text: 'none.' });
    return `My key is ${SECRET}, and it is 4 euros, of which there are none.`;
  });
  const lines: object[] = [];
  await linesOf(await inPieces(open), (line) => {
    lines.push(line);
    if (JSON.stringify(lines).includes('4 euros')) gate.resolve();
  });
  const pieces = lines.flatMap((line) =>
    'piece' in line ? [line.piece as { type: string; text: string }] : [],
  );
  const said = (type: string): string =>
    pieces.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join('');
  expect(said('reasoning')).toBe('I think twice.');
  expect(said('text')).toBe('My key is [redacted SHOP_KEY], and it is 4 euros, of which there are none.');
  expect(JSON.stringify(lines)).not.toMatch(/sk-much|-secret-for/);
  expect(lines.at(-1)).toMatchObject({ ok: true, answer: { text: said('text'), finish: 'stop' } });
});

test('a failure after the first piece is the last line; before it, it is a response as any other', async () => {
  const open = await speaker(
    ({ delta }) => {
      delta({ type: 'text', text: 'It is a long ' });
      throw new Error(`The key ${SECRET} is wrong`);
    },
    () => {
      throw new Error('The line is down');
    },
  );
  const lines: object[] = [];
  const response = await inPieces(open);
  expect(response.status).toBe(200);
  await linesOf(response, (line) => lines.push(line));
  expect(lines.at(-1)).toMatchObject({ error: { code: 'model.failed' } });
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  const refused = await inPieces(open);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: 'model.failed' } });
});

test('a caller who leaves in the midst of an answer cancels the call of the model', async () => {
  const asked = deferred<AbortSignal>();
  const open = await speaker(({ signal, delta }) => {
    delta({ type: 'text', text: 'It is a very long answer. ' });
    asked.resolve(signal);
    return never();
  });
  const leaves = new AbortController();
  const response = await inPieces(open, leaves.signal);
  const read = linesOf(response, () => {
    leaves.abort();
  });
  await expect(read).rejects.toThrow('aborted');
  const signal = await asked.promise;
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  expect(signal.reason).toMatchObject({ code: 'run.aborted' });
});

test('an answer whose schema has secret fields is shown as a whole', async () => {
  const inspector = await openInspector({ control: true });
  const output = z.object({ pin: z.string().meta({ writeOnly: true }) });
  // It streams what it says as one piece.
  const model = scriptedModel(['{"pin":"4711-0815"}', '{"pin":"4711-0816"}']);
  const it = agent({ name: 'it', model, output });
  const { events } = await it.run('go', { inspect: inspector, runId: 'r' });
  const [key = ''] = ofType(events, 'model.asked').map((event) => event.key);
  const response = await inPieces({ inspector, key });
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toMatchObject({ ok: true });
});

test('two calls are made again at once, and no third until one is over', async () => {
  const gates = [deferred<string>(), deferred<string>()];
  const { again, model } = await ended([
    () => gates[0]?.promise ?? '',
    () => gates[1]?.promise ?? '',
    'third',
  ]);
  const both = [again(), again()];
  await until(() => model.requests.length === 4);
  expect(await again()).toMatchObject({ status: 409, error: { code: 'resource.busy' } });
  for (const gate of gates) gate.resolve('done');
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await again()).toMatchObject({ answer: { text: 'third' } });
});

test('a call of a stored run is made again by the agent that the inspector was given', async () => {
  const store = memoryStore();
  const first = shop();
  const { events } = await first.clerk.run('What is tea?', { store, runId: 'r' });
  const rows = await store.read('r');
  const keys = ofType(events, 'model.asked').map(({ key }) => key);
  const model = scriptedModel(['It is 5 euros.']);
  const clerk: NonNullable<StoredFeedsSetup['agents']> = [
    agent({
      name: 'clerk',
      instructions: `You sell things. Your key is ${SECRET}.`,
      model,
      tools: [price],
      settings: { temperature: 0.25, headers: { authorization: `Bearer ${SECRET}` } },
    }),
  ];
  const command = { do: 'again', run: 'r', key: keys[1] };
  expect(await send(await openInspector({ control: true, store, agents: clerk }), command)).toMatchObject({
    status: 200,
    answer: { text: 'It is 5 euros.' },
  });
  expect(withoutKey(model.requests[0] as ScriptedRequest)).toEqual(
    withoutKey(first.model.requests[1] as ScriptedRequest),
  );
  expect(await store.read('r')).toEqual(rows);
  expect(await send(await openInspector({ control: true, store }), command)).toMatchObject({
    status: 404,
    error: { code: 'agent.unknown', message: expect.stringContaining('`agents`') },
  });
});

/** A model that reads the bytes of what it is shown. */
const reader = (id: string, takes: Model['takes']): Model => ({
  provider: 'test',
  id,
  takes,
  answer: async ({ messages }, { bytesOf }) => {
    const [part] = messages.at(0)?.parts?.filter(({ type }) => type === 'image') ?? [];
    if (part === undefined || !('hash' in part) || bytesOf === undefined)
      return modelAnswer({ text: 'none' });
    return modelAnswer({ text: `${(await bytesOf(part)).byteLength} bytes, ${messages.at(0)?.text ?? ''}` });
  },
});

test('media are sent again by their hash, are left where they are by an edit, and refused for a model that takes none', async () => {
  const inspector = await openInspector({ control: true });
  const model = reader('sees', { media: ['image/*'] });
  const it = agent({ name: 'it', model });
  const question = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', data: pixel, name: 'dot.png' },
  ] as const;
  const { events } = await it.run(question, { inspect: inspector, runId: 'r' });
  const [{ key } = { key: '' }] = ofType(events, 'model.asked');
  const again = (change: object) => send(inspector, { do: 'again', run: 'r', key, ...change });
  expect(await again({ message: 'And now?' })).toMatchObject({
    answer: { text: `${pixel.byteLength} bytes, And now?\n\n[image dot.png]` },
  });
  expect(await again({ model: 'offline' })).toMatchObject({
    status: 409,
    error: { code: 'model.content-refused', message: expect.stringContaining('image/png') },
  });
});

test('media that are missing are named by the form, and no model is asked without them', async () => {
  const store = memoryStore();
  const { blobs } = plainBlobs();
  const model = reader('sees', { media: ['image/*'] });
  const it = agent({ name: 'it', model });
  const { events } = await it.run([{ type: 'image', data: pixel, name: 'dot.png' }], {
    store,
    content: { blobs },
    runId: 'r',
  });
  const [{ key } = { key: '' }] = ofType(events, 'model.asked');
  const inspector = await openInspector({ control: true, store, agents: [it] });
  const { form } = await send(inspector, { do: 'again-form', run: 'r', key });
  expect(form?.['missing']).toEqual([expect.stringContaining('dot.png: Cannot show these bytes')]);
  expect(await send(inspector, { do: 'again', run: 'r', key })).toMatchObject({
    status: 404,
    error: { code: 'content.missing', message: expect.stringContaining('--blobs') },
  });
  const found = await openInspector({ control: true, store, agents: [it], content: { blobs } });
  expect(await send(found, { do: 'again', run: 'r', key })).toMatchObject({
    answer: { text: `${pixel.byteLength} bytes, [image dot.png]` },
  });
});
