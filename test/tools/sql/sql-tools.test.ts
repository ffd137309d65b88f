import { expect, test } from 'vitest';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { rowValues } from '../../../src/tools/built-in/sql/row-values.ts';
import type { SqlDatabase, SqlQuery } from '../../../src/tools/built-in/sql/sql-database.ts';
import { sqlTools } from '../../../src/tools/built-in/sql/sql-tools.ts';
import { callUntyped } from '../../support/call-untyped.ts';

test('a database of your own is queried within the bounds, by tools that only read', async () => {
  const asked: Omit<SqlQuery, 'signal'>[] = [];
  const database: SqlDatabase = {
    name: 'shop',
    dialect: 'DuckDB',
    tables: 'show tables',
    query: async ({ signal, ...query }) => {
      asked.push(query);
      signal.throwIfAborted();
      const rows =
        query.sql === 'show tables'
          ? [
              ['items', 'id', 'int'],
              ['items', 'item', null],
            ]
          : [['a|b\n[1]']];
      return { columns: ['x'], rows, isCut: query.sql !== 'show tables' };
    },
  };
  const model = scriptedModel([
    calls(
      { name: 'shop.tables', input: {} },
      { name: 'shop.query', input: { sql: 'select ?', parameters: [1, 'a', null, false] } },
    ),
    'Done.',
  ]);
  const tools = [sqlTools({ database, name: 'shop', maxRows: 7, maxBytes: 900, timeoutMs: 800 })];
  const { records } = await agent({ name: 'clerk', tools, model }).run('What is there?');
  expect(records[0]?.results.map(({ text }) => text)).toEqual([
    'items(id int, item)',
    '["x"]\n["a|b\\n[1]"]\n[cut here: the first 1 row, there are more]',
  ]);
  expect(asked).toEqual([
    { sql: 'show tables', parameters: [], maxRows: 5_000, maxBytes: 900, timeoutMs: 800 },
    { sql: 'select ?', parameters: [1, 'a', null, false], maxRows: 7, maxBytes: 900, timeoutMs: 800 },
  ]);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['shop.tables', 'shop.query']);
  expect(model.requests[0]?.tools[1]?.description).toContain('DuckDB');
});

test('a number of more digits than those of JavaScript is a text, and a text stays one', () => {
  expect(
    rowValues(
      '{"c0":9007199254740993,"c1":-1.5e-3,"c2":"x 9007199254740993 \\" 1","c3":[1,{"a":null}],"c4":null}',
    ),
  ).toEqual(['9007199254740993', -0.0015, 'x 9007199254740993 " 1', [1, { a: null }], null]);
});

test.each([
  [{}, 'not the only one'],
  [{ sqlite: 'a.db', postgres: 'postgresql://a:s3cret@b/c' }, 'write one of sqlite, postgres and database'],
  [{ postgres: '' }, 'not the only one'],
  [{ sqlite: '' }, 'not a non-empty string'],
  [{ sqlite: 'a.db', maxRows: 0 }, 'not a whole number from 1'],
  [{ sqlite: 'a.db', rows: 1 }, 'option `rows` is unknown'],
  [{ sqlite: 'a.db', name: 'a b' }, 'not a name for a toolset'],
  [{ database: { query: () => [] } }, 'not a database'],
  [{ postgres: 7 }, 'a value of type number'],
])('options that do not fit are refused: %j', (options, reason) => {
  expect(() => callUntyped({ sqlTools }, 'sqlTools', options)).toThrow(reason);
  expect(() => callUntyped({ sqlTools }, 'sqlTools', options)).not.toThrow('s3cret');
});
