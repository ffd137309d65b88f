import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { FileReading, OpenedFile } from '../../../src/inspect/page/files/read-run-file.ts';
import { MOST_BYTES, readRunFile } from '../../../src/inspect/page/files/read-run-file.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { traceOf } from '../../../src/inspect/traces/trace.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { journalText } from '../../../src/persistence/run-log.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';

const echo = (name: string) => agent({ name, decide: ({ input }) => answer(input) });
const desk = parallel({ name: 'desk', members: { ann: echo('ann'), ben: echo('ben') } });
const harm = '<img src=x onerror=alert(1)></script>';

/** One run, in each of the forms in which it is exported. */
const exported = async () => {
  const store = memoryStore();
  const { events } = await desk.run(harm, { store, runId: 'r' });
  const entry = store.entry('r');
  const trace = traceOf(events);
  if (entry instanceof Promise || entry === undefined) throw new Error('it is in memory');
  return {
    events,
    'a trace': traceText(trace),
    'a journal': journalText({ entry, rows: await store.read('r') }),
  };
};

const file = (text: string, name = 'run.jsonl') => ({
  name,
  size: text.length,
  text: () => Promise.resolve(text),
});

const openedIn = (read: FileReading): OpenedFile => {
  if ('refusal' in read) throw new Error(read.refusal);
  return read.opened;
};

const refusalIn = async (text: string): Promise<string> => {
  const read = await readRunFile(file(text));
  return 'refusal' in read ? read.refusal : 'none';
};

describe('a file that is opened in the page', () => {
  test.each(['a trace', 'a journal'] as const)('is shown as the command shows it: %s', async (form) => {
    const { events, [form]: text } = await exported();
    const { row, embedded } = openedIn(await readRunFile(file(text)));
    expect(row).toMatchObject({
      run: 'r',
      agent: 'desk',
      status: 'completed',
      source: 'file',
      isLive: false,
    });
    expect(row.title).toBe(harm);
    expect(embedded.entries).toEqual([...recordingOf(events).from()].map((line) => JSON.parse(line)));
    expect(embedded.damage).toEqual([]);
    expect(embedded.account).toMatchObject({ runId: 'r', status: 'completed' });
  });

  test('that broke off is shown as far as it goes, with its damage, and says that it has not ended', async () => {
    const { 'a trace': text } = await exported();
    const lines = text.split('\n');
    const torn = lines.slice(0, lines.length - 4).join('\n');
    const { row, embedded } = openedIn(await readRunFile(file(torn)));
    expect(row.status).toBe('not ended');
    expect(embedded.damage.length).toBeGreaterThan(0);
  });

  test('is refused in words that say what was found, and what to do', async () => {
    const { 'a trace': text } = await exported();
    const [head = ''] = text.split('\n');
    expect(await refusalIn('hello')).toMatch(/run\.jsonl as it is no log of a run: it begins with "hello"/);
    expect(await refusalIn('')).toMatch(/no log of a run/);
    expect(await refusalIn('<html></html>')).toMatch(/it is a page: open it by itself, or give the trace/);
    expect(await refusalIn(head.replace('"v":3', '"v":99'))).toMatch(
      /of version 99, and this release knows 1 to 3: read it with the release/,
    );
    expect(await refusalIn(`${head}\n{"damaged\n`)).toMatch(
      /no event of a run .*1 damaged.*export the run again/,
    );
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(await refusalIn(deep)).toMatch(/^Cannot /);
    expect(await refusalIn(`${head}\n${deep}`)).toMatch(/^Cannot /);
  });

  test('that is too large is refused before any of it is read', async () => {
    let reads = 0;
    const large = {
      name: 'large.jsonl',
      size: MOST_BYTES + 1,
      text: () => {
        reads += 1;
        return Promise.resolve('');
      },
    };
    const refusal =
      'Cannot open large.jsonl as it has 65 MB, and a page takes 64 MB at most: show it by troupe inspect FILE';
    expect(await readRunFile(large)).toEqual({ refusal });
    expect(reads).toBe(0);
  });

  test('of any text, and with any line changed, is shown or refused, and never an error', async () => {
    const { 'a trace': text, 'a journal': journal } = await exported();
    const garbled = fc
      .tuple(fc.constantFrom(text, journal), fc.nat(), fc.string({ unit: 'binary' }))
      .map(([whole, at, put]) => {
        const place = at % whole.length;
        return `${whole.slice(0, place)}${put}${whole.slice(place + 3)}`;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), garbled), async (given) => {
        const read = await readRunFile(file(given));
        expect('refusal' in read ? read.refusal : read.opened.row.source).toMatch(/^Cannot |^file$/);
      }),
      { numRuns: 20 },
    );
  });
});
