import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { FileReading, OpenedFile } from '../../../src/inspect/page/files/read-run-file.ts';
import { MOST_BYTES, readRunFile } from '../../../src/inspect/page/files/read-run-file.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import { traceAsHtml } from '../../../src/inspect/traces/formats/trace-as-html.ts';
import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { traceOf } from '../../../src/inspect/traces/trace.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { journalText } from '../../../src/persistence/run-log.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';

const echo = (name: string) => agent({ name, decide: ({ input }) => answer(input) });
const desk = parallel({ name: 'desk', members: { ann: echo('ann'), ben: echo('ben') } });
const harm = '<img src=x onerror=alert(1)></script>';

/** A page of no page: what stands in it is all that matters. */
const PAGE = '<!doctype html><meta charset="utf-8"><style></style><body><script>1</script></html>';

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
    'a page': await traceAsHtml(trace, { page: PAGE }),
  };
};

const file = (text: string, name = 'run.jsonl') => ({
  name,
  size: text.length,
  text: () => Promise.resolve(text),
});

/** The parts of what stands in a page that are changed here. */
interface Found {
  readonly account: object;
  readonly entries: readonly { readonly n: number; readonly event?: object }[];
}

const openedIn = (read: FileReading): OpenedFile => {
  if ('refusal' in read) throw new Error(read.refusal);
  return read.opened;
};

const refusalIn = async (text: string): Promise<string> => {
  const read = await readRunFile(file(text));
  return 'refusal' in read ? read.refusal : 'none';
};

describe('a file that is opened in the page', () => {
  test.each(['a trace', 'a journal', 'a page'] as const)(
    'is shown as the command shows it: %s',
    async (form) => {
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
    },
  );

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
    expect(await refusalIn('<html></html>')).toMatch(
      /it is a page without a run in it: give one that troupe trace export RUN --html FILE wrote/,
    );
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

  test('that is a page is taken by its events alone: what is foreign or damaged in it is named, left out or refused', async () => {
    const { 'a page': page } = await exported();
    const changed = (change: (found: Found) => object): string =>
      page.replace(/(id="recording">)([^<]*)/, (_, start: string, json: string) => {
        const found = JSON.parse(json) as Found;
        return `${start}${JSON.stringify({ ...found, ...change(found) }).replaceAll('<', String.raw`\u003c`)}`;
      });
    const actor = { n: 0, kind: 'actor', at: 0, actor: 'r/evil', parent: 'r/evil', run: 'r', name: 'evil' };
    const hostile = openedIn(
      await readRunFile(
        file(
          changed(({ entries, account }) => ({
            base: { length: 1e9, charts: [['agent', null]], actors: [null] },
            entries: [actor, null, 7, ...entries],
            account: { ...account, left: 'all', writer: [], facts: { known: true }, agent: 'evil' },
            damage: [{ kind: 'line.cut', message: 'It was cut' }, { kind: 'evil' }, null],
          })),
        ),
      ),
    );
    const plain = openedIn(await readRunFile(file(page)));
    expect(hostile.embedded.entries).toEqual(plain.embedded.entries);
    expect(hostile.embedded.base).toEqual(plain.embedded.base);
    expect(hostile.embedded.account).toMatchObject({ agent: 'desk', facts: { known: true } });
    expect(JSON.stringify(hostile.embedded.account)).not.toMatch(/"(?:writer|left)"/);
    expect(hostile.embedded.damage).toEqual([{ kind: 'line.cut', message: 'It was cut' }]);
    const others = changed(({ entries }) => ({
      entries: entries.map((entry, index) =>
        index % 2 === 0 && 'event' in entry ? { ...entry, event: { ...entry.event, runId: 'other' } } : entry,
      ),
    }));
    expect(openedIn(await readRunFile(file(others))).embedded.damage).toContainEqual(
      expect.objectContaining({ kind: 'event.foreign' }),
    );
    const later = changed(({ entries }) => ({
      entries: entries.map((entry) => ({ ...entry, n: entry.n + 9 })),
    }));
    expect(openedIn(await readRunFile(file(later))).embedded.damage).toContainEqual({
      kind: 'trace.incomplete',
      message: 'The page has no event of the first 9 entries of its recording',
    });
    expect(await refusalIn(changed(() => ({ entries: [], phases: [] })))).toMatch(
      /no event of a run .*0 damaged events/,
    );
    expect(await refusalIn(changed(() => ({ entries: 'none' })))).toMatch(
      /the run in this page is damaged: found "\{/,
    );
    expect(await refusalIn(page.replace(/(id="recording">\{)[^<]*/, '$1'))).toMatch(/damaged: found "\{"/);
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
    const { 'a trace': text, 'a journal': journal, 'a page': page } = await exported();
    const garbled = fc
      .tuple(fc.constantFrom(text, journal, page), fc.nat(), fc.string({ unit: 'binary' }))
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
