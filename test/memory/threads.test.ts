import { describe, expect, test } from 'vitest';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import type { EarlierTurn } from '../../src/contracts/conversations/thread.ts';
import { modelSummariser } from '../../src/memory/processors/model-summariser.ts';
import { modelTitle } from '../../src/memory/threads/model-title.ts';
import type { ThreadsOptions } from '../../src/memory/threads/threads.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { keptFiles } from '../support/kept-files.ts';

const pair = (asked: string, answered: string): readonly EarlierTurn[] => [
  { role: 'user', text: asked },
  { role: 'assistant', text: answered },
];

const textsOf = (turns: readonly { readonly text: string }[] | undefined): readonly string[] =>
  (turns ?? []).map(({ text }) => text);

describe.each(keptFiles('threads'))('[TENEX-88] threads in $where', ({ place }) => {
  const world = (options: ThreadsOptions = {}) => {
    const open = place();
    const clock = virtualClock(1_000);
    const again = (more: ThreadsOptions = {}) => threads(open(), { clock, ...options, ...more });
    return { open, clock, again, talks: again() };
  };

  test('a thread that is created is there at once, in another process too, and cannot be created twice', async () => {
    const { again, talks } = world();
    const entry = await talks.create({ id: 'a', title: 'Tea' });
    expect(entry).toEqual({
      id: 'a',
      title: 'Tea',
      isArchived: false,
      isComplete: false,
      createdAt: 1_000,
      updatedAt: 1_000,
    });
    expect(await again().load('a')).toEqual({ ...entry, turns: [], skipped: [] });
    await expect(again().create({ id: 'a' })).rejects.toMatchObject({ code: 'thread.exists' });
    expect((await talks.create()).id).not.toBe((await talks.create()).id);
    expect(await talks.load('nobody')).toBeUndefined();
  });

  test('each change is saved by the time that it is answered', async () => {
    const { clock, again, talks } = world();
    await talks.append('a', { turns: pair('my name is Ada of London town', 'Hello.') });
    await clock.advance(10);
    await again().append('a', { runId: 'r', turns: pair('and mine?', 'Ada.') });
    const read = await again().load('a');
    expect(read).toMatchObject({
      title: 'my name is Ada of',
      createdAt: 1_000,
      updatedAt: 1_010,
      skipped: [],
    });
    expect(read?.turns).toEqual([
      { role: 'user', text: 'my name is Ada of London town', at: 1_000 },
      { role: 'assistant', text: 'Hello.', at: 1_000 },
      { role: 'user', text: 'and mine?', at: 1_010, runId: 'r' },
      { role: 'assistant', text: 'Ada.', at: 1_010, runId: 'r' },
    ]);
  });

  test('a run is added once, however often and by however many it is added', async () => {
    const { again, talks } = world();
    const said = { runId: 'r', turns: pair('x', 'y') };
    await Promise.all([talks.append('a', said), talks.append('a', said)]);
    await again().append('a', said);
    expect((await again().load('a'))?.turns).toHaveLength(2);
  });

  test('what many say at once is all there, in the order in which they said it', async () => {
    const { again, talks } = world();
    const asked = Array.from({ length: 10 }, (_, index) => `q${index}`);
    await Promise.all(asked.map((text) => talks.append('a', { turns: [{ role: 'user', text }] })));
    expect(textsOf((await again().load('a'))?.turns)).toEqual(asked);
  });

  test('lists the newest first, without those that are archived unless they are asked for', async () => {
    const { clock, again, talks } = world();
    for (const id of ['a', 'b', 'c']) {
      await talks.append(id, { turns: pair(id, id) });
      await clock.advance(1);
    }
    await talks.append('a', { turns: pair('more', 'more') });
    await talks.archive('c');
    const ids = async (query = {}) => (await again().list(query)).map(({ id }) => id);
    expect(await ids()).toEqual(['a', 'b']);
    expect(await ids({ archived: true })).toEqual(['a', 'c', 'b']);
    expect(await ids({ limit: 1 })).toEqual(['a']);
    expect(await again().load('c')).toMatchObject({ isArchived: true });
    await again().unarchive('c');
    expect(await ids()).toEqual(['a', 'c', 'b']);
  });

  test('finds by title and by text, all words of it, whatever their case', async () => {
    const { again, talks } = world();
    await talks.append('a', { turns: pair('Where is the red house?', 'In Oslo.') });
    await talks.append('b', { turns: pair('Where is the blue one?', 'Nowhere.') });
    await talks.rename('b', 'Lost things');
    const ids = async (text: string, query = {}) => (await again().search(text, query)).map(({ id }) => id);
    expect(await ids('OSLO house')).toEqual(['a']);
    expect(await ids('lost')).toEqual(['b']);
    expect((await ids('where')).toSorted()).toEqual(['a', 'b']);
    expect(await ids('oslo blue')).toEqual([]);
    await talks.archive('a');
    expect(await ids('oslo')).toEqual([]);
    expect(await ids('oslo', { archived: true })).toEqual(['a']);
  });

  test('completes, renames and removes; what is not there cannot be changed', async () => {
    const { again, talks } = world();
    await talks.append('a', { turns: pair('x', 'y') });
    await talks.complete('a');
    await talks.rename('a', 'A  new\nname');
    expect(await again().list()).toMatchObject([{ isComplete: true, title: 'A new name' }]);
    await talks.remove('a');
    await talks.remove('a');
    expect(await again().load('a')).toBeUndefined();
    await talks.create({ id: 'a' });
    expect((await again().load('a'))?.turns).toEqual([]);
    for (const change of [
      talks.archive('b'),
      talks.unarchive('b'),
      talks.complete('b'),
      talks.rename('b', 'x'),
    ])
      await expect(change).rejects.toMatchObject({ code: 'thread.unknown' });
  });

  test('[DODO-62] is scoped: threads of another project are neither listed, found, loaded nor hurt', async () => {
    const { again } = world();
    const one = again({ scope: 'f00d' });
    const other = again({ scope: '/home/ada/Päpers' });
    await one.append('talk', { turns: pair('one', 'one') });
    await other.append('talk', { turns: pair('other', 'other') });
    expect(textsOf((await one.load('talk'))?.turns)).toEqual(['one', 'one']);
    expect(await other.search('one')).toEqual([]);
    await one.remove('talk');
    expect(await one.list()).toEqual([]);
    expect(await again({ scope: '/home/ada/Päpers' }).list()).toMatchObject([{ id: 'talk', title: 'other' }]);
    expect(await again().list()).toEqual([]);
  });

  test('any name will do, but none at all', async () => {
    const { again, talks } = world();
    const names = [
      '../../etc',
      'A',
      'a',
      'x'.repeat(500),
      `${'x'.repeat(500)}y`,
      'ä😀',
      'a/thread.json',
      '~',
    ];
    for (const id of names) await talks.append(id, { turns: pair(id, id) });
    const listed = (await again().list()).map(({ id }) => id);
    expect(listed.toSorted()).toEqual(names.toSorted());
    await expect(talks.load('')).rejects.toMatchObject({ code: 'thread.invalid' });
    expect(() => again({ scope: '' })).toThrow(/^Cannot keep threads as their scope/);
  });

  const turnsOf = async (files: KeyValueFiles) =>
    (await files.names()).find((name) => name.endsWith('/turns.jsonl')) ?? '';
  const entryOf = async (files: KeyValueFiles) =>
    (await files.names()).find((name) => name.endsWith('/thread.json')) ?? '';

  test('a line that a crash cut off is passed over and named, and what comes after it is read', async () => {
    const { open, again, talks } = world();
    await talks.append('a', { turns: pair('one', 'two') });
    await open().append(await turnsOf(open()), '{"v":1,"turns":[{"ro');
    const read = await again().load('a');
    expect(textsOf(read?.turns)).toEqual(['one', 'two']);
    expect(read?.skipped).toEqual([{ line: 2, text: '{"v":1,"turns":[{"ro' }]);
    await again().append('a', { turns: pair('three', 'four') });
    expect(textsOf((await again().load('a'))?.turns)).toEqual(['one', 'two', 'three', 'four']);
  });

  test('what a later release wrote is refused by name, and so is what is damaged', async () => {
    const { open, again, talks } = world();
    await talks.append('old', { turns: pair('x', 'y') });
    await open().append(await turnsOf(open()), '{"v":3,"turns":[]}\n');
    await expect(again().load('old')).rejects.toMatchObject({
      code: 'thread.version',
      message: `Cannot read the thread 'old' as it was written by another release: version 3, where 1 and 2 are known`,
    });
    await open().write(await entryOf(open()), '{"v":7,"id":"old"}');
    await expect(again().load('old')).rejects.toThrow(/'old'.*version 7/);
    await expect(again().append('old', { turns: [] })).rejects.toMatchObject({ code: 'thread.version' });
    expect((await again().list()).unreadable).toMatchObject([
      { id: 'old', error: { code: 'thread.version' } },
    ]);
    await open().write(await entryOf(open()), '{"v":1,"id"');
    await expect(again().load('old')).rejects.toMatchObject({ code: 'thread.corrupt' });
    const problems: string[] = [];
    const careful = again({ onProblem: (_, id) => problems.push(id) });
    await careful.append('new', { turns: pair('x', 'y') });
    expect((await careful.list()).map(({ id }) => id)).toEqual(['new']);
    expect(problems).toEqual(['old']);
  });
});

describe('[DODO-62] titles and summaries', () => {
  const inMemory = (options: ThreadsOptions) => threads(memoryStore().files('threads'), options);

  test('are made by models, and kept', async () => {
    const title = scriptedModel(['"The London Ada Talk."']);
    const summary = scriptedModel(['She is Ada.', 'She is Ada, and likes tea.']);
    const talks = inMemory({ title: modelTitle(title), summariser: modelSummariser(summary) });
    await talks.append('a', { turns: pair('I am Ada', 'Hello') });
    await talks.settled();
    expect(await talks.load('a')).toMatchObject({ title: 'The London Ada Talk', summary: 'She is Ada.' });
    await talks.append('a', { turns: pair('I like tea', 'Noted') });
    await talks.settled();
    expect(await talks.list()).toMatchObject([
      { title: 'The London Ada Talk', summary: 'She is Ada, and likes tea.' },
    ]);
    // The second sums up what is new only.
    expect(summary.requests[1]?.messages[0]?.text).toBe(
      'Summary so far: She is Ada.\nuser: I like tea\nassistant: Noted',
    );
    expect(await talks.search('likes tea ada')).toHaveLength(1);
    title.assertConsumed();
  });

  test('a title that a person gave is left alone, and one that cannot be made is told of', async () => {
    const problems: unknown[] = [];
    const talks = inMemory({
      title: () => Promise.reject(new Error('no model')),
      onProblem: (error) => problems.push(error),
    });
    await talks.append('a', { turns: pair('one two', 'y') });
    await talks.settled();
    expect(problems).toMatchObject([{ message: 'no model' }]);
    expect(await talks.load('a')).toMatchObject({ title: 'one two' });
    await talks.rename('a', 'Mine');
    await talks.append('a', { turns: pair('three', 'y') });
    await talks.settled();
    expect(await talks.load('a')).toMatchObject({ title: 'Mine' });
    expect(problems).toHaveLength(1);
  });
});
