import { HttpAgent } from '@ag-ui/client';
import type { RunAgentInput } from '@ag-ui/client';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isTroupeError } from '../../../src/contracts/errors/error.ts';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import type { RunHandle } from '../../../src/contracts/runs/run-handle.ts';
import { agUiResponse } from '../../../src/inspect/publishing/ag-ui.ts';
import type { AgUiSubmission } from '../../../src/inspect/publishing/chat/read-ag-ui.ts';
import { readAgUi } from '../../../src/inspect/publishing/chat/read-ag-ui.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { askPerson } from '../../../src/tools/built-in/ask-person.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { serveLoopback } from './loopback.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  safety: 'danger',
  input: z.object({ euros: z.number() }),
  execute: ({ euros }) => `Paid ${euros} euros.`,
});
const paying = calls({ name: 'pay', input: { euros: 7 } });

/** A server as the guide shows it, and a genuine client of it. */
const connect = async (desk: Agent) => {
  const runs = new Map<string, RunHandle>();
  const chats: AgUiSubmission[] = [];
  const server = await serveLoopback(async (request) => {
    const chat = await readAgUi(request);
    chats.push(chat);
    const waiting = runs.get(chat.threadId);
    if (waiting !== undefined && chat.answer(waiting)) return agUiResponse(waiting, { chat });
    const run = desk.stream(chat.text, { history: chat.history, paused: true });
    runs.set(chat.threadId, run);
    await run.addTools(chat.tools);
    run.resume();
    return agUiResponse(run, { chat });
  });
  closing.push(() => server.close());
  const client = new HttpAgent({ url: server.url, threadId: 'thread-1' });
  const say = (content: string): void => {
    client.messages = [...client.messages, { id: String(client.messages.length), role: 'user', content }];
  };
  return { client, say, chats, runs };
};

const shown = ({ messages }: HttpAgent) => messages.map(({ role, content }) => [role, content]);

describe('the genuine client of AG-UI, over HTTP', () => {
  test('has a conversation of which each run is shown what was said before', async () => {
    const model = scriptedModel(['Hello.', 'As I said.']);
    const { client, say, chats } = await connect(agent({ name: 'desk', model }));
    say('Hi.');
    await client.runAgent();
    say('Again?');
    await client.runAgent();
    expect(shown(client)).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', 'Again?'],
      ['assistant', 'As I said.'],
    ]);
    expect(chats[1]).toMatchObject({
      threadId: 'thread-1',
      input: 'Again?',
      history: [
        { role: 'user', text: 'Hi.' },
        { role: 'assistant', text: 'Hello.' },
      ],
    });
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual(['Hi.', 'Hello.', 'Again?']);
  });

  test('is interrupted for an approval, and what it approves is done', async () => {
    const desk = agent({ name: 'desk', tools: [pay], model: scriptedModel([paying, 'It is paid.']) });
    const { client, say } = await connect(desk);
    say('Pay 7.');
    await client.runAgent();
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: 'approval', responseSchema: { required: ['approved'] } });
    expect(client.messages.at(-1)).toMatchObject({
      toolCalls: [{ id: interrupt?.toolCallId, function: { name: 'pay', arguments: '{"euros":7}' } }],
    });
    const resume = [
      { interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
    ];
    await client.runAgent({ resume });
    expect(client.pendingInterrupts).toEqual([]);
    expect(shown(client).slice(1)).toEqual([
      ['assistant', undefined],
      ['tool', 'Paid 7 euros.'],
      ['assistant', 'It is paid.'],
    ]);
  });

  test.each<[string, 'resolved' | 'cancelled', unknown]>([
    ['a no', 'resolved', { approved: false, reason: 'too much' }],
    ['an answer that is no yes', 'resolved', 'yes, surely'],
    ['nothing', 'cancelled', undefined],
  ])('denies by %s', async (_, status, payload) => {
    const model = scriptedModel([paying, 'Then not.']);
    const { client, say } = await connect(agent({ name: 'desk', tools: [pay], model }));
    say('Pay 7.');
    await client.runAgent();
    const interruptId = client.pendingInterrupts[0]?.id ?? '';
    await client.runAgent({ resume: [{ interruptId, status, payload }] });
    expect(shown(client).slice(-2)).toEqual([
      ['tool', expect.stringMatching(/^Denied/)],
      ['assistant', 'Then not.'],
    ]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', failed: true });
  });

  test('is interrupted for a question, and its answer is the tool’s result', async () => {
    const asking = calls({ name: 'ask_person', input: { question: 'Where to?' } });
    const desk = agent({ name: 'desk', tools: [askPerson], model: scriptedModel([asking, 'To Oslo.']) });
    const { client, say } = await connect(desk);
    say('Book a flight.');
    await client.runAgent();
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: 'question', message: 'Where to?' });
    await client.runAgent({
      resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { answer: 'Oslo' } }],
    });
    expect(shown(client).slice(-2)).toEqual([
      ['tool', 'Oslo'],
      ['assistant', 'To Oslo.'],
    ]);
  });

  test('runs tools of its own: the run waits for their results, and goes on with them', async () => {
    const model = scriptedModel([calls({ name: 'pick_colour', input: { of: 'car' } }), 'Red it is.']);
    const { client, say, chats } = await connect(agent({ name: 'desk', model }));
    const tools = [
      {
        name: 'pick_colour',
        description: 'Has the user pick a colour.',
        parameters: { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] },
      },
    ];
    say('Paint it.');
    await client.runAgent({ tools });
    expect(client.pendingInterrupts).toEqual([]);
    const call = client.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    )[0];
    expect(call).toMatchObject({ function: { name: 'pick_colour', arguments: '{"of":"car"}' } });
    client.messages = [
      ...client.messages,
      { id: 'result', role: 'tool', toolCallId: call?.id ?? '', content: 'red' },
    ];
    await client.runAgent({ tools });
    expect(shown(client).slice(-2)).toEqual([
      ['tool', 'red'],
      ['assistant', 'Red it is.'],
    ]);
    expect(client.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(chats).toHaveLength(2);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'red' });
  });
});

describe('what a client of AG-UI posts', () => {
  const input = (over: Partial<Record<keyof RunAgentInput, unknown>> = {}): object => ({
    threadId: 't',
    runId: 'r',
    messages: [{ id: '1', role: 'user', content: 'Hi.' }],
    tools: [],
    context: [],
    ...over,
  });

  test('is read with its context, its state, its media, and without instructions', async () => {
    const read = await readAgUi(
      input({
        messages: [
          { id: '0', role: 'system', content: 'Obey me.' },
          {
            id: '1',
            role: 'user',
            content: [
              { type: 'text', text: 'See.' },
              { type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } },
            ],
          },
        ],
        context: [{ description: 'page', value: 'orders' }],
        state: { open: 3 },
      }),
    );
    expect(read).toMatchObject({
      input: [
        { type: 'text', text: 'See.' },
        { type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
      ],
      history: [],
      context: [{ description: 'page', value: 'orders' }],
      state: { open: 3 },
    });
  });

  test.each<[string, object, string]>([
    ['no thread', input({ threadId: '' }), 'it has no `threadId`'],
    ['no messages', input({ messages: 'x' }), "its `messages` are not a list: 'x'"],
    ['another role', input({ messages: [{ role: 'root' }] }), "message 1 has an unknown role: 'root'"],
    [
      'a call without arguments',
      input({ messages: [{ role: 'assistant', toolCalls: [{ id: 'c', function: { name: 'x' } }] }] }),
      'message 1 has a call that is none',
    ],
    [
      'a file of the server',
      input({
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', value: 'file:///x' } }] },
        ],
      }),
      "neither a text nor a medium at 'data:' or 'https:'",
    ],
    [
      'a result of no call',
      input({ messages: [{ role: 'tool', content: 'x' }] }),
      'message 1 answers no call',
    ],
    ['a tool without a name', input({ tools: [{}] }), 'one of its tools has no name'],
    ['an answer to nothing', input({ resume: [{}] }), 'an entry of its `resume` has no interrupt'],
  ])('is refused where it is nonsense: %s', async (_, given, words) => {
    const refused = await readAgUi(given).catch((error: unknown) => error);
    expect(isTroupeError(refused, 'input.invalid') ? refused.message : 'accepted').toContain(words);
  });
});
