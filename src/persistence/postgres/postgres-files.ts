import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import { textAt } from '../run-table.ts';
import { storedText } from '../stored-text.ts';
import type { PostgresAnswer, PostgresValue } from './postgres-pool.ts';

/** Runs a statement. */
type Query = (sql: string, values: readonly PostgresValue[]) => Promise<PostgresAnswer>;

/** The named texts of a room, in a table. */
export const postgresFiles = (table: string, room: string, query: Query): KeyValueFiles => {
  const put = (name: string, text: string, kept: string) =>
    query(
      `insert into ${table} as old (room, name, text) values ($1, $2, $3)
       on conflict (room, name) do update set text = ${kept}`,
      [room, storedText(name), storedText(text)],
    );
  const at = `where room = $1 and name = $2`;
  return {
    read: async (name) => {
      const { rows } = await query(`select text from ${table} ${at}`, [room, storedText(name)]);
      return rows[0] === undefined ? undefined : textAt(rows[0], 'text');
    },
    write: async (name, text) => void (await put(name, text, 'excluded.text')),
    append: async (name, text) => void (await put(name, text, 'old.text || excluded.text')),
    remove: async (name) => void (await query(`delete from ${table} ${at}`, [room, storedText(name)])),
    names: async () =>
      (await query(`select name from ${table} where room = $1`, [room])).rows
        .map((row) => textAt(row, 'name'))
        .sort(),
  };
};
