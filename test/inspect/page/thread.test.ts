import fc from 'fast-check';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { Threads } from '../../../src/inspect/page/folds/threads.ts';
import { Folds } from '../../../src/inspect/page/folds/folds.ts';
import { Heights } from '../../../src/inspect/page/list/heights.ts';
import type { ThreadItem } from '../../../src/inspect/page/thread/thread-item.ts';
import { callsAt, mediaAt } from '../../../src/inspect/page/thread/thread-item.ts';
import { initialOf, tintOf } from '../../../src/inspect/page/thread/tint-of.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { png } from '../../content/pictures.ts';
import { letTimePass, settled } from '../../support/runs.ts';
import { newsroom } from './newsroom.ts';

const foldOf = (entries: Iterable<Entry>): Threads => {
  const folds = new Folds();
  for (const entry of entries) folds.take(entry);
  return folds.threads;
};

const entriesOf = (record: ReturnType<typeof recorder>): readonly Entry[] =>
  [...record.recording.from()].map((line) => JSON.parse(line) as Entry);

const recordedNewsroom = async (): Promise<readonly Entry[]> => {
  const record = recorder();
  const run = newsroom().stream('What became of the ferry?', {
    inspect: record,
    runId: 'r',
    person: { approve: () => true },
  });
  await settled(run);
  return entriesOf(record);
};

/** An item as it stood at a place, on one line. */
const lineAt = (item: ThreadItem, length: number): string => {
  if (item.kind === 'note') return `${item.from.name} (${item.title})`;
  if (item.kind === 'calls')
    return `${item.from.name} calls ${callsAt(item, length)
      .map(({ tool: name, status }) => `${name} ${status}`)
      .join(', ')}`;
  const to = item.to === undefined ? '' : ` → ${item.to.name}`;
  return `${item.from.name}${to}: ${item.text.slice(0, 40)}`;
};

const linesOf = (threads: Threads, actor: string, length = Infinity): readonly string[] => {
  const { items, count } = threads.threadAt(actor, length);
  return items.slice(0, count).map((item) => lineAt(item, length));
};

describe('the thread of a team', () => {
  test('has in the order of time what each member was told and said, calls on one line, and how it ended', async () => {
    const entries = await recordedNewsroom();
    const threads = foldOf(entries);
    const { items } = threads.threadAt('r/newsroom', Infinity);
    expect(items.map(({ n }) => n)).toEqual(items.map(({ n }) => n).toSorted((one, other) => one - other));
    const lines = linesOf(threads, 'r/newsroom');
    expect(lines.slice(0, 3)).toEqual([
      'outside → newsroom: What became of the ferry?',
      expect.stringMatching(/^newsroom → supervisor-1: Request: What became/),
      expect.stringMatching(/^supervisor-1: \{"assignments"/),
    ]);
    expect(lines).toContain('newsroom → researcher-2: Find out what became of the ferry since ');
    expect(linesOf(threads, 'r/newsroom/researcher-2')).toEqual([
      'newsroom → researcher-2: Find out what became of the ferry since ',
      'researcher-2 calls search done',
      'researcher-2 calls read_article done, read_article failed',
      'researcher-2: Fares rose by a fifth in spring. The mor',
    ]);
    expect(lines).toContain('writer-5 calls publish done');
    expect(lines.slice(-2)).toEqual([
      'newsroom: The piece on the ferry is on the front p',
      'newsroom (completed: answered)',
    ]);
  });

  test('tells of words and results by which event a fork may change them: answers of models, results, and messages from outside', async () => {
    const entries = await recordedNewsroom();
    const published = entries.flatMap((entry) => (entry.kind === 'published' ? [entry.event] : []));
    const { items } = foldOf(entries).threadAt('r/newsroom', Infinity);
    const events = items.flatMap((item) => (item.kind === 'words' ? (item.event ?? []) : []));
    const answers = published.flatMap((event) =>
      event.type === 'model.answered' && event.text !== ''
        ? [
            {
              actor: `r/${event.path}`.replace(/\/~.*$/, ''),
              seq: event.seq,
              type: event.type,
              key: event.key,
            },
          ]
        : [],
    );
    expect(answers.length).toBeGreaterThan(1);
    expect(events).toEqual(answers);
    const results = items.flatMap((item) =>
      item.kind === 'calls' ? callsAt(item, Infinity).map(({ seq }) => seq) : [],
    );
    expect(results.toSorted((one, other) => Number(one) - Number(other))).toEqual(
      published.flatMap((event) => (event.type === 'tool.finished' ? [event.seq] : [])),
    );
    const line = items.find((item) => item.kind === 'calls');
    expect(line?.kind === 'calls' && callsAt(line, line.n + 1).map(({ seq }) => seq)).toEqual([undefined]);
  });

  test('of a supervisor has its members alone, and that of an agent without members is no team', async () => {
    const threads = foldOf(await recordedNewsroom());
    expect(threads.isTeamAt('r/newsroom', Infinity)).toBe(true);
    expect(threads.isTeamAt('r/newsroom', 2)).toBe(false);
    expect(threads.isTeamAt('r/newsroom/writer-5', Infinity)).toBe(false);
    expect(threads.isWithin('r/newsroom/writer-5', 'r/newsroom')).toBe(true);
    expect(threads.isWithin('r/newsroom', 'r/newsroom/writer-5')).toBe(false);
    expect(linesOf(threads, 'r/nobody')).toEqual([]);
  });

  test('is at any place what it would be if the recording ended there', async () => {
    const entries = await recordedNewsroom();
    const threads = foldOf(entries);
    const statuses = new Set<string>();
    for (let length = 0; length <= entries.length; length += 1) {
      const lines = linesOf(threads, 'r/newsroom', length);
      expect(lines).toEqual(linesOf(foldOf(entries.slice(0, length)), 'r/newsroom', length));
      for (const line of lines)
        for (const [status] of line.matchAll(/awaiting approval|requested/g)) statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual(['awaiting approval', 'requested']);
  });

  test('has a message between members once, from and to, and so has that of each of them', async () => {
    const record = recorder();
    const write = tool({
      name: 'write',
      description: 'Writes to the other.',
      input: z.object({}),
      execute: async (_, { messages }) => await messages.tell('bob', 'see this'),
    });
    const clock = virtualClock(0);
    const ann = agent({
      name: 'ann',
      tools: [write],
      decide: ({ step }) => (step === 0 ? act({ name: 'write', input: {} }) : answer('done')),
    });
    const bob = agent({
      name: 'bob',
      decide: ({ step }) => (step < 3 ? { kind: 'wait', forMs: 10 } : answer('read')),
    });
    const team = parallel({ name: 'team', members: { ann, bob } });
    await letTimePass(clock, settled(team.stream('go', { inspect: record, runId: 'r', clock })), 10);
    const threads = foldOf(entriesOf(record));
    const said = (actor: string): readonly string[] =>
      linesOf(threads, actor).filter((line) => line.includes('see this'));
    for (const actor of ['r/team', 'r/team/ann-1', 'r/team/bob-2'])
      expect(said(actor)).toEqual(['ann-1 → bob-2: see this']);
  });

  test('has the pictures of a message once it was delivered', async () => {
    const record = recorder();
    const clock = virtualClock(0);
    const reader = agent({ name: 'clerk', decide: () => answer('read') });
    const run = reader.stream('Read.', { inspect: record, runId: 'r', clock, paused: true });
    run.send([
      { type: 'text', text: 'see this' },
      { type: 'image', data: png(), name: 'm.png' },
    ]);
    run.send('and a second one');
    run.resume();
    await letTimePass(clock, settled(run));
    const { items } = foldOf(entriesOf(record)).threadAt('r/clerk', Infinity);
    const media = items.flatMap((item) => (item.kind === 'words' ? [item] : []));
    const namesAt = (length: number): readonly string[] =>
      media.flatMap((item) =>
        mediaAt(item.media, length).map(({ name }) => `${item.from.name} ${name ?? ''}`),
      );
    expect(namesAt(Infinity)).toEqual(['person m.png']);
    expect(namesAt(media.find(({ text }) => text.includes('see this'))?.n ?? 0)).toEqual([]);
  });

  test('costs as much for each entry however long it is, with a thousand members', () => {
    const work = { steps: 0 };
    /** An entry that counts each time that a part of it is read. */
    const counted = (entry: Entry): Entry =>
      new Proxy(entry, {
        get: (target, name) => {
          work.steps += 1;
          return Reflect.get(target, name) as unknown;
        },
      });
    const threads = new Threads();
    let n = 0;
    const take = (entry: Record<string, unknown>): void => {
      threads.take(counted({ n: n++, at: n, ...entry } as unknown as Entry));
    };
    take({ kind: 'actor', actor: 'r/team', run: 'r', name: 'team', role: 'team' });
    const members = Array.from({ length: 1_000 }, (_, index) => `r/team/m-${index + 1}`);
    for (const actor of members)
      take({ kind: 'actor', actor, run: 'r', parent: 'r/team', name: 'm', role: 'agent' });
    const round = (): number => {
      work.steps = 0;
      for (const actor of members) {
        const about = { v: 1, seq: n, at: n, runId: 'r', path: actor.slice(2), agent: 'm' };
        take({ kind: 'published', actor, event: { ...about, type: 'model.answered', text: `said ${n}` } });
      }
      return work.steps;
    };
    const first = round();
    for (let times = 0; times < 8; times += 1) round();
    expect(round()).toBe(first);
    expect(first).toBeLessThan(20 * members.length);
    const { items, count } = threads.threadAt('r/team', n);
    expect(count).toBe(10_000);
    expect(threads.threadAt('r/team/m-7', n).count).toBe(10);
    expect(threads.threadAt('r/team', (items[4_321]?.n ?? 0) + 1).count).toBe(4_322);
  });

  test('begins where a recording does whose past was dropped', () => {
    const view = {
      run: 'r',
      name: 'x',
      cameAt: 0,
      movedAt: 0,
      status: 'active',
      states: [],
      arrows: [],
      context: {},
      taken: [],
    };
    const threads = new Threads({
      length: 40,
      charts: [],
      actors: [
        { ...view, actor: 'r/team', role: 'team', status: 'active' },
        { ...view, actor: 'r/team/x-1', parent: 'r/team', role: 'agent', status: 'active' },
      ],
    });
    threads.take({
      n: 40,
      at: 0,
      kind: 'moved',
      actor: 'r/team/x-1',
      on: 'e',
      arrows: [],
      states: [],
      patch: { input: 'late' },
    });
    const event = { v: 1, seq: 9, at: 0, runId: 'r', path: 'team/x-1', agent: 'x' } as const;
    threads.take({
      n: 41,
      at: 0,
      kind: 'published',
      actor: 'r/team/x-1',
      event: { ...event, type: 'person.asked', id: 'q', question: 'Who?' },
    });
    expect(linesOf(threads, 'r/team')).toEqual(['x-1 → person: Who?']);
    expect(threads.isTeamAt('r/team', 41)).toBe(true);
  });
});

test('a member has one tint and one initial, whatever its name is', () => {
  const names = ['researcher-2', 'worker-734', '-', '', '\ud800', '💥', 'ötzi'];
  expect(names.map(initialOf)).toEqual(['R2', 'W', '?', '?', '?', '?', 'Ö']);
  for (const name of names) expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(tintOf(name));
  expect(new Set(Array.from({ length: 100 }, (_, index) => tintOf(`member-${index}`))).size).toBe(8);
});

test('the heights of rows sum up to where each row is, as they become known', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 300 }), fc.integer({ min: 1, max: 500 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(changes, fc.nat({ max: 40_000 }), (known, distance) => {
      const heights = new Heights(50);
      const plain = Array.from({ length: 320 }, () => 50);
      for (const [index, height] of known) {
        expect(heights.set(index, height)).toBe(height - (plain[index] ?? 0));
        plain[index] = height;
      }
      const tops = plain.map((_, index) => plain.slice(0, index).reduce((sum, each) => sum + each, 0));
      expect(plain.map((_, index) => heights.top(index))).toEqual(tops);
      const found = plain.findIndex((height, index) => (tops[index] ?? 0) + height > distance);
      expect(heights.rowAt(distance, plain.length)).toBe(found === -1 ? plain.length : found);
    }),
    { numRuns: 60 },
  );
});
