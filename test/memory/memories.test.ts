import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  KeyValueFiles,
  Memory,
  MemoryRecord,
  MemoryScope,
  MemorySource,
} from '../../src/contracts/conversations/memory.ts';
import { insightMemory } from '../../src/memory/memories/insight-memory.ts';
import { keyValueMemory } from '../../src/memory/memories/key-value-memory.ts';
import { memoryText } from '../../src/memory/memories/memory-text.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { recall } from '../../src/memory/memories/recall.ts';
import { recordsOfRun, recordsOfStep } from '../../src/memory/memories/records-of.ts';
import { summaryMemory } from '../../src/memory/memories/summary-memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { folderStore } from '../../src/persistence/folder-store.ts';
import { keptFiles } from '../support/kept-files.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-memory-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const fact = (text: string, at = 0): MemoryRecord => ({ kind: 'fact', text, at });
const here = { runId: 'run-1', agent: 'ada', thread: 'talk' };

interface KindOptions {
  readonly scope?: MemoryScope;
  readonly files?: KeyValueFiles;
  readonly bound?: number;
}

const kinds: readonly {
  readonly kind: string;
  readonly make: (options?: KindOptions) => MemorySource;
  readonly outlives: boolean;
}[] = [
  {
    kind: 'window',
    outlives: true,
    make: ({ bound, ...rest } = {}) => windowMemory({ ...rest, size: bound }),
  },
  {
    kind: 'summary',
    outlives: true,
    make: ({ bound, ...rest } = {}) => summaryMemory({ ...rest, keep: bound }),
  },
  {
    kind: 'vector',
    outlives: true,
    make: ({ bound, ...rest } = {}) => vectorMemory({ ...rest, size: bound }),
  },
  { kind: 'notes', outlives: true, make: ({ bound, ...rest } = {}) => notesMemory({ ...rest, size: bound }) },
  {
    kind: 'key-value',
    outlives: true,
    make: ({ bound, ...rest } = {}) => keyValueMemory({ ...rest, size: bound }),
  },
  {
    kind: 'insights',
    outlives: false,
    make: ({ bound, scope = 'agent' } = {}) => insightMemory({ scope, size: bound }),
  },
];

const opening = (make: (options?: KindOptions) => MemorySource, options?: KindOptions): Promise<Memory> =>
  make(options).open(here);

const told = async (memory: Memory, query = 'code'): Promise<string> =>
  (await memory.recall(query, 10)).map(({ text }) => text).join('\n');

describe.each(kinds)('[QITOS-47] a memory of kind $kind', ({ make }) => {
  const opened = (options?: KindOptions): Promise<Memory> => opening(make, options);

  test('of nothing recalls nothing', async () => {
    const memory = await opened();
    expect(await memory.recall('anything', 5)).toEqual([]);
    expect(await memory.summarise()).toBe('');
    expect(await memory.evict()).toBe(0);
  });

  test('recalls what it was told, and at most as much as is asked for', async () => {
    const memory = await opened();
    await memory.append([fact('the code is 7', 1), fact('the sky is blue', 2), fact('tea at four', 3)]);
    expect(await told(memory)).toContain('the code is 7');
    expect(await memory.recall('code', 2)).toHaveLength(2);
    expect(await memory.recall('code', 0)).toEqual([]);
    expect(await memory.summarise()).toContain('tea at four');
  });

  test('forgets when it is reset', async () => {
    const memory = await opened();
    await memory.append([fact('the code is 7')]);
    await memory.reset();
    expect(await memory.recall('code', 5)).toEqual([]);
    await memory.append([fact('the code is 8')]);
    expect(await told(memory)).toContain('8');
  });

  test('[QITOS-49] [KAIZEN-19] stays within its bound, and what goes is what is oldest', async () => {
    const memory = await opened({ bound: 5 });
    for (let at = 0; at < 23; at += 1) await memory.append([fact(`the code is ${at + 100}`, at)]);
    const held = await memory.recall('code', 100);
    expect(held.filter(({ kind }) => kind === 'fact').length).toBeLessThanOrEqual(5);
    expect(held.map(({ text }) => text).join()).toContain('122');
  });

  test.each([
    ['scope agent', { scope: 'agent' }],
    ['no scope that was said', {}],
  ] as const)('[KAIZEN-12] [D34] of %s is there in the next run', async (_, options) => {
    const source = make(options);
    await (await source.open(here)).append([fact('the code is 7')]);
    await source.release(here);
    expect(await told(await source.open({ ...here, runId: 'run-2' }))).toContain('the code is 7');
    expect(await told(await source.open({ ...here, agent: 'bob' }))).toBe('');
  });

  test('[D34] of scope run is gone with the run, and others never see it', async () => {
    const source = make({ scope: 'run' });
    await (await source.open(here)).append([fact('the code is 7')]);
    expect(await told(await source.open({ ...here, agent: 'bob' }))).toContain('7');
    expect(await told(await source.open({ ...here, runId: 'run-2' }))).toBe('');
    await source.release(here);
    expect(await told(await source.open(here))).toBe('');
  });

  test('of scope thread and shared is found by the thread, and by everybody', async () => {
    const thread = make({ scope: 'thread' });
    await (await thread.open(here)).append([fact('the code is 7')]);
    expect(await told(await thread.open({ runId: '2', agent: 'bob', thread: 'talk' }))).toContain('7');
    expect(await told(await thread.open({ runId: '3', agent: 'ada' }))).toBe('');
    const shared = make({ scope: 'shared' });
    await (await shared.open(here)).append([fact('the code is 7')]);
    expect(await told(await shared.open({ runId: '9', agent: 'eve' }))).toContain('7');
  });
});

const kept = keptFiles('memory').flatMap((place) =>
  kinds.filter(({ outlives }) => outlives).map((kind) => ({ ...place, ...kind })),
);

describe.each(kept)('in $where, a memory of kind $kind', ({ make, place }) => {
  const opened = (options?: KindOptions): Promise<Memory> => opening(make, options);

  test('is there in the next process, equal', async () => {
    const open = place();
    const first = await opened({ files: open() });
    await first.append([fact('the code is 7', 5), { ...fact('two\nlines', 6), agent: 'ada' }]);
    const again = await opened({ files: open() });
    expect(await again.recall('code', 5)).toEqual(await first.recall('code', 5));
    await again.reset();
    expect(await told(await opened({ files: open() }))).toBe('');
  });

  test('is bounded there as well', async () => {
    const open = place();
    const memory = await opened({ files: open(), bound: 3 });
    for (let at = 0; at < 100; at += 1) await memory.append([fact(`the code is ${at}`, at)]);
    await memory.evict();
    const files = open();
    const again = await opened({ files, bound: 3 });
    expect(await told(again)).toContain('99');
    const [file = ''] = await files.names();
    const lines = (await files.read(file))?.split('\n').length;
    // Notes are only ever added to: that is what they are for.
    expect(lines).toBeLessThan(file.endsWith('.md') ? 110 : 40);
  });
});

test('[KAIZEN-15] a window recalls the newest five', async () => {
  const memory = await windowMemory().open(here);
  expect(await memory.recall('')).toEqual([]);
  await memory.append(Array.from({ length: 7 }, (_, at) => fact(String(at), at)));
  expect((await memory.recall('')).map(({ text }) => text)).toEqual(['2', '3', '4', '5', '6']);
});

test('[KAIZEN-19] a window of 1,000 keeps the newest 1,000 of 1,001', async () => {
  const memory = await windowMemory({ size: 1_000 }).open(here);
  for (let at = 0; at < 1_001; at += 1) await memory.append([fact(String(at), at)]);
  const held = await memory.recall('', 2_000);
  expect([held.length, held[0]?.text]).toEqual([1_000, '1']);
});

test('[KAIZEN-16] what is recalled reads as a heading and a line each', () => {
  expect(memoryText([])).toBe('');
  expect(memoryText([{ kind: 'task', text: 'Remember 7', at: 0 }])).toBe('From earlier:\nuser: Remember 7');
  expect(
    memoryText([
      { kind: 'task', text: 'Remember\n 7', at: 0 },
      { kind: 'answer', text: 'I will', at: 1 },
      { kind: 'fact', text: 'tea', at: 2 },
    ]),
  ).toBe('From earlier:\nuser: Remember 7\nassistant: I will\nfact: tea');
});

test('[QITOS-07] a memory that throws gives an empty block that says why', async () => {
  const broken: Memory = {
    append: () => undefined,
    recall: () => {
      throw new Error('disk');
    },
    summarise: () => '',
    evict: () => 0,
    reset: () => undefined,
  };
  expect(await recall(broken, 'q')).toEqual({
    isEnabled: true,
    query: 'q',
    records: [],
    summary: '',
    problem: 'disk',
  });
  expect(await recall(undefined, 'q')).toMatchObject({ isEnabled: false });
  const window = await windowMemory().open(here);
  await window.append(Array.from({ length: 12 }, (_, at) => fact(String(at))));
  expect((await recall(window, 'q')).records).toHaveLength(8);
});

test('[KAIZEN-18] a run leaves a row, and one that succeeded a pattern', () => {
  const run = { runId: 'r', agent: 'ada', at: 1, input: { q: 'x' }, output: 'y' };
  expect(recordsOfRun({ ...run, isSuccess: false }).map(({ kind }) => kind)).toEqual(['run']);
  expect(recordsOfRun({ ...run, isSuccess: true })).toMatchObject([
    { kind: 'run', metadata: { input: { q: 'x' }, output: 'y', isSuccess: true } },
    { kind: 'pattern', metadata: { input: '{q}', output: 'string' } },
  ]);
});

test('[QITOS-48] a step leaves what was seen, chosen, done and found, each by its kind', () => {
  const step = { step: 2, path: '', agent: 'ada', critiques: [], diff: {}, startedAt: 0, endedAt: 9 };
  const result = {
    callId: '1',
    tool: 'look',
    text: 'blue',
    durationMs: 1,
    attempts: 1,
    ok: true,
    value: 1,
  } as const;
  const records = recordsOfStep(
    { ...step, observation: 'rain', decision: { kind: 'act', calls: [] }, results: [result] },
    'r',
  );
  expect(records.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'observation: rain',
    'decision: act',
    'action: look',
    'result: look: blue',
  ]);
  const answered = recordsOfStep({ ...step, decision: { kind: 'answer', answer: '42' }, results: [] }, 'r');
  expect(answered).toEqual([{ kind: 'answer', text: '42', at: 9, agent: 'ada', runId: 'r', step: 2 }]);
});

describe('[QITOS-95] a key-value memory', () => {
  test('keeps namespaces apart', async () => {
    const memory = await keyValueMemory().open(here);
    await memory.namespace('a').set('k', 1);
    await memory.namespace('b').set('k', 2);
    await memory.namespace('a/b').set('k', 3);
    expect(memory.namespace('a').get('k')).toBe(1);
    expect(memory.namespace('b').keys()).toEqual(['k']);
    await memory.namespace('a').reset();
    expect(memory.namespace('a').keys()).toEqual([]);
    expect(memory.namespace('a/b').get('k')).toBe(3);
  });

  test('handed out a read-only view cannot be written', async () => {
    const memory = await keyValueMemory().open(here);
    await memory.set('k', { deep: [1] });
    const view = memory.readOnly();
    expect(view.get('k')).toEqual({ deep: [1] });
    await expect(view.set('k', 2)).rejects.toThrow(/a read-only view/);
    await expect(view.namespace('n').set('k', 2)).rejects.toThrow(/a read-only view/);
    await expect(view.reset()).rejects.toThrow(/a read-only view/);
    expect(memory.get('k')).toEqual({ deep: [1] });
  });

  test('in a folder forgets what was deleted', async () => {
    const files = folderStore(newFolder());
    const memory = await keyValueMemory({ files }).open(here);
    await memory.set('a', 1);
    await memory.set('b', 2);
    expect([await memory.delete('a'), await memory.delete('a')]).toEqual([true, false]);
    expect((await keyValueMemory({ files }).open(here)).keys()).toEqual(['b']);
  });
});

test('[QITOS-49] notes are Markdown that a person can write in', async () => {
  const folder = newFolder();
  const files = folderStore(folder);
  const memory = await notesMemory({ files }).open(here);
  await memory.append([{ kind: 'fact', text: 'tea\nat four', at: 0, agent: 'ada' }]);
  const [name = ''] = await files.names();
  await files.append(name, '- bring milk\n');
  expect(await files.read(name)).toBe(
    '# Notes\n\n- 1970-01-01T00:00:00.000Z fact (ada): tea ⏎ at four\n- bring milk\n',
  );
  const again = await notesMemory({ files }).open(here);
  expect(await again.recall('', 5)).toEqual([
    { kind: 'fact', text: 'tea\nat four', at: 0, agent: 'ada' },
    { kind: 'note', text: 'bring milk', at: 0 },
  ]);
});

test('a line that a crash cut off is passed over, and what comes after it is read', async () => {
  const files = folderStore(newFolder());
  const memory = await windowMemory({ files }).open(here);
  await memory.append([fact('one')]);
  const [name = ''] = await files.names();
  await files.append(name, '{"kind":"fact","te');
  const again = await windowMemory({ files }).open(here);
  await again.append([fact('two')]);
  const last = await windowMemory({ files }).open(here);
  expect((await last.recall('')).map(({ text }) => text)).toEqual(['one', 'two']);
});
