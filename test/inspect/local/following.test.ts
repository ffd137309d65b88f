import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../src/base/json/json.ts';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import type { Decision } from '../../../src/contracts/agents/decision.ts';
import type { JournalRow, JournalStore } from '../../../src/contracts/journals/journal.ts';
import { StoredReplay } from '../../../src/inspect/local/stored-replay.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import type { Recording } from '../../../src/inspect/recording/recording.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { delegate, replay } from '../../../src/index.ts';
import { parallel, pipeline } from '../../../src/patterns/index.ts';
import { JournalSeal, openJournal } from '../../../src/persistence/journal-codec.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { FollowedReplay } from '../../../src/runtime/journal/replay/followed-replay.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { askOpen, Looker, openInspector, readingBy } from './local-kit.ts';

const note = tool({
  name: 'note',
  description: 'Writes something down.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ kept: text }),
});

const lookUp = tool({
  name: 'look_up',
  description: 'Looks something up.',
  input: z.object({ text: z.string() }),
  execute: async ({ text }) => {
    await Promise.resolve();
    return text;
  },
});

const risky = tool({
  name: 'risky',
  description: 'Does something risky.',
  approval: true,
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

const clerk = (steps = 3) =>
  agent({
    name: 'clerk',
    tools: [note, lookUp],
    limits: { budget: { steps: steps + 1 } },
    decide: ({ step }): Decision => {
      const text = `in step ${step}`;
      const wanted = ['note', 'look_up'].map((name) => ({ name, input: { text } }));
      return step < steps ? { kind: 'act', calls: wanted } : { kind: 'answer', answer: 'done' };
    },
  });

const waiter = (name: string) =>
  agent({
    name,
    decide: ({ step }): Decision =>
      step < 2 ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: name },
  });

const asker = () =>
  agent({
    name: 'asker',
    tools: [risky],
    decide: ({ step }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'risky', input: { text: 'now' } }] }
        : { kind: 'answer', answer: 'done' },
  });

const editor = () =>
  agent({
    name: 'editor',
    tools: [
      delegate({
        to: [agent({ name: 'archivist', description: 'Knows.', model: scriptedModel(['1850.']) })],
      }),
    ],
    model: scriptedModel([
      calls({ name: 'delegate', input: { to: 'archivist', task: 'When was it built?' } }),
      'In 1850.',
    ]),
  });

const makers: Readonly<Record<string, () => Agent<string, unknown, unknown>>> = {
  'an agent with tools': () => clerk(),
  'an agent that asks a person': asker,
  'an agent that delegates': editor,
  'a pipeline': () => pipeline({ name: 'house', stages: [waiter('first'), clerk(2), waiter('second')] }),
  'a team at work at once': () =>
    parallel({ name: 'team', members: { first: waiter('first'), clerk: clerk(2) } }),
};

/** The records of a run of it. */
const recordsOfRun = async (
  make: () => Agent<string, unknown, unknown>,
  store: JournalStore = memoryStore(),
): Promise<readonly Json[]> => {
  const handle = make().stream('go', { store, runId: 'r' });
  handle.events$.subscribe((event) => {
    if (event.type === 'tool.approval-requested') handle.approve(event.id);
  });
  await handle.result;
  return openJournal('r', await store.read('r')).records;
};

/** The journal of a run that somebody else writes: rows can be read once they are `written`. */
class Written {
  readonly rows: JournalRow[] = [];
  readonly store: JournalStore;
  /** Rows that were read. */
  read = 0;
  readonly #seal = new JournalSeal({ runId: 'r' });

  constructor(store: JournalStore = PlainStore.with('r', [])) {
    this.store = readingBy(store, (_, from = 0, limit = Infinity) => {
      const found = this.rows.slice(from, from + limit);
      this.read += found.length;
      return found;
    });
  }

  write(records: readonly Json[]): void {
    this.rows.push(this.#seal.seal(records));
  }
}

const linesOf = (recording: Recording): readonly string[] => [...recording.from()];

const tableauOf = (recording: Recording): unknown => {
  const tableau = new Tableau();
  for (const line of recording.from()) tableau.apply(JSON.parse(line) as Entry);
  return tableau.toJSON();
};

/** What a replay of all that is written shows. */
const shownAfresh = async (
  make: () => Agent<string, unknown, unknown>,
  { store }: Written,
): Promise<Recording> => {
  const again = recorder();
  await replay(make(), 'r', { store, inspect: again });
  return again.recording;
};

const follow = (make: () => Agent<string, unknown, unknown>, { store }: Written): StoredReplay =>
  new StoredReplay({ agent: make(), runId: 'r', store, options: {} });

describe('a stored run that is followed', () => {
  const known = new Map<string, readonly Json[]>();

  beforeAll(async () => {
    for (const [name, make] of Object.entries(makers)) known.set(name, await recordsOfRun(make));
  });

  test.each(Object.keys(makers))(
    'shows at each of its rows what a replay from the start shows, however it is cut: %s',
    async (name) => {
      const make = makers[name] ?? clerk;
      const records = known.get(name) ?? [];
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 12 }),
          async (portions) => {
            const written = new Written();
            const followed = follow(make, written);
            for (let [at, turn] = [0, 0]; at < records.length; turn += 1) {
              const size = portions[turn % portions.length] ?? 1;
              written.write(records.slice(at, at + size));
              at += size;
              // Several rows may have come when one looks.
              if (size % 2 === 0 && at < records.length) continue;
              await followed.look();
              const { recording } = followed.calls.recorder;
              const afresh = await shownAfresh(make, written);
              expect(linesOf(recording)).toEqual(linesOf(afresh));
              expect(tableauOf(recording)).toEqual(tableauOf(afresh));
            }
          },
        ),
        { numRuns: 3 },
      );
    },
    60_000,
  );

  test.each([20, 200])(
    'costs what is new: rows read and records replayed, after %i steps',
    async (steps) => {
      const records = await recordsOfRun(() => clerk(steps), sqliteStore(':memory:'));
      const taken = vi.spyOn(FollowedReplay.prototype, 'take');
      const written = new Written();
      const followed = follow(() => clerk(steps), written);
      const end = records.length - 40;
      written.write(records.slice(0, end));
      await followed.look();
      const { recorder: first } = followed.calls;
      for (let at = end; at < records.length; at += 8) {
        const part = records.slice(at, at + 8);
        written.write(part.slice(0, 3));
        written.write(part.slice(3));
        [written.read] = [0];
        taken.mockClear();
        expect(await followed.look()).toBe(true);
        // The last row is read again: by it the journal is known.
        expect(written.read).toBe(3);
        expect(taken.mock.calls.map(([given]) => given.length)).toEqual([8]);
        [written.read] = [0];
        expect(await followed.look()).toBe(false);
        expect(written.read).toBe(1);
      }
      expect(followed.calls.recorder).toBe(first);
      expect(linesOf(first.recording).at(-1)).toContain('"run.ended"');
    },
    60_000,
  );

  test('is replayed anew where something arrived among what it had run ahead of', async () => {
    const records = known.get('an agent with tools') ?? [];
    const isOfJob = (record: Json | undefined): boolean => {
      const { kind, tick } = (record ?? {}) as { kind?: string; tick?: number };
      return kind === 'event' && tick === undefined;
    };
    const at = records.findIndex(
      (record, index) => index > 20 && isOfJob(record) && isOfJob(records[index + 1]),
    );
    const { event } = records[at] as { event: { at: number } };
    const time = { kind: 'arrived', tick: 0, at: event.at, arrival: { type: 'time' } };
    const written = new Written();
    const followed = follow(() => clerk(), written);
    written.write(records.slice(0, at + 1));
    await followed.look();
    const before = linesOf(followed.calls.recorder.recording);
    const { recorder: first } = followed.calls;
    written.write([time, ...records.slice(at + 1)]);
    await followed.look();
    expect(followed.calls.recorder).not.toBe(first);
    const after = linesOf(followed.calls.recorder.recording);
    expect(after).toEqual(linesOf(await shownAfresh(() => clerk(), written)));
    // Who has seen the beginning goes on from there.
    expect(after.slice(0, before.length)).toEqual(before);
  });

  test('has the requests that are open by now', async () => {
    const records = known.get('an agent that asks a person') ?? [];
    const asked = records.findIndex((record) => JSON.stringify(record).includes('approval-requested'));
    const written = new Written();
    const followed = follow(asker, written);
    written.write(records.slice(0, asked + 1));
    await followed.look();
    expect(followed.requests).toMatchObject([{ run: 'r', path: 'asker' }]);
    written.write(records.slice(asked + 1));
    await followed.look();
    expect(followed.requests).toEqual([]);
  });
});

describe('a journal that cannot be followed any more', () => {
  const changedRow = ({ n, text }: JournalRow): JournalRow => ({ n, text: text.replace('"at":1', '"at":2') });

  /** Ways in which the next row, or what was there, is not what it has to be. */
  const ways: Readonly<Record<string, (rows: JournalRow[], next: JournalRow) => void>> = {
    replaced: (rows, next) => {
      const seal = new JournalSeal({ runId: 'r' });
      for (const [n] of rows.entries()) rows[n] = seal.seal([{ kind: 'other' }]);
      rows.push(next);
    },
    pruned: (rows) => {
      rows.length = 0;
    },
    damaged: (rows, next) => {
      rows.push(changedRow(next));
    },
    'of another format': (rows, { n, text }) => {
      rows.push({ n, text: text.replace('{"v":1', '{"v":7').replace(/"check":"./, '"check":"x') });
    },
  };

  test.each([
    ['replaced', 'journal.conflict'],
    ['pruned', 'journal.conflict'],
    ['damaged', 'journal.corrupt'],
    ['of another format', 'journal.version'],
  ])('says why on the page, and others go on: %s', async (way, code) => {
    const store = new PlainStore();
    await clerk(4).run('go', { store, runId: 'r' });
    await clerk(4).run('go', { store, runId: 'other' });
    const rows = store.rows.get('r') ?? [];
    const others = store.rows.get('other') ?? [];
    const [next, last] = [rows.pop(), others.pop()];
    if (next === undefined || last === undefined) throw new Error('no rows');
    const inspector = await openInspector({ store, agents: [clerk(4)] });
    const [looker, other] = ['r', 'other'].map(
      (run) => new Looker(inspector, `/api/stored/${run}/recording`),
    );
    await looker?.until((each) => each.data('entry').length > 0);
    await other?.until((each) => each.data('entry').length > 0);
    ways[way]?.(rows, next);
    others.push(last);
    await looker?.until((each) => each.data('problem').length > 0);
    expect(JSON.parse(looker?.data('problem')[0] ?? '')).toMatchObject({ code });
    await other?.until((each) => each.data('entry').some((line) => line.includes('"run.ended"')));
    expect(other?.data('problem')).toEqual([]);
    // What is there now is what the next one sees, or is told.
    store.rows.set('r', [...others]);
    expect((await askOpen(inspector, '/api/stored/r/recording')).status).toBe(409);
  });

  test('is opened anew by the next one who looks, if it can be read', async () => {
    const store = new PlainStore();
    await clerk(4).run('go', { store, runId: 'r' });
    const before = [...(store.rows.get('r') ?? [])];
    await clerk(4).run('go', { store, runId: 'r' });
    const now = store.rows.get('r') ?? [];
    store.rows.set('r', before);
    const inspector = await openInspector({ store, agents: [clerk(4)] });
    const first = new Looker(inspector, '/api/stored/r/recording');
    await first.until((each) => each.data('entry').some((line) => line.includes('"run.ended"')));
    first.close();
    store.rows.set('r', now);
    const next = new Looker(inspector, '/api/stored/r/recording');
    await next.until((each) => each.data('entry').some((line) => line.includes('"run.ended"')));
    const again = recorder();
    await replay(clerk(4), 'r', { store, inspect: again });
    expect(next.data('entry')).toEqual(linesOf(again.recording));
  });
});
