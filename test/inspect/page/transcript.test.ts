import { describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { mediaIn } from '../../../src/inspect/page/media-in.ts';
import { lastAttempt } from '../../../src/inspect/page/model-calls.ts';
import type { TranscriptItem } from '../../../src/inspect/page/transcript.ts';
import { transcriptOf } from '../../../src/inspect/page/transcript.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, settled } from '../../support/runs.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { png } from '../../content/pictures.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ to: z.string() }),
  approval: ({ to }) => to === 'eve',
  execute: ({ to }) => {
    if (to === 'bob') throw new Error('bob has moved');
    return `paid ${to}`;
  },
});

const entriesOf = async (...script: Parameters<typeof scriptedModel>[0]): Promise<readonly Entry[]> => {
  const record = recorder();
  const clock = virtualClock(0);
  const payer = agent({ name: 'payer', tools: [pay], model: scriptedModel(script) });
  const handle = payer.stream('Pay them all.', {
    inspect: record,
    runId: 'r',
    clock,
    person: { approve: () => 'not her' },
  });
  await letTimePass(clock, settled(handle));
  return [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
};

const about = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter((entry) => entry.kind !== 'chart' && entry.actor === 'r/payer');

const line = (item: TranscriptItem): string => {
  if (item.kind === 'said') return `${item.who}: ${item.text}`;
  if (item.kind === 'model') return `model ${lastAttempt(item).status}: ${item.text}`;
  if (item.kind === 'tool') return `${item.tool} ${JSON.stringify(item.input)} ${item.status}: ${item.text}`;
  return `(${item.tone}) ${item.title}`;
};

describe('the transcript of an actor', () => {
  test('has its task, what its model said, and each call with what came of it', async () => {
    const entries = await entriesOf(
      calls(
        { name: 'pay', input: { to: 'ann' } },
        { name: 'pay', input: { to: 'bob' } },
        { name: 'pay', input: { to: 'eve' } },
      ),
      'Two of three.',
    );
    const items = transcriptOf(about(entries));
    expect(items.map(line)).toEqual([
      'task: Pay them all.',
      'model answered: ',
      'pay {"to":"ann"} done: paid ann',
      expect.stringMatching(/^pay \{"to":"bob"\} failed: .*bob has moved/),
      expect.stringMatching(/^pay \{"to":"eve"\} denied: .*not her/),
      'model answered: Two of three.',
      '(good) completed: answered',
    ]);
    expect(items[1]).toMatchObject({ attempts: [{ tokens: { input: expect.any(Number) }, durationMs: 0 }] });
  });

  test('has at each place what was so then, and nothing that came later', async () => {
    const entries = about(await entriesOf(calls({ name: 'pay', input: { to: 'eve' } }), 'No.'));
    const seen = new Set<string>();
    for (let length = 0; length <= entries.length; length += 1)
      for (const item of transcriptOf(entries.slice(0, length)))
        if (item.kind === 'tool') seen.add(item.status);
    expect([...seen]).toEqual(['requested', 'awaiting approval', 'denied']);
  });

  test('notes once what a model was not sent, and what its provider ran', () => {
    const base = { v: 1 as const, at: 0, runId: 'r', path: 'payer', agent: 'payer', seq: 0 };
    const answered = {
      ...base,
      type: 'model.answered' as const,
      model: 'm',
      text: 'Yes.',
      calls: 0,
      finish: 'stop',
      usage: { input: 1, output: 1 },
      durationMs: 0,
    };
    const events: readonly LiveEvent[] = [
      { ...base, type: 'model.asked', model: 'm', key: '1', messages: 1, attempt: 1 },
      { ...answered, key: '1', omitted: { topK: 'it has no field for it' } },
      { ...base, type: 'model.asked', model: 'm', key: '2', messages: 1, attempt: 1 },
      {
        ...answered,
        key: '2',
        providerCalls: [{ tool: 'web_search', input: { query: 'x' }, problem: 'too often' }],
      },
    ];
    const items = transcriptOf(
      events.map((event, n): Entry => ({ n, at: 0, kind: 'published', actor: 'r/payer', event })),
    );
    expect(items.map(line)).toEqual([
      'model answered: Yes.',
      '(warning) settings left out',
      'model answered: Yes.',
      '(plain) run by the provider',
    ]);
    expect(items[1]).toMatchObject({ text: 'topK: it has no field for it' });
    expect(items[3]).toMatchObject({
      text: expect.stringMatching(/^web_search .*x.*, failed: too often$/s) as unknown,
    });
  });

  test('says what went wrong, and takes back what a model did not mean', () => {
    const base = { v: 1 as const, at: 0, runId: 'r', path: 'payer', agent: 'payer', seq: 0 };
    const error = new TroupeError('model.unavailable', 'Cannot answer as it is down: wait').toJSON();
    const told = (...events: readonly LiveEvent[]): readonly Entry[] =>
      events.map((event, n) => ({ n, at: 0, kind: 'published', actor: 'r/payer', event }));
    const items = transcriptOf(
      told(
        { ...base, type: 'tool.requested', callId: 'c', tool: 'pay', input: {} },
        { ...base, type: 'tool.denied', callId: 'c', tool: 'pay' },
        { ...base, type: 'tool.finished', callId: 'c', tool: 'pay', ok: false, text: 'no', durationMs: 0 },
        { ...base, type: 'model.asked', model: 'm', key: '1', messages: 1, attempt: 1 },
        { ...base, type: 'model.discarded', model: 'm', key: '1', characters: 9 },
        { ...base, type: 'model.retrying', model: 'm', attempt: 2, waitMs: 10, error },
        { ...base, type: 'model.asked', model: 'm', key: '2', messages: 1, attempt: 2 },
        { ...base, type: 'model.failed', model: 'm', key: '2', error },
      ),
    );
    expect(items.map(line)).toEqual(['pay {} denied: no', `model failed: ${error.message}`]);
    expect(items[1]).toMatchObject({
      n: 3,
      attempts: [
        { key: '1', status: 'waiting', broken: 9, waitMs: 10, error: { message: error.message } },
        { key: '2', status: 'failed' },
      ],
    });
  });
});

describe('media in a transcript', () => {
  const findSaid = (entries: readonly Entry[], actor: string) =>
    transcriptOf(entries.filter((entry) => entry.kind !== 'chart' && entry.actor === actor)).flatMap((item) =>
      item.kind === 'said' ? [`${item.who}: ${(item.media ?? []).map(({ name }) => name).join()}`] : [],
    );
  const picture = { type: 'image', data: png(), name: 'm.png' } as const;

  test('stand once beside the message that has them, however often an agent is given it', async () => {
    const record = recorder();
    const clock = virtualClock(0);
    const reader = agent({ name: 'clerk', decide: () => answer('read') });
    const alone = reader.stream('Read.', { inspect: record, runId: 'r', clock, paused: true });
    alone.send([{ type: 'text', text: 'see this' }, picture]);
    alone.send('and a second one');
    alone.resume();
    await letTimePass(clock, settled(alone));
    const entries = [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
    const shown = findSaid(entries, 'r/clerk').filter((line) => line.endsWith('m.png'));
    expect(shown).toEqual(['person → clerk: m.png']);
  });

  test('of a recording that lies are not shown, and break nothing', () => {
    const hash = 'a'.repeat(64);
    const good = { type: 'image', hash, mediaType: 'image/png', size: 1 };
    const lies = [
      { ...good, hash: { toString: null } },
      { ...good, name: { a: 1 } },
      { ...good, mediaType: '\ud800/png' },
      { ...good, mediaType: 'image/png\r\nx: y' },
      { ...good, size: '1' },
      { ...good, hash: `${hash}/../..` },
    ];
    expect(mediaIn(lies)).toEqual([]);
    expect(mediaIn([lies, { deep: [good] }])).toEqual([good]);
    const input = [{ type: 'image', url: 'x', name: { toString: null } }];
    const moved = {
      n: 0,
      at: 0,
      kind: 'moved',
      actor: 'a',
      on: 'x',
      arrows: [],
      states: [],
      patch: { input },
    };
    // As a page reads it: whatever it holds.
    expect(transcriptOf([moved as Entry])).toHaveLength(1);
  });
});
