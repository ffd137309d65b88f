import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalRow } from '../../src/contracts/journals/journal.ts';
import type { Json } from '../../src/base/json/json.ts';
import { JournalSeal, openJournal } from '../../src/persistence/journal-codec.ts';
import { Redactor } from '../../src/contracts/secrets/redactor.ts';
import { sized } from '../support/thorough.ts';

const sealed = (runId: string, turns: readonly (readonly Json[])[], version?: number): JournalRow[] => {
  const journal = new JournalSeal({ runId, version });
  return turns.map((records) => journal.seal(records));
};

const turns: readonly (readonly Json[])[] = [
  [{ type: 'input', text: 'Hello' }],
  [{ type: 'asked', key: 'a' }, { type: 'answered' }],
  [],
  [{ type: 'ended', parts: ['ä', '\0', '🙂', '\ud800'], at: -0.5 }],
];

/** Row `n` as `change` makes it. */
const changed = (rows: readonly JournalRow[], n: number, change: (row: JournalRow) => JournalRow) =>
  rows.map((row) => (row.n === n ? change(row) : row));

const retold = (change: (text: string) => string) => (row: JournalRow) => ({
  ...row,
  text: change(row.text),
});

const json = fc.jsonValue() as fc.Arbitrary<Json>;

describe('a journal', () => {
  test('gives back what went in, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.array(json)), (runId, written) => {
        const opened = openJournal(runId, sealed(runId, written));
        expect(opened.damage).toBeUndefined();
        expect(opened.rows).toBe(written.length);
        expect(JSON.stringify(opened.records)).toBe(JSON.stringify(written.flat()));
      }),
    );
  });

  test('is one line of JSON a row, numbered from 0, with its version and its check', () => {
    const rows = sealed('r', turns);
    expect(rows.map((row) => row.n)).toEqual([0, 1, 2, 3]);
    for (const { n, text } of rows) {
      expect(text).not.toContain('\n');
      const { check, ...row } = JSON.parse(text) as { check: string };
      expect(check).toMatch(/^[0-9a-f]{16}$/);
      expect(JSON.stringify(row)).toBe(JSON.stringify({ v: 1, n, records: turns[n] }));
    }
  });

  test('goes on after it was opened as if it had never been closed', () => {
    const whole = sealed('r', turns);
    const after = openJournal('r', whole.slice(0, 2));
    const journal = new JournalSeal({ runId: 'r', after });
    expect(turns.slice(2).map((records) => journal.seal(records))).toEqual(whole.slice(2));
  });
});

describe('[KAIZEN-68] a journal that went bad ends at its last good row, and says what is wrong', () => {
  const rows = sealed('r', turns);
  const last = rows.length - 1;

  test.each<readonly [string, readonly JournalRow[], number, string]>([
    [
      'torn',
      changed(
        rows,
        last,
        retold((text) => text.slice(0, -5)),
      ),
      last,
      'row 3 is torn',
    ],
    [
      'emptied',
      changed(
        rows,
        1,
        retold(() => ''),
      ),
      1,
      'row 1 begins with ""',
    ],
    [
      'flipped',
      changed(
        rows,
        0,
        retold((text) => text.replace('Hello', 'Hallo')),
      ),
      0,
      'row 0 was changed',
    ],
    [
      'of no version',
      changed(
        rows,
        2,
        retold((text) => text.replace('1', 'x')),
      ),
      2,
      'row 2 begins with',
    ],
    [
      'of a changed version',
      changed(
        rows,
        2,
        retold((text) => text.replace('1', '9')),
      ),
      2,
      'was changed',
    ],
    ['missing', rows.filter((row) => row.n !== 2), 2, 'row 2 is missing, row 3 follows'],
    ['twice there', rows.toSpliced(2, 0, rows[1] as JournalRow), 2, 'row 1 stands out of order'],
    [
      'in the place of another',
      changed(
        rows,
        1,
        retold(() => rows[3]?.text ?? ''),
      ),
      1,
      'it is row 3',
    ],
    ['of another run', changed(rows, 3, () => sealed('s', turns)[3] as JournalRow), 3, 'or does not follow'],
    ['of another past', changed(rows, 3, () => sealed('r', [[], [], [], []])[3] as JournalRow), 3, 'row 2'],
  ])('where a row is %s', (_, damaged, good, found) => {
    const opened = openJournal('r', damaged);
    expect(opened.damage).toMatchObject({ code: 'journal.corrupt', runId: 'r' });
    expect(opened.damage?.data.details).toEqual({ row: good });
    expect(opened.damage?.message).toContain(`Cannot open the run 'r'`);
    expect(opened.damage?.message).toContain(found);
    expect(opened.rows).toBe(good);
    expect(opened.records).toEqual(turns.slice(0, good).flat());
    const again = openJournal('r', rows.slice(0, good));
    expect(opened.check).toBe(again.check);
  });

  test('wherever one character is another', () => {
    fc.assert(
      fc.property(fc.nat({ max: last }), fc.nat(), fc.integer({ min: 1, max: 127 }), (n, place, by) => {
        const flip = (text: string) => {
          const at = place % text.length;
          return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ by) + text.slice(at + 1);
        };
        const opened = openJournal('r', changed(rows, n, retold(flip)));
        expect(opened.damage).toBeDefined();
        expect(opened.rows).toBe(n);
      }),
      { numRuns: sized(500, 2_000) },
    );
  });
});

describe('the version of a journal', () => {
  const count = (record: Json) => (record as { count: number }).count;
  const migrations = {
    1: (record: Json) => ({ count: count(record) * 10 }),
    2: (record: Json) => ({ count: count(record) + 1 }),
  };

  test('[QITOS-72] is raised hop by hop: from 1 to 3 through 2, also where a journal changes in its midst', () => {
    const first = sealed('r', [[{ count: 1 }]], 1);
    const opened = openJournal('r', first, { migrations, version: 3 });
    expect(opened).toMatchObject({ damage: undefined, records: [{ count: 11 }] });
    const journal = new JournalSeal({ runId: 'r', after: opened, version: 3 });
    const rows = [...first, journal.seal([{ count: 5 }])];
    expect(openJournal('r', rows, { migrations, version: 3 }).records).toEqual([{ count: 11 }, { count: 5 }]);
  });

  test('[QITOS-72] cannot be raised where a hop is missing, and the hop is named', () => {
    const rows = sealed('r', [[{ count: 1 }]], 1);
    const opened = openJournal('r', rows, { migrations: { 1: migrations[1] }, version: 3 });
    expect(opened).toMatchObject({ rows: 0, records: [], damage: { code: 'journal.version' } });
    expect(opened.damage?.message).toContain('nothing brings version 2 to 3: row 0 is of version 1');
  });

  test('is not raised where a migration throws', () => {
    const rows = sealed('r', [[{ count: 1 }], [null]], 1);
    const opened = openJournal('r', rows, { migrations, version: 2 });
    expect(opened).toMatchObject({ rows: 1, records: [{ count: 10 }], damage: { code: 'journal.version' } });
    expect(opened.damage?.message).toContain('a migration from version 1 broke on row 1');
  });

  test('[QITOS-104] is refused where it is not known, with those that are', () => {
    const rows = [...sealed('r', turns, 2).slice(0, 1), ...sealed('r', turns, 7).slice(1)];
    const asNew = sealed('r', turns, 7);
    expect(openJournal('r', rows, { version: 2 })).toMatchObject({ rows: 1 });
    for (const unknown of [asNew, [{ n: 0, text: '{"v":7,"turns":"of a shape to come"}' }]]) {
      const opened = openJournal('r', unknown, { version: 2 });
      expect(opened).toMatchObject({ rows: 0, records: [], damage: { code: 'journal.version', runId: 'r' } });
      expect(opened.damage?.message).toBe(
        `Cannot open the run 'r' as row 0 is of version 7, which is not known here: supported are 1, 2`,
      );
    }
  });
});

describe('secrets in a journal', () => {
  const secrets = { API_KEY: 'sk-"quoted"-1' };
  const redactor = new Redactor(secrets);

  test('are not in what is written, as values or as keys, however deep', () => {
    const journal = new JournalSeal({ runId: 'r', redactor: () => redactor });
    const record = { said: ['the key is sk-"quoted"-1!'], 'sk-"quoted"-1': { 'of 1': 1, none: undefined } };
    const row = journal.seal([record, { text: JSON.stringify(record) }]);
    expect(row.text).not.toContain('quoted');
    const { records, missing, damage } = openJournal('r', [row]);
    expect(damage).toBeUndefined();
    expect(missing).toEqual(['API_KEY']);
    expect(records[0]).toEqual({
      said: ['the key is [redacted API_KEY]!'],
      '[redacted API_KEY]': { 'of 1': 1 },
    });
  });

  test('[FIND-52] come out as they went in, whatever stands around them and however they are written', () => {
    const value = 'Ke/y+va=lue "4217"';
    const encoded = fc.constantFrom(
      value,
      JSON.stringify(value),
      JSON.stringify(JSON.stringify(value)),
      encodeURIComponent(value),
      Buffer.from(value).toString('hex'),
      Buffer.from(`a${value}b`).toString('base64'),
      Buffer.from(`ab${value}`).toString('base64url'),
      value.toUpperCase(),
      'kE/y+Va=lUe "4217"',
      '{{secret:API_KEY:}}',
      '{{secret::}}',
      '{{secret:',
      '[redacted API_KEY]',
    );
    const text = fc.array(fc.oneof(encoded, fc.string({ maxLength: 6 }))).map((pieces) => pieces.join(''));
    const withSecret = new Redactor({ API_KEY: value, 'of: {another}': 'second-secret' });
    fc.assert(
      fc.property(fc.array(fc.dictionary(text, text), { maxLength: 3 }), (written) => {
        const row = new JournalSeal({ runId: 'r', redactor: () => withSecret }).seal(written);
        expect(row.text).not.toContain(value);
        const { records, missing } = openJournal('r', [row], { secrets: withSecret.secrets });
        expect(records).toEqual(JSON.parse(JSON.stringify(written)));
        expect(missing).toEqual([]);
      }),
    );
  });

  test('change nothing in a row that has none', () => {
    const records = [{ many: ['a', '{{secret:API_KEY:}}', { c: 'd' }] }];
    const plain = new JournalSeal({ runId: 'r', redactor: () => redactor }).seal(records);
    expect(plain).toEqual(new JournalSeal({ runId: 'r' }).seal(records));
    expect(openJournal('r', [plain], { secrets }).records).toEqual(records);
  });
});
