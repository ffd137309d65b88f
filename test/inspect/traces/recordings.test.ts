import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkTrace, readTrace } from '../../../src/inspect/index.ts';
import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { traceIn } from '../../../src/inspect/traces/read-trace.ts';
import { readJournalFile, readJournalText } from '../../../src/persistence/index.ts';
import { openJournal } from '../../../src/persistence/journal-codec.ts';
import { LOG_VERSION } from '../../../src/persistence/run-log.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures');
const logs = join(fixtures, 'logs');

const journals = [
  join(fixtures, 'journals', '0.1.0.journal'),
  ...readdirSync(logs)
    .filter((name) => name.startsWith('journal-'))
    .map((name) => join(logs, name)),
];
const oldTrace = join(logs, 'trace-0-1');
const traces = [oldTrace, join(logs, 'trace-3.jsonl')];

const versionOf = (file: string): unknown =>
  (JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '') as { readonly v: unknown }).v;

const ANSWER = 'Told: Tea is paid, biscuits are too dear.';

describe('what each version has written is read by the newest', () => {
  test('and of each there is a recording', () => {
    const versions = Array.from({ length: LOG_VERSION }, (_, before) => before + 1);
    expect(new Set(journals.map(versionOf))).toEqual(new Set(versions));
  });

  test.each(journals)('%s, as a journal and as a trace', async (file) => {
    const { entry, rows } = readJournalFile(file);
    expect(openJournal(entry.runId, rows).damage).toBeUndefined();
    const trace = await readTrace(file);
    expect(trace.account).toMatchObject({ runId: entry.runId, status: 'completed', output: ANSWER });
    expect(trace.steps.map(({ path }) => path)).toContain('shop/clerk-1');
    expect(await checkTrace(trace)).toEqual([]);
  });

  test.each(traces)('%s, as a trace', async (place) => {
    const { account, damage } = await readTrace(place);
    expect(damage).toEqual([]);
    expect(account).toMatchObject({ status: 'completed', output: ANSWER, left: { events: 0, cut: 0 } });
    expect(await checkTrace(place)).toEqual([]);
  });

  test('and a trace of 0.1 is made one of this version, which says the same', async () => {
    const old = await readTrace(oldTrace);
    expect(traceIn(traceText(old))).toEqual(old);
  });
});

describe('what is no such log is refused, with what was found and what to do', () => {
  const head = (said: object): string => `${JSON.stringify({ troupe: 'log', ...said })}\n`;
  test.each([
    [
      'a trace, for a journal',
      () => readJournalText(readFileSync(join(logs, 'trace-3.jsonl'), 'utf8')),
      /it is a trace, from which no run can be resumed or imported: export the journal/,
    ],
    [
      'a journal of a later version',
      () => readJournalText(head({ v: 4 })),
      /it is of version 4, and this release knows 1 to 3: read it with the release/,
    ],
    ['a trace of a later version', () => traceIn(head({ v: 4 })), /it is of version 4/],
    [
      'the events of a trace of 0.1 by themselves',
      () => traceIn(readFileSync(join(oldTrace, 'events.jsonl'), 'utf8')),
      /bare events, as events\.jsonl of a trace of 0\.1 does: name the folder/,
    ],
    [
      'another file',
      () => traceIn('{"hello":1}'),
      /it is no log of a run: it begins with "\{\\"hello\\":1\}"/,
    ],
    [
      'a head without an entry',
      () => traceIn(head({ v: 3, kind: 'trace' })),
      /its head is none: entry is wrong/,
    ],
  ])('%s', (_, read, message) => {
    expect(read).toThrow(message);
  });

  test('a folder is one of traces, unless 0.1 wrote it', async () => {
    await expect(readTrace(logs)).rejects.toMatchObject({
      code: 'trace.unreadable',
      message: expect.stringContaining('it is a folder: name a trace in it'),
    });
  });
});
