// Agents that talk while they work: typed questions, a time by which somebody has to answer, topics, and letters that reach nobody.
//
//   npx tsx examples/15-messages.ts
//
// When not to use it: where one needs what another has left. That is the input of its task (pipeline, workflow), and needs no talk.
// Its chart: docs/diagrams/parallel.mmd; talk needs no chart of its own, it comes in at OBSERVE of docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { agent, answer, ofType, tool, wait } from 'troupe';
import { colleagues, protocol } from 'troupe/messages';
import { parallel } from 'troupe/patterns';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

// What the writer may say to the sceptic, and what comes back. Both are checked, when compiled and when said.
const review = protocol({
  from: 'writer',
  to: 'sceptic',
  messages: { draft: { schema: z.object({ text: z.string() }), reply: z.object({ isGood: z.boolean() }) } },
});

// Code talks from within a tool. Who a message is from is not for it to say.
const consult = tool({
  name: 'consult',
  description: 'Asks the sceptic, and the archive.',
  input: z.object({ text: z.string() }),
  execute: async ({ text }, context) => {
    const { isGood } = await review.ask(context, 'draft', { text });
    // Who does not answer in time has not answered: go on with something else, or fail with `message.timeout`.
    const year = await context.messages.ask('archive', 'Since when?', {
      timeoutMs: 20,
      otherwise: 'long ago',
    });
    return `${isGood ? text : 'Nothing.'} Known since ${year.text}.`;
  },
});

// Models talk by the tools of `colleagues()`.
const say = (name: string, input: Record<string, string>) => calls({ name: `colleagues.${name}`, input });
const writer = agent({
  name: 'writer',
  tools: [consult, colleagues()],
  model: scriptedModel([
    calls({ name: 'consult', input: { text: 'The moon pulls the sea.' } }),
    say('tell', { to: 'printer', text: 'Print it.' }), // there is nobody of that name: the model is told
    say('publish', { topic: 'finished', text: 'The text is ready.' }),
    ({ messages }) => messages.toReversed().find(({ text }) => text.includes('Known since'))?.text ?? '',
  ]),
});
const sceptic = agent({
  name: 'sceptic',
  tools: [colleagues({ with: ['writer'] })],
  decide: ({ step }) => (step === 0 ? wait('a draft') : undefined),
  model: scriptedModel([
    say('reply', { text: 'Quite nice.' }), // is no answer to a draft: it is told so, and the question stays open
    say('reply', { text: '{"isGood": true}' }),
    'I have read one draft.',
  ]),
});
// Subscribed from its beginning. The question of the writer wakes it, and it sleeps on; the news ends its day.
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
// What could not be said was told to whoever said it: a reply that does not fit, and a letter to nobody.
assert.deepEqual(
  events.flatMap((event) => (event.type === 'tool.finished' && !event.ok ? [event.error?.code] : [])),
  ['message.invalid', 'message.undelivered'],
);
