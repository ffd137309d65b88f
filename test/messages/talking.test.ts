import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { wait } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { colleagues } from '../../src/tools/messages/colleagues.ts';
import type { ColleaguesOptions } from '../../src/tools/messages/colleagues.ts';
import { protocol } from '../../src/tools/messages/protocol.ts';
import { letTimePass, ofType, settled, start } from '../support/runs.ts';

const says = (name: string, input: object) => calls({ name: `colleagues.${name}`, input: { ...input } });

/** Talks by the tools; one who `waits` sleeps until somebody says something first. */
const talker = (
  name: string,
  script: readonly ScriptedReply[],
  { waits = false, ...options }: ColleaguesOptions & { readonly waits?: boolean } = {},
) =>
  agent({
    name,
    tools: [colleagues(options)],
    model: scriptedModel(script),
    ...(waits ? { decide: ({ step }) => (step === 0 ? wait('a word') : undefined) } : {}),
  });

/** Has them all work at the same time. */
const deskOf = (...crew: readonly Agent<string, unknown>[]) =>
  agent({
    name: 'desk',
    tools: [
      tool({
        name: 'crew',
        description: 'Has them work.',
        input: z.object({}),
        timeoutMs: Infinity,
        retry: false,
        execute: async (_, { run }) => {
          const ends = await Promise.all(crew.map((each) => run(each, 'go')));
          return ends.map(({ output }) => String(output)).join('; ');
        },
      }),
    ],
    model: scriptedModel([calls({ name: 'crew', input: {} }), 'done']),
  });

const failures = (events: Parameters<typeof ofType>[0], path: string) =>
  ofType(events, 'tool.finished')
    .filter((event) => event.path === path && !event.ok)
    .map(({ error }) => error?.code);

describe('agents that talk', () => {
  test('[KAIZEN-51] [M60] one asks, the other answers: who said what to whom is in the events, each with its id', async () => {
    const ada = talker('ada', [says('ask', { to: 'bob', text: 'What is it?' }), 'ada knows']);
    const bob = talker('bob', [says('reply', { text: '42' }), 'bob said it'], { waits: true });
    const { events, status } = await settled(start(deskOf(ada, bob), 'go'));
    expect(status).toBe('completed');
    const [question, reply] = ofType(events, 'message.sent');
    expect(question).toMatchObject({ from: 'ada', sender: 'desk/ada-0', to: 'desk/bob-0', wantsReply: true });
    expect(reply).toMatchObject({
      from: 'bob',
      sender: 'desk/bob-0',
      to: 'desk/ada-0',
      text: '42',
      kind: 'answer',
    });
    expect(reply?.correlation).toBe(question?.id);
    expect(reply?.causation).toBe(question?.id);
    expect(ofType(events, 'tool.finished').find(({ tool: name }) => name === 'colleagues.ask')?.text).toBe(
      '42',
    );
  });

  test('[KAIZEN-52] [M61] who would close a circle of those who wait is told so at once, and nobody else', async () => {
    const ada = talker('ada', [says('ask', { to: 'bob', text: 'Yes?' }), 'ada knows']);
    const bob = talker('bob', [
      says('ask', { to: 'ada', text: 'No?' }),
      says('reply', { text: 'fine' }),
      'bob said it',
    ]);
    const { events, status } = await settled(start(deskOf(ada, bob), 'go'));
    expect(status).toBe('completed');
    expect(failures(events, 'desk/bob-0')).toEqual(['wait.deadlock']);
    expect(failures(events, 'desk/ada-0')).toEqual([]);
    const told = ofType(events, 'tool.finished').find(({ ok }) => !ok)?.text ?? '';
    expect(told).toContain("'desk/bob-0' waits for an answer of 'desk/ada-0'");
    expect(told).toContain("'desk/ada-0' waits for an answer of 'desk/bob-0'");
    expect(ofType(events, 'message.dropped')).toMatchObject([{ to: 'desk/ada-0', reason: 'deadlock' }]);
  });

  test('[KAIZEN-52] a child that asks who waits for it closes a circle, too', async () => {
    const ada = talker('ada', [says('ask', { to: 'parent', text: 'May I?' }), 'ada goes on']);
    const { events } = await settled(start(deskOf(ada), 'go'));
    expect(failures(events, 'desk/ada-0')).toEqual(['wait.deadlock']);
    expect(ofType(events, 'tool.finished').find(({ ok }) => !ok)?.text).toContain(
      "'desk' waits for 'desk/ada-0' to end",
    );
  });

  test('where nobody answers in time the default is taken, or the call fails', async () => {
    const sleeper = () => agent({ name: 'bob', decide: () => wait('nothing', 200_000), stop: [] });
    const outcome = async (options: ColleaguesOptions) => {
      const clock = virtualClock(1_000);
      const ada = talker('ada', [says('ask', { to: 'bob', text: 'Well?' }), 'ada goes on'], options);
      const handle = start(deskOf(ada, sleeper()), 'go', { clock });
      const asked = ofType((await letTimePass(clock, settled(handle), 100_000)).events, 'tool.finished');
      return asked.find(({ tool: name }) => name === 'colleagues.ask');
    };
    const taken = await outcome({ otherwise: 'use your judgement' });
    expect(taken).toMatchObject({
      ok: true,
      text: 'bob did not answer in time. Take this: use your judgement',
    });
    expect((await outcome({}))?.error?.code).toBe('message.timeout');
  });

  test('who was asked and ends without an answer is not waited for', async () => {
    const ada = talker('ada', [says('ask', { to: 'bob', text: 'Well?' }), 'ada goes on']);
    const bob = talker('bob', ['I have nothing to say'], { waits: true });
    const { events } = await settled(start(deskOf(ada, bob), 'go'));
    expect(failures(events, 'desk/ada-0')).toEqual(['message.undelivered']);
  });

  test('[M60] talk that goes round and round ends at the limit, with the name of the pair', async () => {
    const polite = (name: string, to: string, first: boolean) =>
      agent({
        name,
        tools: [colleagues()],
        model: scriptedModel(Array.from({ length: 12 }, () => says('tell', { to, text: 'after you' }))),
        decide: ({ step }) => (step % 2 === (first ? 1 : 0) ? wait('a word', 1_000) : undefined),
      });
    const talk = async (limits: { readonly maxHops?: number; readonly maxExchanges?: number }) => {
      const clock = virtualClock(1_000);
      const desk = deskOf(polite('ada', 'bob', true), polite('bob', 'ada', false));
      const handle = start(desk, 'go', { clock, limits: { messages: limits } });
      const { events } = await letTimePass(clock, settled(handle), 500);
      return {
        sent: ofType(events, 'message.sent').length,
        dropped: ofType(events, 'message.dropped'),
        events,
      };
    };
    const hops = await talk({ maxHops: 4 });
    expect(hops.dropped.map(({ reason }) => reason)).toContain('hops');
    const pairs = await talk({ maxExchanges: 2, maxHops: 100 });
    expect(pairs.dropped.map(({ reason }) => reason)).toContain('ping-pong');
    const told = ofType(pairs.events, 'tool.finished').find(({ ok }) => !ok)?.text ?? '';
    expect(told).toMatch(/'desk\/(ada|bob)-0' has said 2 messages to 'desk\/(ada|bob)-0'/);
  });

  test('[KAIZEN-51] all are told, by broadcast or by topic, but not who says it', async () => {
    const ada = talker('ada', [
      says('broadcast', { text: 'hear' }),
      says('publish', { topic: 'news', text: 'read' }),
      'said',
    ]);
    const bob = talker('bob', [says('subscribe', { topic: 'news', on: false }), 'heard'], { waits: true });
    const cy = agent({
      name: 'cy',
      mailbox: { topics: ['news'] },
      decide: ({ step }) => (step < 2 ? wait('a word', 1_000) : undefined),
      model: scriptedModel(['heard']),
    });
    const clock = virtualClock(1_000);
    const { events } = await letTimePass(clock, settled(start(deskOf(ada, bob, cy), 'go', { clock })));
    expect(ofType(events, 'message.sent').map(({ to, topic = '' }) => `${to} ${topic}`)).toEqual([
      'desk/bob-0 ',
      'desk/cy-0 ',
      'desk/cy-0 news',
    ]);
  });

  test('[KAIZEN-82] a protocol is checked where it is said, and an answer that does not fit is refused to who gives it', async () => {
    const review = protocol({
      from: 'ada',
      to: 'bob',
      messages: {
        draft: { schema: z.object({ words: z.number() }), reply: z.object({ isGood: z.boolean() }) },
        note: { schema: z.object({ text: z.string() }) },
      },
    });
    const found: unknown[] = [];
    const consult = tool({
      name: 'consult',
      description: 'Asks for a review.',
      input: z.object({}),
      timeoutMs: Infinity,
      execute: async (_, context) => {
        found.push(await review.ask(context, 'draft', { words: 3 }));
        await review.tell(context, 'note', { text: 'thank you' });
        found.push(context.messages.saidWith('bob').map(({ kind }) => kind));
        await review
          .ask({ ...context, agent: 'eve' }, 'draft', { words: 3 })
          .catch((error: unknown) => found.push(error));
        await review.tell(context, 'note', { text: 7 as never }).catch((error: unknown) => found.push(error));
        return 'consulted';
      },
    });
    const ada = agent({
      name: 'ada',
      tools: [consult],
      model: scriptedModel([calls({ name: 'consult', input: {} }), 'done']),
    });
    const bob = agent({
      name: 'bob',
      tools: [colleagues()],
      decide: ({ step }) => (step === 0 ? wait('a word') : step === 3 ? wait('a word', 20) : undefined),
      model: scriptedModel([
        says('reply', { text: 'nice' }),
        says('reply', { text: '{"isGood": true}' }),
        'reviewed',
      ]),
    });
    const { events } = await settled(start(deskOf(ada, bob), 'go'));
    expect(found).toMatchObject([
      { isGood: true },
      ['draft', 'answer', 'note'],
      { code: 'message.refused' },
      { code: 'message.invalid' },
    ]);
    expect(failures(events, 'desk/bob-0')).toEqual(['message.invalid']);
  });

  test('[KAIZEN-82] what may not go that way, or to nobody, is refused and told', async () => {
    const ada = talker(
      'ada',
      [
        says('tell', { to: 'bob', text: 'do this', kind: 'delegation' }),
        says('tell', { to: 'nobody', text: 'hello?' }),
        says('tell', { to: 'parent', text: 'half done', kind: 'status' }),
        says('reply', { text: 'nobody asked' }),
        'tried',
      ],
      { with: ['bob', 'nobody', 'parent'] },
    );
    const bob = talker('bob', ['idle']);
    const { events } = await settled(start(deskOf(ada, bob), 'go'));
    expect(failures(events, 'desk/ada-0').slice(0, 3)).toEqual([
      'message.refused',
      'message.undelivered',
      'message.refused',
    ]);
    expect(ofType(events, 'message.sent')).toMatchObject([{ to: 'desk', kind: 'status', from: 'ada' }]);
  });

  test('[KAIZEN-82] a watcher is told once how somebody ended, before or after it did', async () => {
    const ada = talker('ada', ['fine']);
    const bob = agent({
      name: 'bob',
      model: scriptedModel([new Error('broke')]),
      failures: { retry: { attempts: 1 } },
    });
    const handle = start(deskOf(ada, bob), 'go');
    const early = [handle.watch('desk/ada-0'), handle.watch('desk/ada-0'), handle.watch('desk/bob-0')];
    await settled(handle);
    const late = [handle.watch('desk/ada-0'), handle.watch('desk/bob-0'), handle.watch('desk')];
    expect((await Promise.all(early)).map(({ reason }) => reason)).toEqual(['normal', 'normal', 'error']);
    expect((await Promise.all(late)).map(({ reason }) => reason)).toEqual(['normal', 'error', 'normal']);
    await expect(handle.watch('desk/nobody')).rejects.toMatchObject({ code: 'agent.unknown' });
  });
});
