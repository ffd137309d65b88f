import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { platformSha256 } from '../../src/base/platform-sha256.ts';
import { agent, delegate, fork, replay, resume, tool } from '../../src/index.ts';
import { readBlobs, writeBlobs } from '../../src/persistence/journal-blobs.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { readText } from '../../src/tools/calls/read-text.ts';
import { readingTool } from '../../src/tools/define/read-result.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { processorTime } from '../support/processor-time.ts';
import { perform } from './tool-context.ts';

const lines = Array.from(
  { length: 3_000 },
  (_, at) => `line ${at + 1} of the log${at === 1_999 ? ': BOOM' : ''}`,
);
const log = lines.join('\n');
const hashOf = (text: string): string => platformSha256(new TextEncoder().encode(text));
const id = `log-${hashOf(log).slice(0, 12)}`;

const logTool = () =>
  tool({ name: 'log', description: 'Shows the log.', input: z.object({}), execute: () => log });

const script = [
  calls({ name: 'log', input: {} }),
  calls({ name: 'read_result', input: { id, find: 'boom' } }),
  calls({ name: 'read_result', input: { id, from: 1_999, to: 2_001 } }),
  'It broke at line 2000.',
];

const conversation = { maxTextBytes: 2_000 };

const reader = (answers = script) => {
  const model = scriptedModel(answers);
  return { model, made: agent({ name: 'reader', model, tools: [logTool()], conversation }) };
};

/** The same, by the results that its model is shown: it may be asked again after a crash. */
const steady = () => {
  const model: Model = {
    provider: 'scripted',
    id: 'steady',
    isLanguageModel: false,
    answer: ({ messages }) => {
      const reply = script[messages.toArray().filter(({ role }) => role === 'tool').length];
      return modelAnswer(typeof reply === 'string' ? { text: reply } : { calls: [], ...reply });
    },
  };
  return agent({ name: 'reader', model, tools: [logTool()], conversation });
};

const textsOf = (turns: readonly Turn[]): readonly string[] =>
  turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));

const found = `[of '${id}'] 1 of 1 places that have 'boom', in 3000 lines, ${log.length} characters:\n- line 2000, character ${log.indexOf('BOOM') + 1}: …`;
const piece = (from: number, to: number): string => lines.slice(from - 1, to).join('\n');

describe('a model reads what was cut of a result', () => {
  test('by a tool that its first cut result announces, after the others, which stay as they were', async () => {
    const { model, made } = reader();
    const { output, transcript } = await made.run('What broke?');
    expect(output).toBe('It broke at line 2000.');
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['log'],
      ['log', 'read_result'],
      ['log', 'read_result'],
      ['log', 'read_result'],
    ]);
    expect(new Set(model.requests.map(({ tools }) => JSON.stringify(tools[0]))).size).toBe(1);
    const [cut = '', places = '', read = ''] = textsOf(transcript);
    expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(2_000);
    expect(cut).toContain(id);
    expect(places.startsWith(found)).toBe(true);
    expect(read).toContain(`lines 1999 to 2001 of 3000`);
    expect(read).toContain(piece(1_999, 2_001));
  });

  test('in a run that dies at any of its writes, replayed, forked, and in one that continues its conversation', async () => {
    const store = memoryStore();
    const { events, transcript } = await reader().made.run('What broke?', { store, runId: 'r' });
    expect((await replay(reader().made, 'r', { store })).events).toEqual(events);
    const again = reader(script.slice(2));
    const forked = await fork(again.made, 'r', { store, at: { step: 2 }, change: { model: again.model } });
    expect(textsOf((await forked.result).transcript).at(-1)).toContain(piece(1_999, 2_001));
    const later = reader(script.slice(1));
    const { transcript: continued } = await later.made.run('Where?', { store, history: transcript });
    expect(later.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['log', 'read_result']);
    expect(textsOf(continued).at(-1)).toContain(piece(1_999, 2_001));

    let isOver = false;
    for (let at = 1; !isOver; at += 1) {
      const kept = memoryStore();
      const { store: mortal, died } = mortalStore(kept, { at, isDone: at % 2 === 0 });
      const first = steady().stream('What broke?', { store: mortal, runId: 'r' });
      first.result.catch(() => undefined);
      isOver = await Promise.race([died.then(() => false), first.result.then(() => true)]);
      if (isOver || (await kept.entry('r')) === undefined || (await kept.read('r')).length === 0) continue;
      const resumed = await resume(steady(), 'r', { store: mortalStore(kept).store });
      const result = await resumed.result;
      expect(result.output).toBe('It broke at line 2000.');
      expect(textsOf(result.transcript).at(-1)).toContain(piece(1_999, 2_001));
    }
  });

  test('in an imported run, and in a delegate, which reads what it was shown itself and nothing else', async () => {
    const store = memoryStore();
    await reader().made.run('What broke?', { store, runId: 'r' });
    const rows = await store.read('r');
    const entry = await store.entry('r');
    const blobs = await readBlobs(store, rows);
    expect(Object.keys(blobs)).toEqual([hashOf(log)]);
    const other: JournalStore = memoryStore();
    await writeBlobs(other, blobs);
    const lease = await other.create(entry!, { holder: 'here', ttlMs: 1_000, now: Date.now() });
    await other.commit(lease, { rows, change: entry! });
    await other.release(lease);
    const again = reader(script.slice(2));
    const forked = await fork(again.made, 'r', {
      store: other,
      at: { step: 2 },
      change: { model: again.model },
    });
    expect(textsOf((await forked.result).transcript).at(-1)).toContain(piece(1_999, 2_001));

    const parent = scriptedModel([
      calls({ name: 'delegate', input: { to: 'reader', task: 'What broke?' } }),
      calls({ name: 'read_result', input: { id } }),
      'done',
    ]);
    const boss = agent({ name: 'boss', model: parent, tools: [delegate({ to: [reader().made] })] });
    const { transcript } = await boss.run('Find out.');
    expect(textsOf(transcript)).toEqual([
      expect.stringContaining('It broke at line 2000.'),
      `There is no cut text '${id}': none was cut in this conversation.`,
    ]);
  });

  test('the journal refers to it and the blob store has it once, without the secrets of the run', async () => {
    const secret = 'kept-0123456789abcdef';
    const told = `${log}\n${secret}`;
    const leaky = tool({
      name: 'log',
      description: 'Shows.',
      input: z.object({}),
      execute: () => ({ told }),
    });
    const store = memoryStore();
    const model = scriptedModel([calls({ name: 'log', input: {} }), 'done']);
    const { transcript } = await agent({ name: 'reader', model, tools: [leaky], conversation }).run('go', {
      store,
      runId: 'r',
      secrets: { SHOP_KEY: secret },
    });
    const [, , turn] = transcript;
    const { hash = '', name } = (turn?.role === 'tool' ? turn.whole : undefined) ?? {};
    const [text = ''] = Object.values(await readBlobs(store, await store.read('r'))).map(atob);
    expect(text === JSON.stringify({ told }).replace(secret, '[redacted SHOP_KEY]')).toBe(true);
    expect([hash, name]).toEqual([hashOf(text), `log-${hashOf(text).slice(0, 12)}`]);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('[redacted SHOP_KEY]');
  });
});

describe('what cannot be read is a failure that says what there is', () => {
  const text = 'one\ntwo\nthree\n';
  const turn: Turn = {
    role: 'tool',
    tool: 'log',
    callId: 'c',
    text: 'one',
    whole: { type: 'file', hash: 'a'.repeat(64), mediaType: 'text/plain', size: 14, name: 'log-1' },
  };
  const read = (input: object, conversation: readonly Turn[] = [turn]) =>
    perform(
      readingTool(),
      { id: 'log-1', ...input },
      {
        conversation,
        bytesOf: () => Promise.resolve(new TextEncoder().encode(text)),
      },
    );

  test.each<[object, string]>([
    [{ id: 'log-2' }, `There is no cut text 'log-2'. Did you mean 'log-1'? There are: 'log-1' (14 bytes).`],
    [{ from: 4 }, `Cannot read 'log-1' there: it would start at 4, and the text has 3 lines, 14 characters.`],
    [
      { from: 15, by: 'characters' },
      `Cannot read 'log-1' there: it would start at 15, and the text has 3 lines, 14 characters.`,
    ],
    [{ from: 3, to: 2 }, `Cannot read 'log-1' there: it would end at 2, before it starts at 3.`],
    [{ find: 'nine' }, `[of 'log-1'] 0 of 0 places that have 'nine', in 3 lines, 14 characters`],
  ])('%j', async (input, expected) => {
    expect((await read(input)).text).toBe(expected);
  });

  test('bytes that are gone are named, a name of its own is taken, and a range past the end ends there', async () => {
    const gone = await perform(
      readingTool(),
      { id: 'log-1' },
      {
        conversation: [turn],
        bytesOf: () => Promise.reject(new Error('They are gone.')),
      },
    );
    expect(gone).toMatchObject({ ok: false, text: expect.stringContaining('They are gone.') as unknown });
    expect((await read({ from: 2, to: 99 })).text).toBe(
      `[of 'log-1'] lines 2 to 3 of 3, characters 5 to 14 of 14:\ntwo\nthree\n`,
    );
    const own = tool({ name: 'read_result', description: 'Mine.', input: z.object({}), execute: () => 1 });
    expect(() => agent({ name: 'a', tools: [own] })).toThrow(
      /its name is that of the tool that reads results/,
    );
    await expect(
      agent({ name: 'a', model: scriptedModel(['x']) }).run('go', {
        history: [{ ...turn, whole: { ...turn.whole!, hash: '../../etc/passwd' } }],
      }),
    ).rejects.toThrow(/its hash is no SHA-256/);
  });
});

describe('pieces of a text', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', 'ü', '😀', '\n', 'b'),
    minLength: 1,
    maxLength: 200,
  });

  test('continued until the end are the whole of it, each within the limit', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (whole, maxBytes) => {
        let [read, from] = ['', 1];
        for (;;) {
          const said = readText(whole, { from, by: 'characters' }, maxBytes);
          const [about = '', start, stop] =
            /^lines \d+ to \d+ of \d+, characters (\d+) to (\d+) of \d+:\n/.exec(said) ?? [];
          const taken = whole.slice(Number(start) - 1, Number(stop));
          expect(said.startsWith(about + taken)).toBe(true);
          expect(new TextEncoder().encode(taken).length).toBeLessThanOrEqual(maxBytes);
          read += taken;
          if (read.length === whole.length) break;
          from = Number(/\[continue by characters from (\d+)\]$/.exec(said)?.[1]);
        }
        expect(read).toBe(whole);
      }),
    );
  });

  test('by lines are those lines, and places are where the text is, in any case', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(9), (whole, at, more) => {
        const all = whole.split(/(?<=\n)/);
        const from = 1 + (at % all.length);
        const said = readText(whole, { from, to: from + more }, 10_000);
        expect(said.slice(said.indexOf(':\n') + 2)).toBe(all.slice(from - 1, from + more).join(''));
        const places = [...whole.matchAll(/b/gi)].map(({ index }) => index + 1);
        const shown = readText(whole, { find: 'B' }, 100_000);
        expect(shown.startsWith(`${Math.min(20, places.length)} of ${places.length} places`)).toBe(true);
        expect([...shown.matchAll(/character (\d+): /g)].map(([, place]) => Number(place))).toEqual(
          places.slice(0, 20),
        );
      }),
    );
  });

  test('of a million characters that are made to be slow to search are found in time proportional to it', () => {
    const hostile = 'a'.repeat(1_000_000);
    const spent = processorTime(() => {
      expect(readText(hostile, { find: `b${'a'.repeat(99)}` }, 1_000)).toMatch(/^0 of 0 places/);
      expect(readText(hostile, { find: 'a' }, 1_000)).toContain('of 1000000 places');
    });
    expect(spent).toBeLessThan(2_000);
  });
});
