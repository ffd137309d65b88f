import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isTroupeError } from '../../../src/contracts/errors/error.ts';
import { readUiMessages } from '../../../src/inspect/publishing/chat/read-ui-messages.ts';
import { uiMessageResponse } from '../../../src/inspect/publishing/chat/ui-message.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { askPerson } from '../../../src/tools/built-in/ask-person.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

const user = (text: string) => ({ id: 'u', role: 'user', parts: [{ type: 'text', text }] });
const assistant = (...parts: readonly object[]) => ({ id: 'a', role: 'assistant', parts });
const body = (...messages: readonly object[]) => ({ id: 'chat-1', messages, trigger: 'submit-message' });

const refusalOf = async (reading: Promise<unknown>): Promise<string> => {
  try {
    await reading;
  } catch (thrown) {
    return isTroupeError(thrown)
      ? `${thrown.code}: ${thrown.message}`
      : `not one of troupe: ${String(thrown)}`;
  }
  return 'accepted';
};

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'danger',
  input: z.object({}),
  execute: () => 'Paid.',
});

describe('what a page posts', () => {
  test('is read as the new message, the conversation before it, and the fields of the page', async () => {
    const request = new Request('http://127.0.0.1/api/chat', {
      method: 'POST',
      body: JSON.stringify({
        ...body(
          user('Hi.'),
          assistant({ type: 'step-start' }, { type: 'text', text: 'Hello.' }),
          user('And?'),
        ),
        messageId: 'm',
        tone: 'kind',
      }),
    });
    expect(await readUiMessages(request)).toMatchObject({
      chatId: 'chat-1',
      trigger: 'submit-message',
      messageId: 'm',
      input: 'And?',
      history: [
        { role: 'user', text: 'Hi.' },
        { role: 'assistant', text: 'Hello.' },
      ],
      fields: { tone: 'kind' },
      answers: [],
      place: undefined,
    });
  });

  test('has its files as parts that a run takes', async () => {
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const file = { type: 'file', mediaType: 'image/png', filename: 'dot.png', url: png };
    const { input } = await readUiMessages(
      body({ ...user('See:'), parts: [file, { type: 'text', text: 'See.' }] }),
    );
    expect(input).toEqual([
      { type: 'image', data: png, mediaType: 'image/png', name: 'dot.png' },
      { type: 'text', text: 'See.' },
    ]);
  });

  test('leaves out what was discarded, what members said, and calls without a result', async () => {
    const ofMember = { providerMetadata: { troupe: { path: 'line/one', agent: 'one' } } };
    const { history } = await readUiMessages(
      body(
        user('Hi.'),
        assistant(
          { type: 'text', text: 'Wrong.', providerMetadata: { troupe: { isDiscarded: true } } },
          { type: 'text', text: 'A draft.', ...ofMember },
          { type: 'tool-look', toolCallId: 'x', state: 'input-available', input: {} },
          {
            type: 'dynamic-tool',
            toolName: 'see',
            toolCallId: 'y',
            state: 'output-error',
            input: {},
            errorText: 'dark',
          },
          { type: 'text', text: 'Final.' },
        ),
        user('Next.'),
      ),
    );
    expect(history).toEqual([
      { role: 'user', text: 'Hi.' },
      { role: 'assistant', text: 'Final.', calls: [{ id: 'ui_1', name: 'see', input: {} }] },
      { role: 'tool', callId: 'ui_1', tool: 'see', text: 'dark', failed: true },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['no object', 'x', 'input.invalid: Cannot read the request of the chat as it is no JSON object'],
    ['no chat', { messages: [user('x')] }, 'it has no `id` of a chat'],
    ['no messages', { id: 'c' }, 'its `messages` are not a list: nothing'],
    ['an empty list', { id: 'c', messages: [] }, 'it has no message'],
    ['another trigger', { ...body(user('x')), trigger: 'delete' }, "its `trigger` is unknown: 'delete'"],
    ['instructions', body({ ...user('x'), role: 'system' }), 'belongs in `instructions`'],
    ['another role', body({ ...user('x'), role: 'root' }), "message 1 has an unknown role: 'root'"],
    ['no parts', body({ id: 'u', role: 'user' }), 'message 1 has no list of parts'],
    ['a part without a type', body({ ...user('x'), parts: [5] }), 'part 1 of message 1 has no type'],
    ['a text without one', body({ ...user('x'), parts: [{ type: 'text' }] }), 'has no text'],
    [
      'a file of the server',
      body({ ...user('x'), parts: [{ type: 'file', mediaType: 'text/plain', url: 'file:///etc/passwd' }] }),
      "an address that is not one of 'data:' or 'https:'",
    ],
    ['nothing said', body({ ...user('x'), parts: [] }), 'its last message has no text and no file'],
  ])('is refused where it is nonsense: %s', async (_, given, words) => {
    expect(await refusalOf(readUiMessages(given))).toContain(words);
  });

  test('is bounded: bytes, messages and parts', async () => {
    const request = new Request('http://127.0.0.1/', {
      method: 'POST',
      body: JSON.stringify(body(user('x'.repeat(500)))),
    });
    expect(await refusalOf(readUiMessages(request, { maxBytes: 100 }))).toContain('content.too-large');
    const two = body(user('a'), user('b'));
    expect(await refusalOf(readUiMessages(two, { maxMessages: 1 }))).toContain(
      'too many messages: 2, at most 1',
    );
    expect(await refusalOf(readUiMessages(two, { maxParts: 0 }))).toContain('input.invalid');
    const broken = new Request('http://127.0.0.1/', { method: 'POST', body: '{' });
    expect(await refusalOf(readUiMessages(broken))).toContain('input.invalid');
  });
});

describe('answers of a page', () => {
  const waiting = async (of: 'pay' | 'ask_person') => {
    const input = of === 'pay' ? {} : { question: 'Where to?' };
    const desk = agent({
      name: 'desk',
      tools: [pay, askPerson],
      model: scriptedModel([calls({ name: of, input }), 'Done.']),
    });
    const run = desk.stream('go');
    await expect.poll(() => run.requests.length).toBe(1);
    return run;
  };

  test('count for requests that are open, and for those alone', async () => {
    const run = await waiting('pay');
    const [request] = run.requests;
    const approved = (id: string) =>
      body(
        user('Pay.'),
        assistant({
          type: 'tool-pay',
          toolCallId: 'x',
          state: 'approval-responded',
          approval: { id, approved: true },
        }),
      );
    const forged = await readUiMessages(approved('another'));
    expect(forged.answer(run)).toBe(false);
    const said = await readUiMessages(approved(request?.id ?? ''));
    expect(said.input).toBe('');
    const again = { ...approved(request?.id ?? ''), trigger: 'regenerate-message' };
    expect((await readUiMessages(again)).answer(run)).toBe(false);
    expect(said.answer(run)).toBe(true);
    expect((await run.result).records[0]?.results[0]?.text).toBe('Paid.');
    expect(said.answer(run)).toBe(false);
  });

  test('that a page gives as the result of a tool count for a question of that tool, and for no other call', async () => {
    const run = await waiting('ask_person');
    const output = (toolCallId: string) =>
      body(
        user('Go.'),
        assistant({
          type: 'tool-ask_person',
          toolCallId,
          state: 'output-available',
          input: {},
          output: 'Oslo',
        }),
      );
    expect((await readUiMessages(output('another'))).answer(run)).toBe(false);
    expect((await readUiMessages(output(`${run.runId}/desk#call_0_0`))).answer(run)).toBe(true);
    expect((await run.result).records[0]?.results[0]?.text).toBe('Oslo');
  });
});

describe('a message for a page', () => {
  const desk = () => agent({ name: 'desk', model: scriptedModel(['Hello.']) });

  test('is a stream of version 1 that ends with its mark', async () => {
    const run = desk().stream('hi');
    const response = uiMessageResponse(run, { headers: { 'x-own': '1' }, metadata: { tone: 'kind' } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-own': '1',
    });
    const text = await response.text();
    expect(text).toContain(`"type":"start","messageId":"${run.runId}","messageMetadata":{"tone":"kind"`);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('is 204 where nothing is under way', async () => {
    const response = uiMessageResponse(undefined);
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  test('has no secret in it', async () => {
    const leaky = agent({ name: 'leaky', model: scriptedModel(['The key is hunter2hunter2.']) });
    const response = uiMessageResponse(leaky.stream('hi'), { secrets: { KEY: 'hunter2hunter2' } });
    const text = await response.text();
    expect(text).toContain('[redacted KEY]');
    expect(text).not.toContain('hunter2');
  });

  test('stays open while people are asked if it is to', async () => {
    const run = agent({
      name: 'desk',
      tools: [pay],
      model: scriptedModel([calls({ name: 'pay', input: {} }), 'Done.']),
    }).stream('go');
    const text = uiMessageResponse(run, { staysOpen: true }).text();
    await expect.poll(() => run.requests.length).toBe(1);
    run.approve(run.requests[0]?.id ?? '');
    expect(await text).toContain('"status":"completed"');
  });

  test.each<[string, () => unknown, string]>([
    [
      'no run',
      () => Reflect.apply(uiMessageResponse, undefined, [5]),
      'Cannot send events of what is not the handle',
    ],
    [
      'a typo',
      () => Reflect.apply(uiMessageResponse, undefined, [desk().stream('x'), { messageid: 'm' }]),
      'did you mean `messageId`?',
    ],
    [
      'another version',
      () => Reflect.apply(uiMessageResponse, undefined, [desk().stream('x'), { sdk: 5 }]),
      'write 6 or 7',
    ],
  ])('is refused with what to write: %s', async (_, work, words) => {
    expect(await refusalOf((async () => work())())).toContain(words);
  });
});
