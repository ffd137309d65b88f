import { expect, test } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../../../../src/persistence/index.ts';
import { agent } from '../../../../src/runtime/define/agent.ts';
import { askPerson } from '../../../../src/tools/built-in/ask-person.ts';
import { calls, scriptedModel } from '../../../../src/testing/scripted-model.ts';
import { tool } from '../../../../src/tools/define/define-tool.ts';
import { clerkSaying, modelSaying, refunding, served } from '../serve-kit.ts';
import type { Wire } from './openai-kit.ts';
import { ask, eventsIn, refused, said, slowModel, textOfResponse } from './openai-kit.ts';

const look = tool({
  name: 'look',
  description: 'Looks it up.',
  input: z.object({ order: z.number() }),
  execute: ({ order }) => `Order ${order} comes tomorrow.`,
});

const clerkModel = () =>
  modelSaying([
    { ...calls({ name: 'look', input: { order: 17 } }), text: 'Let me see.' },
    'It comes tomorrow.',
    'You are welcome.',
  ]);

const clerk = agent({ name: 'clerk', tools: [look], model: clerkModel() });

const get = async (url: string, path: string): Promise<Response> => fetch(`${url}/v1/responses/${path}`);

const got = async (url: string, path: string): Promise<Wire> => (await (await get(url, path)).json()) as Wire;

test('a response has the answer alone; its stream has what was said on the way, as commentary', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const whole = await said(server.url, 'responses', { model: 'clerk', input: 'Where is it?' });
  expect(whole).toMatchObject({
    object: 'response',
    status: 'completed',
    model: 'clerk',
    output: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        phase: 'final_answer',
        content: [{ type: 'output_text', text: 'It comes tomorrow.', annotations: [] }],
      },
    ],
    usage: { input_tokens_details: { cached_tokens: 0 } },
  });
  const response = await ask(server.url, 'responses', {
    model: 'clerk',
    input: 'Where is it?',
    stream: true,
  });
  const events = eventsIn(await response.text());
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    ...['a', 'b'].flatMap(() => [
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ]),
    'response.completed',
  ]);
  const items = events.filter(({ type }) => type === 'response.output_item.done');
  expect(items).toMatchObject([
    { output_index: 0, item: { phase: 'commentary', content: [{ text: 'Let me see.' }] } },
    { output_index: 1, item: { phase: 'final_answer', content: [{ text: 'It comes tomorrow.' }] } },
  ]);
  const { response: last } = events.at(-1) as { response: Wire };
  expect(textOfResponse(last)).toBe('It comes tomorrow.');
  const numbers = events.map(({ sequence_number: number }) => Number(number));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a stream continues after each of its events, also by another server of the store', async () => {
  const store = memoryStore();
  await using server = await served({ agents: { clerk }, openai: true, store });
  const response = await ask(server.url, 'responses', {
    model: 'clerk',
    input: 'Where is it?',
    stream: true,
  });
  const events = eventsIn(await response.text());
  const { id } = (events[0] as { response: { id: string } }).response;
  await using other = await served({ agents: { clerk }, openai: true, store });
  for (const [index, { sequence_number: number }] of events.entries()) {
    const rest = await get(other.url, `${id}?stream=true&starting_after=${Number(number)}`);
    const later = eventsIn(await rest.text());
    expect(later.map(({ type }) => type)).toEqual(events.slice(index + 1).map(({ type }) => type));
  }
  const again = await get(server.url, `${id}?stream=true`);
  expect(eventsIn(await again.text()).map(({ type }) => type)).toEqual(events.map(({ type }) => type));
});

test('a text that was cut is continued from the character, while it is said and after it', async () => {
  const model = slowModel();
  const slow = agent({ name: 'slow', model });
  await using server = await served({ agents: { slow }, openai: true });
  const background = { model: 'slow', input: 'Speak.', background: true };
  const { id, status } = await said(server.url, 'responses', background);
  expect(status).toBe('in_progress');
  await model.asked;
  const opened = await get(server.url, `${String(id)}?stream=true`);
  const reader = opened.body?.getReader();
  model.say('Good ');
  model.say('morning');
  let text = '';
  while (!text.includes('morning')) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  const deltas = eventsIn(text).filter(({ type }) => type === 'response.output_text.delta');
  expect(deltas.map(({ delta }) => delta).join('')).toBe('Good morning');
  const first = eventsIn(text).find(({ delta }) => String(delta).startsWith('Good')) as Wire;
  const had = String(first['delta']).length;
  const place = Number(first['sequence_number']);
  const following = get(server.url, `${String(id)}?stream=true&starting_after=${place}`);
  const live = (await following).body?.getReader();
  let rest = '';
  model.say(', Ada');
  while (!rest.includes('Ada')) rest += new TextDecoder().decode((await live?.read())?.value);
  model.finish();
  for (let read = await live?.read(); read?.done === false; read = await live?.read())
    rest += new TextDecoder().decode(read.value);
  const ofDeltas = (events: string) =>
    eventsIn(events)
      .filter(({ type }) => type === 'response.output_text.delta')
      .map(({ delta }) => delta)
      .join('');
  expect(ofDeltas(rest)).toBe('Good morning, Ada'.slice(had));
  expect(rest).not.toMatch('response.output_item.added');
  const later = await get(server.url, `${String(id)}?stream=true&starting_after=${place}`);
  expect(ofDeltas(await later.text())).toBe('Good morning, Ada'.slice(had));
  expect(textOfResponse(await got(server.url, String(id)))).toBe('Good morning, Ada');
});

test.each(['with a store', 'without one'])('a response continues each one before it, %s', async (kind) => {
  const model = scriptedModel([
    calls({ name: 'look', input: { order: 17 } }),
    'It comes tomorrow.',
    'You are welcome.',
    'Sorry.',
    'Bye.',
  ]);
  const talker = agent({ name: 'talker', tools: [look], model });
  await using server = await served({
    agents: { talker },
    openai: true,
    ...(kind === 'with a store' ? { store: memoryStore() } : {}),
  });
  const say = (input: unknown, rest: object = {}) =>
    said(server.url, 'responses', { model: 'talker', input, ...rest });
  const first = await say('Where is order 17?', { instructions: 'Be short.' });
  const second = await say('Thanks.', { previous_response_id: first['id'] });
  const branch = await say('Too late.', { previous_response_id: first['id'], instructions: 'Be kind.' });
  const third = await say([{ type: 'message', role: 'user', content: 'Bye.' }], {
    previous_response_id: second['id'],
  });
  expect([branch, third].map(textOfResponse)).toEqual(['Sorry.', 'Bye.']);
  expect(third['previous_response_id']).toBe(second['id']);
  const before = [
    { role: 'user', text: 'Where is order 17?' },
    { role: 'assistant', calls: [{ name: 'look', input: { order: 17 } }] },
    { role: 'tool', tool: 'look', text: 'Order 17 comes tomorrow.' },
    { role: 'assistant', text: 'It comes tomorrow.' },
  ];
  const shown = model.requests.map(({ messages }) => messages);
  expect(shown[0]).toMatchObject([{ from: 'client', text: 'Be short.' }, before[0] ?? {}]);
  // Instructions are for one response.
  expect(shown[2]).toMatchObject([...before, { role: 'user', text: 'Thanks.' }]);
  expect(shown[3]).toMatchObject([
    ...before,
    { from: 'client', text: 'Be kind.' },
    { role: 'user', text: 'Too late.' },
  ]);
  expect(shown[4]).toMatchObject([
    ...before,
    { role: 'user', text: 'Thanks.' },
    { role: 'assistant', text: 'You are welcome.' },
    { role: 'user', text: 'Bye.' },
  ]);
});

/** Without a store its bytes went with the run: a text names it. */
const shownMedia = [
  ['with a store', memoryStore(), { parts: [{ type: 'text' }, { type: 'image', mediaType: 'image/png' }] }],
  ['without one', undefined, { role: 'user', text: 'What is it?\n\n[image image/png]' }],
] as const;

test.each(shownMedia)('media of a response before are those of the next, %s', async (_, store, shown) => {
  const model = scriptedModel(['A pixel.', 'Black.']);
  await using server = await served({
    agents: { seer: agent({ name: 'seer', model }) },
    openai: true,
    store,
  });
  const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` };
  const content = [{ type: 'input_text', text: 'What is it?' }, image];
  const first = await said(server.url, 'responses', { model: 'seer', input: [{ role: 'user', content }] });
  const next = { model: 'seer', input: 'Which colour?', previous_response_id: first['id'] };
  expect(textOfResponse(await said(server.url, 'responses', next))).toBe('Black.');
  expect(model.requests[1]?.messages[0]).toMatchObject(shown);
  expect(model.requests[1]?.messages[0]?.role === 'user').toBe(true);
  expect(JSON.stringify(model.requests[1]?.messages[0]).includes('"hash"')).toBe(store !== undefined);
});

test('items are referred to by their ids: what was said, and what was called', async () => {
  const model = scriptedModel(['One.', 'Two.']);
  const talker = agent({ name: 'talker', model });
  await using server = await served({ agents: { talker }, openai: true });
  const first = await said(server.url, 'responses', { model: 'talker', input: 'Count.' });
  const [item] = first['output'] as { id: string }[];
  await said(server.url, 'responses', {
    model: 'talker',
    input: [
      { role: 'user', content: 'Count.' },
      { type: 'item_reference', id: item?.id },
      { role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
    ],
  });
  expect(model.requests[1]?.messages).toMatchObject([
    { role: 'user', text: 'Count.' },
    { role: 'assistant', text: 'One.' },
    { role: 'user', text: 'Go on.' },
  ]);
});

test('a call that a person has to approve is an item, which the client answers', async () => {
  await using server = await served({
    agents: { clerk: clerkSaying(refunding) },
    openai: true,
    store: memoryStore(),
  });
  for (const approve of [true, false]) {
    const asked = await said(server.url, 'responses', { model: 'clerk', input: 'It is broken.' });
    expect(asked).toMatchObject({
      status: 'completed',
      output: [{ type: 'mcp_approval_request', name: 'refund', server_label: 'troupe' }],
    });
    const [request] = asked['output'] as { id: string }[];
    const early = { model: 'clerk', previous_response_id: asked['id'], input: 'Well?' };
    expect(await refused(await ask(server.url, 'responses', early))).toEqual([
      400,
      'input.invalid',
      'previous_response_id',
    ]);
    const answered = await said(server.url, 'responses', {
      model: 'clerk',
      previous_response_id: asked['id'],
      input: [{ type: 'mcp_approval_response', approval_request_id: request?.id, approve }],
    });
    expect(textOfResponse(answered)).toBe('Your money is on its way.');
    // What came before is what it was.
    expect(await got(server.url, String(asked['id']))).toEqual(asked);
    expect(await got(server.url, String(answered['id']))).toEqual(answered);
  }
});

test('a question to a person is the message of a response, and the next message answers it', async () => {
  const model = modelSaying([
    calls({ name: 'ask_person', input: { question: 'Which one?' } }),
    'The red one.',
  ]);
  const shop = agent({ name: 'shop', tools: [askPerson], model });
  await using server = await served({ agents: { shop }, openai: true });
  const first = await said(server.url, 'responses', { model: 'shop', input: 'Sell me a car.' });
  expect(textOfResponse(first)).toBe('Which one?');
  const next = { model: 'shop', previous_response_id: first['id'], input: 'Red.' };
  const second = await said(server.url, 'responses', next);
  expect(textOfResponse(second)).toBe('The red one.');
  expect(await said(server.url, 'responses', next)).toEqual(second);
});

test('functions of the client are items, and their outputs continue the run', async () => {
  const painter = agent({
    name: 'painter',
    model: modelSaying([calls({ name: 'pick', input: { of: 'car' } }), 'Red it is.']),
  });
  await using server = await served({ agents: { painter }, openai: true, store: memoryStore() });
  const tools = [{ type: 'function', name: 'pick', parameters: { type: 'object', properties: {} } }];
  const asked = await said(server.url, 'responses', { model: 'painter', input: 'Paint it.', tools });
  expect(asked).toMatchObject({
    status: 'completed',
    tools,
    output: [{ type: 'function_call', name: 'pick', arguments: '{"of":"car"}', status: 'completed' }],
  });
  const [call] = asked['output'] as { id: string; call_id: string }[];
  const output = { type: 'function_call_output', call_id: call?.call_id, output: 'red' };
  const streamed = await ask(server.url, 'responses', {
    model: 'painter',
    stream: true,
    input: [{ role: 'user', content: 'Paint it.' }, { type: 'item_reference', id: call?.id }, output],
  });
  const { response } = eventsIn(await streamed.text()).at(-1) as { response: Wire };
  expect(textOfResponse(response)).toBe('Red it is.');
  // Each has its own usage; both together are that of the run.
  const { runs } = (await (await fetch(`${server.url}/runs`)).json()) as { runs: { runId: string }[] };
  const { totals } = (await (await fetch(`${server.url}/runs/${runs[0]?.runId}/result`)).json()) as {
    totals: { inputTokens: number };
  };
  const used = [asked, response].map(({ usage }) => (usage as { input_tokens: number }).input_tokens);
  expect(used.reduce((sum, each) => sum + each, 0)).toBe(totals.inputTokens);
  expect(await got(server.url, String(response['id']))).toEqual(response);
});

const pick = { type: 'function', name: 'pick', parameters: { type: 'object', properties: {} } };

test('a run whose client does not come back goes on without the result', async () => {
  const painter = agent({
    name: 'painter',
    model: modelSaying([calls({ name: 'pick', input: { of: 'car' } }), 'Without a colour, then.']),
  });
  await using server = await served({
    agents: { painter },
    openai: true,
    store: memoryStore(),
    run: { requests: { expireAfterMs: 1 } },
  });
  const forgotten = await said(server.url, 'responses', {
    model: 'painter',
    input: 'Paint it.',
    tools: [pick],
  });
  const runId = String(forgotten['id']).slice('resp_'.length);
  const result = await fetch(`${server.url}/runs/${runId}/result`);
  expect(await result.json()).toMatchObject({ output: 'Without a colour, then.' });
});

test('a run that waits for its client goes on after a restart of the server, with the tools of the client', async () => {
  const model = modelSaying([
    calls({ name: 'pick', input: { of: 'car' } }),
    calls({ name: 'pick', input: { of: 'bike' } }),
    'Red and blue it is.',
  ]);
  const service = {
    agents: { painter: agent({ name: 'painter', model }) },
    openai: true,
    store: memoryStore(),
  };
  await using server = await served(service);
  const waiting = await said(server.url, 'responses', {
    model: 'painter',
    input: 'Paint it.',
    tools: [pick],
  });
  await server.service.drain({ withinMs: 1 });
  await using other = await served(service);
  const answer = (asked: Wire, output: string) => {
    const [call] = asked['output'] as { call_id: string }[];
    const input = [{ type: 'function_call_output', call_id: call?.call_id, output }];
    return said(other.url, 'responses', { model: 'painter', input });
  };
  const again = await answer(waiting, 'red');
  expect(again['output']).toMatchObject([
    { type: 'function_call', name: 'pick', arguments: '{"of":"bike"}' },
  ]);
  expect(textOfResponse(await answer(again, 'blue'))).toBe('Red and blue it is.');
  const runId = String(waiting['id']).slice('resp_'.length);
  const events = await (await fetch(`${other.url}/runs/${runId}/events`)).text();
  // A client may never come back: its second call expires, too.
  const asked = eventsIn(events).filter(({ type }) => type === 'person.asked');
  expect(asked.map(({ at, expiresAt }) => Number(expiresAt) - Number(at))).toEqual([600_000, 600_000]);
});

test('a response in the background is fetched, cancelled and forgotten; any other is not cancelled', async () => {
  const model = slowModel();
  await using server = await served({
    agents: { slow: agent({ name: 'slow', model }), clerk },
    openai: true,
  });
  const begun = await said(server.url, 'responses', { model: 'slow', input: 'Speak.', background: true });
  const id = String(begun['id']);
  await model.asked;
  expect(await got(server.url, id)).toEqual(begun);
  const cancelled = await said(server.url, `responses/${id}/cancel`, {});
  expect(cancelled).toMatchObject({ id, status: 'cancelled', output: [], error: null });
  expect(await said(server.url, `responses/${id}/cancel`, {})).toEqual(cancelled);
  const removed = await fetch(`${server.url}/v1/responses/${id}`, { method: 'DELETE' });
  expect(await removed.json()).toEqual({ id, object: 'response', deleted: true });
  expect((await get(server.url, id)).status).toBe(404);
  const other = await said(server.url, 'responses', { model: 'clerk', input: 'Where is it?' });
  const refusal = await ask(server.url, `responses/${String(other['id'])}/cancel`, {});
  expect(await refused(refusal)).toEqual([400, 'input.invalid', 'response_id']);
});

test('one that is not stored is not found', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const { id } = await said(server.url, 'responses', { model: 'clerk', input: 'Hello', store: false });
  expect((await get(server.url, String(id))).status).toBe(404);
  const next = { model: 'clerk', input: 'And?', previous_response_id: id };
  expect(await refused(await ask(server.url, 'responses', next))).toEqual([
    404,
    'response_not_found',
    'previous_response_id',
  ]);
});

test('with the same key it is the same response', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const key = { 'idempotency-key': 'one' };
  const asked = { model: 'clerk', input: 'Where is it?' };
  const [first, second] = [
    await said(server.url, 'responses', asked, key),
    await said(server.url, 'responses', asked, key),
  ];
  expect(second).toEqual(first);
  expect(await refused(await ask(server.url, 'responses', { ...asked, input: 'Else?' }, key))).toEqual([
    409,
    'run.duplicate',
    null,
  ]);
});
