import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { wait } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { colleagues } from '../../src/tools/messages/colleagues.ts';
import { protocol } from '../../src/tools/messages/protocol.ts';
import { letTimePass, ofType, settled, start } from '../support/runs.ts';

const review = protocol({
  from: 'ann',
  to: 'bob',
  messages: {
    draft: {
      schema: z.object({ words: z.string().transform((text) => text.split(' ').length) }),
      reply: z.object({ isGood: z.boolean() }),
      description: 'Has a draft looked at.',
    },
    note: { schema: z.object({ text: z.string() }) },
  },
});

/** Says something by the tools of the protocol. */
const says = (verb: string, input: object): ScriptedReply =>
  calls({ name: `bob.${verb}`, input: { ...input } });
const replies = (text: string): ScriptedReply => calls({ name: 'colleagues.reply', input: { text } });

const team = (
  ann: readonly ScriptedReply[],
  bob: readonly ScriptedReply[],
  { speaker = 'ann', askTimeoutMs = 1_000 } = {},
) => {
  const model = scriptedModel(ann);
  const members = {
    [speaker]: agent({ name: speaker, tools: [review.tools({ askTimeoutMs })], model }),
    bob: agent({
      name: 'bob',
      tools: [colleagues()],
      decide: ({ step }) => (step === 0 || step === 2 ? wait('a word', 5_000) : undefined),
      model: scriptedModel(bob),
    }),
  };
  return { model, desk: parallel({ name: 'desk', members }) };
};

describe('[KAIZEN-82] a protocol as tools of a model', () => {
  const run = async ({ desk }: ReturnType<typeof team>) => {
    const clock = virtualClock(0);
    return letTimePass(clock, settled(start(desk, 'go', { clock })), 100);
  };
  const finished = (events: Parameters<typeof ofType>[0]) =>
    ofType(events, 'tool.finished')
      .filter(({ tool }) => tool.startsWith('bob.'))
      .map(({ ok, text, error }) => (ok ? text : error?.code));

  test('the model asks and tells by the words of the protocol, and reads the reply', async () => {
    const it = team(
      [says('ask_draft', { words: 'the moon pulls' }), says('tell_note', { text: 'thanks' }), 'done'],
      [replies('{"isGood": true}'), 'read'],
    );
    const { events, status } = await run(it);
    expect(status).toBe('completed');
    expect(finished(events)).toEqual(['{"isGood":true}', expect.stringMatching(/^Told bob/)]);
    // What the schema makes of it is what is said: it is looked at once.
    expect(
      ofType(events, 'message.sent')
        .filter(({ from }) => from === 'ann')
        .map(({ kind, data }) => [kind, data]),
    ).toEqual([
      ['draft', { words: 3 }],
      ['note', { text: 'thanks' }],
    ]);
    expect(it.model.requests[0]?.tools?.map(({ name, description }) => [name, description])).toEqual([
      ['bob.ask_draft', 'Has a draft looked at.'],
      ['bob.tell_note', "Tells bob 'note'. It is read at the next step; nothing comes back."],
    ]);
  });

  test('what does not fit is not said, and the model is told why', async () => {
    const { events } = await run(team([says('ask_draft', { words: 7 }), 'done'], ['idle']));
    expect(finished(events)).toEqual(['tool.input-invalid']);
    expect(ofType(events, 'message.sent').filter(({ from }) => from === 'ann')).toEqual([]);
  });

  test('an answer that does not fit is refused to whoever gives it; none in time is a failed call', async () => {
    const { events } = await run(
      team([says('ask_draft', { words: 'a' }), 'done'], [replies('quite nice'), 'read']),
    );
    expect(finished(events)).toEqual(['message.timeout']);
    expect(
      ofType(events, 'tool.finished').flatMap(({ tool, error }) =>
        tool === 'colleagues.reply' ? [error?.code] : [],
      ),
    ).toEqual(['message.invalid']);
  });

  test('they are for who the protocol says: anybody else is refused', async () => {
    const it = team([says('ask_draft', { words: 'a' }), says('tell_note', { text: 'x' }), 'done'], ['idle'], {
      speaker: 'eve',
    });
    expect(finished((await run(it)).events)).toEqual(['message.refused', 'message.refused']);
  });
});

test('what cannot be a tool is refused with a typed error', () => {
  const odd = protocol({ from: 'ann', to: 'bob', messages: { 'a b': { schema: z.object({}) } } });
  expect(() => odd.tools()).toThrow(TroupeError);
  expect(() => odd.tools()).toThrow('a b');
  expect(() => review.tools({ askTimeoutMs: 0 })).toThrow('must be above 0 ms: found 0');
});
