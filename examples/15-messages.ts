// Agents that exchange messages while they work: typed questions, time limits for answers, topics, and dead letters.
//
//   npx tsx examples/15-messages.ts
//
// When not to use it: one needs another's output. That is the input of its task (pipeline, workflow), and needs no messages.
// Its chart: docs/diagrams/parallel.mmd; messages need no chart of their own, they are read at OBSERVE of docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { agent, answer, ofType, tool, wait } from 'troupe';
import { parallel } from 'troupe/patterns';
import { calls, scriptedModel } from 'troupe/testing';
import { colleagues, protocol } from 'troupe/tools';
import { z } from 'zod';

// Messages from the writer to the sceptic, and the replies. Both are checked, at compile time and when sent.
const review = protocol({
  from: 'writer',
  to: 'sceptic',
  messages: { draft: { schema: z.object({ text: z.string() }), reply: z.object({ isGood: z.boolean() }) } },
});

// Code sends messages from within a tool. The runtime sets the sender.
const consult = tool({
  name: 'consult',
  description: 'Asks the sceptic, and the archive.',
  input: z.object({ text: z.string() }),
  execute: async ({ text }, context) => {
    const { isGood } = await review.ask(context, 'draft', { text });
    // After the time limit: continue with a default, or fail with `message.timeout`.
    const year = await context.messages.ask('archive', 'Since when?', {
      timeoutMs: 20,
      otherwise: 'long ago',
    });
    return `${isGood ? text : 'Nothing.'} Known since ${year.text}.`;
  },
});

// Models use the tools of `colleagues()`.
const say = (name: string, input: Record<string, string>) => calls({ name: `colleagues.${name}`, input });
const writer = agent({
  name: 'writer',
  tools: [consult, colleagues()],
  model: scriptedModel([
    calls({ name: 'consult', input: { text: 'The moon pulls the sea.' } }),
    say('tell', { to: 'printer', text: 'Print it.' }), // unknown: the model reads the error
    say('publish', { topic: 'finished', text: 'The text is ready.' }),
    ({ messages }) => messages.toReversed().find(({ text }) => text.includes('Known since'))?.text ?? '',
  ]),
});
const sceptic = agent({
  name: 'sceptic',
  tools: [colleagues({ with: ['writer'] })],
  decide: ({ step }) => (step === 0 ? wait('a draft') : undefined),
  model: scriptedModel([
    say('reply', { text: 'Quite nice.' }), // is not an answer to a draft: it reads so, and the question stays open
    say('reply', { text: '{"isGood": true}' }),
    'I have read one draft.',
  ]),
});
// Subscribed from the start. The writer's question wakes it, and it sleeps again; the news ends its run.
const archive = agent({
  name: 'archive',
  mailbox: { topics: ['finished'] },
  decide: ({ step }) => (step < 2 ? wait('the news') : answer('closed')),
});

const desk = parallel({ name: 'desk', members: { writer, sceptic, archive } });
const handle = desk.stream('Why are there tides?');
handle.events$
  .pipe(ofType('message.sent'))
  .subscribe(({ from, to, kind, text }) => console.log(`${from} → ${to} (${kind ?? 'said'}): ${text}`));
handle.deadLetters$.subscribe(({ from, to, reason, text }) =>
  console.log(`reached nobody (${reason}): ${from} → ${to}: ${text}`),
);
const { output, events } = await handle.result;
console.log(output?.[0]?.output);

assert.equal(output?.[0]?.output, 'The moon pulls the sea. Known since long ago.');
assert.equal(events.filter(({ type }) => type === 'message.sent').length, 4);
// Undeliverable messages were reported to their senders: an invalid reply, and one to an unknown receiver.
assert.deepEqual(
  events.flatMap((event) => (event.type === 'tool.finished' && !event.ok ? [event.error?.code] : [])),
  ['message.invalid', 'message.undelivered'],
);
