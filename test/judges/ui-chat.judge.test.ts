import { convertToModelMessages as modelMessagesOf6, type UIMessage as MessageOf6 } from 'ai';
import { convertToModelMessages as modelMessagesOf7, type UIMessage as MessageOf7 } from 'ai-v7';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, askPerson, tool, TroupeError } from '../../src/index.ts';
import { parallel, pipeline } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { modelAnswer } from '../../src/models/index.ts';
import type { Model, ModelAnswer, ModelCall } from '../../src/models/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { deferred } from '../support/runs.ts';
import type { GenuineChat, ShownPart } from './genuine-chat.ts';
import { genuineChat, serveChat } from './genuine-chat.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const served = async (...given: Parameters<typeof serveChat>) => {
  const server = await serveChat(...given);
  closing.push(server.close);
  return server;
};

const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  safety: 'danger',
  input: z.object({ euros: z.number() }),
  execute: ({ euros }) => `Paid ${euros} euros.`,
});
const paying = calls({ name: 'pay', input: { euros: 7 } });

/** The parts of the last message that a page shows, in a few words. */
const shown = (chat: GenuineChat): readonly string[] =>
  (chat.messages.at(-1)?.parts ?? []).flatMap((part) => wordsOf(part));

const wordsOf = ({ type, text, state, output, errorText }: ShownPart): readonly string[] => {
  if (type === 'step-start') return [];
  if (type === 'text' || type === 'reasoning') return [`${type} ${state}: ${text}`];
  return [
    [type, state, output === undefined ? '' : JSON.stringify(output), errorText]
      .filter((word) => word !== '' && word !== undefined)
      .join(' '),
  ];
};

const lastMetadata = (chat: GenuineChat): unknown => chat.messages.at(-1)?.metadata;

/** A model that says its answers itself, piece by piece. */
const speaking = (...answers: readonly ((call: ModelCall) => Promise<Partial<ModelAnswer>>)[]): Model => {
  let asked = 0;
  return {
    provider: 'example',
    id: 'speaking',
    answer: async (_, call) => {
      const answer = answers[asked];
      asked += 1;
      return modelAnswer({ usage: { input: 3, output: 2 }, ...(await answer?.(call)) });
    },
  };
};

const marked = z.object({
  providerMetadata: z.object({ troupe: z.object({ isDiscarded: z.literal(true) }) }),
});
const isDiscarded = (part: ShownPart): boolean => marked.safeParse(part).success;

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds).toBe(true);
};

describe.each([6, 7] as const)('useChat of the AI SDK %i shows a run', (sdk) => {
  test('with its text as it streams, its thoughts, usage and status', async () => {
    const rest = deferred<undefined>();
    const model = speaking(async (call) => {
      call.delta({ type: 'reasoning', text: 'They greet.' });
      call.delta({ type: 'text', text: 'Hello' });
      await rest.promise;
      call.delta({ type: 'text', text: ' there.' });
      return { text: 'Hello there.', reasoning: 'They greet.' };
    });
    const desk = agent({ name: 'desk', model });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const ends: unknown[] = [];
    const chat = genuineChat(sdk, server.url, 'greeting', ({ finishReason }) => ends.push(finishReason));
    const sent = chat.sendMessage({ text: 'hi' });
    await until(() => shown(chat).includes('text streaming: Hello'));
    expect(chat.status).toBe('streaming');
    rest.resolve(undefined);
    await sent;
    expect(shown(chat)).toEqual(['reasoning done: They greet.', 'text done: Hello there.']);
    expect(chat.status).toBe('ready');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(lastMetadata(chat)).toMatchObject({
      status: 'completed',
      stopReason: 'answered',
      usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    });
    expect(ends).toEqual(['stop']);
    expect(server.submissions[0]).toMatchObject({ chatId: 'greeting', input: 'hi', history: [] });
  });

  test('a call that is approved is made, and the message goes on', async () => {
    const desk = agent({ name: 'desk', tools: [pay], model: scriptedModel([paying, 'It is paid.']) });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'approved');
    await chat.sendMessage({ text: 'Pay 7.' });
    expect(shown(chat)).toEqual(['tool-pay approval-requested']);
    expect(lastMetadata(chat)).toMatchObject({ status: 'waiting' });
    expect(chat.status).toBe('ready');
    await approve(chat, true);
    await until(() => chat.status === 'ready' && shown(chat).length === 2);
    expect(shown(chat)).toEqual(['tool-pay output-available "Paid 7 euros."', 'text done: It is paid.']);
    expect(chat.messages).toHaveLength(2);
    expect(chat.messages[1]?.parts.find(({ type }) => type === 'tool-pay')).toMatchObject({
      input: { euros: 7 },
      approval: { approved: true },
    });
    expect(lastMetadata(chat)).toMatchObject({ status: 'completed' });
  });

  test('a call that is denied is not made, and the model is told why', async () => {
    const model = scriptedModel([paying, 'Then not.']);
    const desk = agent({ name: 'desk', tools: [pay], model });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'denied');
    await chat.sendMessage({ text: 'Pay 7.' });
    await approve(chat, false, 'too much');
    await until(() => chat.status === 'ready' && shown(chat).length === 2);
    expect(shown(chat)).toEqual(['tool-pay output-denied', 'text done: Then not.']);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('too much');
  });

  test('of calls at once only those that need it wait for approval, and each is approved by itself', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      safety: 'read',
      input: z.object({}),
      execute: () => ({ seen: 1 }),
    });
    const both = {
      ...calls(
        { name: 'look', input: {} },
        { name: 'pay', input: { euros: 1 } },
        { name: 'pay', input: { euros: 2 } },
      ),
    };
    const desk = agent({ name: 'desk', tools: [pay, look], model: scriptedModel([both, 'All done.']) });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'several');
    await chat.sendMessage({ text: 'Look and pay.' });
    while (chat.messages[1]?.parts.some(({ state }) => state === 'approval-requested')) {
      await approve(chat, true);
      await until(() => chat.status === 'ready' && !shown(chat).some((part) => part.includes('responded')));
    }
    await until(() => shown(chat).includes('text done: All done.'));
    expect(chat.messages[1]?.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
      { type: 'tool-look', state: 'output-available', output: { seen: 1 } },
      { type: 'tool-pay', state: 'output-available', output: 'Paid 1 euros.' },
      { type: 'tool-pay', state: 'output-available', output: 'Paid 2 euros.' },
    ]);
  });

  test('a question of a tool is answered by the output that the page gives to it', async () => {
    const asking = calls({ name: 'ask_person', input: { question: 'Where to?' } });
    const model = scriptedModel([asking, 'To Oslo, then.']);
    const desk = agent({ name: 'desk', tools: [askPerson], model });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'question');
    await chat.sendMessage({ text: 'Book a flight.' });
    const question = chat.messages[1]?.parts.find(({ type }) => type === 'data-question');
    expect(question?.data).toMatchObject({ question: 'Where to?', state: 'open' });
    const toolCallId = z.object({ toolCallId: z.string() }).parse(question?.data).toolCallId;
    await chat.addToolOutput({ tool: 'ask_person', toolCallId, output: 'Oslo' });
    await until(() => chat.status === 'ready' && shown(chat).includes('text done: To Oslo, then.'));
    expect(shown(chat)).toContain('tool-ask_person output-available "Oslo"');
    expect(chat.messages[1]?.parts.find(({ type }) => type === 'data-question')?.data).toMatchObject({
      question: 'Where to?',
      state: 'answered',
      answer: 'Oslo',
    });
    expect(chat.messages).toHaveLength(2);
  });

  test('a question is answered by what the user writes next, and what follows is another message', async () => {
    const asking = calls({ name: 'ask_person', input: { question: 'Where to?' } });
    const desk = agent({
      name: 'desk',
      tools: [askPerson],
      model: scriptedModel([asking, 'To Oslo, then.']),
    });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'written');
    await chat.sendMessage({ text: 'Book a flight.' });
    await chat.sendMessage({ text: 'Oslo' });
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(new Set(chat.messages.map(({ id }) => id)).size).toBe(4);
    expect(shown(chat)).toContain('text done: To Oslo, then.');
  });

  test('a run that fails is an error with its message, and what was said stays', async () => {
    const desk = agent({ name: 'desk', model: scriptedModel([new Error('out of order')]) });
    const server = await served((chat) => desk.stream(chat.input), {
      sdk,
      errorText: ({ code }) => `Something is wrong: ${code}`,
    });
    const chat = genuineChat(sdk, server.url, 'failed');
    await chat.sendMessage({ text: 'hi' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toBe('Something is wrong: model.failed');
    expect(lastMetadata(chat)).toMatchObject({ status: 'failed' });
  });

  test('a tool that fails is an error of its call alone', async () => {
    const broken = tool({
      name: 'broken',
      description: 'Fails.',
      input: z.object({}),
      execute: () => {
        throw new Error('no such order');
      },
    });
    const desk = agent({
      name: 'desk',
      tools: [broken],
      model: scriptedModel([calls({ name: 'broken', input: {} }), 'I could not.']),
    });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'broken');
    await chat.sendMessage({ text: 'hi' });
    expect(shown(chat)[0]).toMatch(/^tool-broken output-error .*no such order/);
    expect(shown(chat)[1]).toBe('text done: I could not.');
  });

  test('a text that was thrown away does not stay on the screen', async () => {
    const seen = deferred<undefined>();
    const model = scriptedModel([
      async (_, call) => {
        call.delta({ type: 'text', text: 'Wrong, and' });
        call.delta({ type: 'tool-call', index: 0, name: 'pay', text: '{"euros":' });
        await seen.promise;
        throw new TroupeError('model.malformed', 'Cannot read the answer as it broke off', {
          retryable: 'yes',
        });
      },
      'Right.',
    ]);
    const desk = agent({
      name: 'desk',
      model,
      tools: [pay],
      failures: { retry: { initialWaitMs: 1 } },
    });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'discarded');
    const sent = chat.sendMessage({ text: 'hi' });
    await until(() => shown(chat).includes('tool-pay input-streaming'));
    seen.resolve(undefined);
    await sent;
    // Version 6 cannot remove what it was sent, and is told what to leave out.
    const kept = chat.messages[1]?.parts.filter((part) => part.type === 'text' && !isDiscarded(part));
    expect(kept?.map(({ text }) => text)).toEqual(['Right.']);
    expect(shown(chat).some((part) => part.startsWith('tool-pay input-streaming'))).toBe(false);
    expect(shown(chat).length).toBe(sdk === 7 ? 1 : 3);
  });

  test('stop() of the page ends the run if the server says so', async () => {
    const stopped = deferred<string>();
    const model = scriptedModel([
      async (_, call) => {
        call.delta({ type: 'text', text: 'A word' });
        await new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => {
            stopped.resolve('stopped');
            reject(new Error('aborted'));
          });
        });
        return 'never';
      },
    ]);
    const desk = agent({ name: 'desk', model });
    const server = await served((chat) => desk.stream(chat.input), { sdk, abortsOnStop: true });
    const chat = genuineChat(sdk, server.url, 'stopped');
    const sent = chat.sendMessage({ text: 'hi' });
    await until(() => shown(chat).includes('text streaming: A word'));
    const run = server.runs.get('stopped');
    await chat.stop();
    await sent;
    expect(await stopped.promise).toBe('stopped');
    expect(await run?.result).toMatchObject({ status: 'aborted' });
    expect(shown(chat)).toEqual(['text streaming: A word']);
    expect(chat.status).toBe('ready');
  });

  test('a run that is aborted elsewhere ends the message, and says so', async () => {
    const model = scriptedModel([
      (_, call) => {
        call.delta({ type: 'text', text: 'A word' });
        return new Promise<string>(() => undefined);
      },
    ]);
    const desk = agent({ name: 'desk', model });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'aborted');
    const sent = chat.sendMessage({ text: 'hi' });
    await until(() => shown(chat).includes('text streaming: A word'));
    server.runs.get('aborted')?.abort('enough');
    await sent;
    expect(chat.status).toBe('ready');
    expect(lastMetadata(chat)).toMatchObject({ status: 'aborted', stopReason: 'aborted' });
    expect(shown(chat)).toEqual(['text done: A word']);
  });

  test('a page that is opened again resumes in the midst: the whole message, once; afterwards there is nothing to resume', async () => {
    const rest = deferred<undefined>();
    const model = speaking(
      async () => ({ text: 'Let me look.', ...calls({ name: 'look', input: {} }) }),
      async (call) => {
        call.delta({ type: 'text', text: 'It is' });
        await rest.promise;
        call.delta({ type: 'text', text: ' there.' });
        return { text: 'It is there.' };
      },
    );
    const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' });
    const desk = agent({ name: 'desk', model, tools: [look] });
    const server = await served((chat) => desk.stream(chat.input, { store: memoryStore() }), { sdk });
    const first = genuineChat(sdk, server.url, 'resumed');
    void first.sendMessage({ text: 'hi' });
    await until(() => shown(first).includes('text streaming: It is'));
    await first.stop();
    const second = genuineChat(sdk, server.url, 'resumed');
    const resumed = second.resumeStream();
    await until(() => shown(second).includes('text streaming: It is'));
    const again = first.resumeStream();
    await until(() => shown(first).length === 3 && first.status === 'streaming');
    rest.resolve(undefined);
    await Promise.all([resumed, again]);
    const whole = ['text done: Let me look.', 'tool-look output-available "seen"', 'text done: It is there.'];
    expect(shown(second)).toEqual(whole);
    expect(shown(first)).toEqual(whole);
    expect(first.messages).toHaveLength(2);
    await until(() => server.runs.size === 0);
    const third = genuineChat(sdk, server.url, 'resumed');
    await third.resumeStream();
    expect(third.messages).toEqual([]);
    expect(third.status).toBe('ready');
  });

  test('a page that is opened again while a run waits can approve what it asks for', async () => {
    const desk = agent({ name: 'desk', tools: [pay], model: scriptedModel([paying, 'It is paid.']) });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    await genuineChat(sdk, server.url, 'later').sendMessage({ text: 'Pay 7.' });
    const chat = genuineChat(sdk, server.url, 'later');
    await chat.resumeStream();
    expect(shown(chat)).toEqual(['tool-pay approval-requested']);
    await approve(chat, true);
    await until(() => shown(chat).includes('text done: It is paid.'));
    expect(shown(chat)).toHaveLength(2);
    expect(chat.messages).toHaveLength(1);
  });

  test('an agent that a tool runs asks, too, and its approval goes on by itself', async () => {
    const child = agent({ name: 'child', tools: [pay], model: scriptedModel([paying, 'Paid below.']) });
    const pass = tool({
      name: 'pass',
      description: 'Has another do it.',
      input: z.object({}),
      execute: async (_, { run }) => (await run(child, 'Pay 7.')).output,
    });
    const model = scriptedModel([calls({ name: 'pass', input: {} }), 'All is paid.']);
    const desk = agent({ name: 'desk', tools: [pass], model });
    const server = await served((chat) => desk.stream(chat.input), { sdk });
    const chat = genuineChat(sdk, server.url, 'nested');
    await chat.sendMessage({ text: 'Pay 7.' });
    expect(shown(chat)).toContain('tool-pay approval-requested');
    await approve(chat, true);
    await until(() => chat.status === 'ready' && shown(chat).includes('text done: All is paid.'));
    expect(chat.messages[1]?.parts.filter(({ type }) => type === 'step-start')).toHaveLength(4);
    expect(shown(chat).filter((part) => !part.startsWith('data-'))).toEqual([
      'tool-pass output-available "Paid below."',
      'tool-pay output-available "Paid 7 euros."',
      'text done: Paid below.',
      'text done: All is paid.',
    ]);
  });

  test('a message that is sent in place of an approval ends what waits', async () => {
    const desk = agent({ name: 'desk', tools: [pay], model: scriptedModel([paying, 'As you like.']) });
    const store = memoryStore();
    const server = await served((chat) => desk.stream(chat.text, { store, thread: chat.chatId }), { sdk });
    const chat = genuineChat(sdk, server.url, 'instead');
    await chat.sendMessage({ text: 'Pay 7.' });
    const waiting = server.runs.get('instead');
    await chat.sendMessage({ text: 'Never mind.' });
    expect(shown(chat)).toEqual(['text done: As you like.']);
    expect(await waiting?.result).toMatchObject({ status: 'aborted' });
  });

  test('a pipeline says who speaks, and ends with its output once', async () => {
    const line = pipeline({
      name: 'line',
      stages: [
        agent({ name: 'drafter', model: scriptedModel(['A draft.']) }),
        agent({ name: 'editor', model: scriptedModel(['Final.']) }),
      ],
    });
    const server = await served((chat) => line.stream(chat.text), { sdk });
    const chat = genuineChat(sdk, server.url, 'line');
    await chat.sendMessage({ text: 'Write.' });
    const parts = chat.messages[1]?.parts ?? [];
    expect(
      parts.flatMap(({ type, text, data }) => {
        if (type === 'text') return [text];
        return type === 'data-speaker' ? [z.object({ agent: z.string() }).parse(data).agent] : [];
      }),
    ).toEqual(['drafter', 'A draft.', 'editor', 'Final.']);
    expect(parts.filter(({ type }) => type === 'data-member').map(({ data }) => data)).toMatchObject([
      { member: 'drafter', status: 'completed' },
      { member: 'editor', status: 'completed' },
    ]);
  });

  test('members that speak at once keep their texts apart, also where one of them begins anew', async () => {
    const begun = deferred<undefined>();
    const other = deferred<undefined>();
    const steady = speaking(async (call) => {
      call.delta({ type: 'text', text: 'Steady' });
      await begun.promise;
      call.delta({ type: 'text', text: ' goes' });
      await other.promise;
      call.delta({ type: 'text', text: ' on.' });
      return { text: 'Steady goes on.' };
    });
    const hasty = scriptedModel([
      async (_, call) => {
        call.delta({ type: 'text', text: 'Hasty' });
        await begun.promise;
        throw new TroupeError('model.malformed', 'Cannot read the answer as it broke off', {
          retryable: 'yes',
        });
      },
      async () => {
        other.resolve(undefined);
        return 'Calm.';
      },
    ]);
    const team = parallel({
      name: 'team',
      members: {
        steady: agent({ name: 'steady', model: steady }),
        hasty: agent({ name: 'hasty', model: hasty, failures: { retry: { initialWaitMs: 1 } } }),
      },
    });
    const server = await served((chat) => team.stream(chat.text), { sdk });
    const chat = genuineChat(sdk, server.url, 'team');
    const sent = chat.sendMessage({ text: 'Speak.' });
    await until(() => ['Steady', 'Hasty'].every((text) => shown(chat).includes(`text streaming: ${text}`)));
    begun.resolve(undefined);
    await sent;
    expect(chat.error).toBeUndefined();
    const texts = shown(chat).filter((part) => part.startsWith('text'));
    expect(texts).toContain('text done: Steady goes on.');
    expect(texts).toContain('text done: Calm.');
    expect(texts.some((text) => text.includes('Hasty'))).toBe(sdk === 6);
  });

  test('the conversation of a page is one that its own functions and ours take', async () => {
    const desk = agent({
      name: 'desk',
      tools: [pay],
      model: scriptedModel([{ text: 'One moment.', ...paying }, 'It is paid.', 'You are welcome.']),
    });
    const server = await served((chat) => desk.stream(chat.input, { history: chat.history }), { sdk });
    const chat = genuineChat(sdk, server.url, 'conversation');
    await chat.sendMessage({ text: 'Pay 7.' });
    await approve(chat, true);
    await until(() => chat.status === 'ready' && shown(chat).includes('text done: It is paid.'));
    const messages = chat.messages;
    const theirs =
      sdk === 7
        ? await modelMessagesOf7(messages as unknown as MessageOf7[])
        : await modelMessagesOf6(messages as unknown as MessageOf6[]);
    expect(theirs.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    await chat.sendMessage({ text: 'Thanks.' });
    expect(shown(chat)).toEqual(['text done: You are welcome.']);
    expect(server.submissions.at(-1)?.history).toEqual([
      { role: 'user', text: 'Pay 7.' },
      { role: 'assistant', text: 'One moment.', calls: [{ id: 'ui_1', name: 'pay', input: { euros: 7 } }] },
      { role: 'tool', callId: 'ui_1', tool: 'pay', text: 'Paid 7 euros.' },
      { role: 'assistant', text: 'It is paid.' },
    ]);
  });

  test('another answer to the last message is asked for with the conversation before it', async () => {
    const desk = agent({ name: 'desk', model: scriptedModel(['One.', 'Another.']) });
    const server = await served((chat) => desk.stream(chat.input, { history: chat.history }), { sdk });
    const chat = genuineChat(sdk, server.url, 'again');
    await chat.sendMessage({ text: 'Say.' });
    await chat.regenerate();
    expect(shown(chat)).toEqual(['text done: Another.']);
    expect(chat.messages).toHaveLength(2);
    expect(server.submissions[1]).toMatchObject({
      trigger: 'regenerate-message',
      input: 'Say.',
      history: [],
    });
  });
});

const approve = async (chat: GenuineChat, approved: boolean, reason?: string): Promise<void> => {
  const part = chat.messages.at(-1)?.parts.find(({ state }) => state === 'approval-requested');
  const id = part?.approval?.id ?? '';
  await chat.addToolApprovalResponse({ id, approved, ...(reason === undefined ? {} : { reason }) });
};
