/**
 * The program of the process that reads a file of SQLite, for `node --eval`: a query as JSON goes in, its rows come out. It is a text, as a bundle has no
 * file of it.
 *
 * The file is opened read-only, so no statement writes to it. Statements without columns (`ATTACH`, `VACUUM INTO`, `CREATE TEMP …`), which
 * would open other files, are prepared and never executed: SQLite says that they have none.
 */
export const SQLITE_PROGRAM = `'use strict';
const fs = require('node:fs');
// Where memory is short, this process ends before those that matter.
try { fs.writeFileSync('/proc/self/oom_score_adj', '1000'); } catch {}

const { file, sql, parameters, maxRows, maxBytes } = JSON.parse(fs.readFileSync(0, 'utf8'));
const send = (answer) => process.stdout.write(JSON.stringify(answer));

const plain = (value) => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return value instanceof Uint8Array ? '[' + value.byteLength + ' bytes]' : value;
};

/** Spaces, comments and semicolons after a statement. */
const NOTHING = /^(?:\\s|;|--[^\\n]*(?:\\n|$)|\\/\\*[^]*?(?:\\*\\/|$))*$/;

const read = (database) => {
  database.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 1000');
  const statement = database.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  if (columns.length === 0) return { denied: 'it is no query: only what gives rows is executed' };
  if (!NOTHING.test(sql.slice(statement.sourceSQL.length))) return { denied: 'it is more than one statement' };
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = [];
  let bytes = 0;
  for (const row of statement.iterate(...parameters.map((each) => (typeof each === 'boolean' ? Number(each) : each)))) {
    const values = row.map(plain);
    bytes += Buffer.byteLength(JSON.stringify(values));
    if (bytes > maxBytes && rows.length === 0) return { isLong: true };
    if (bytes > maxBytes || rows.length === maxRows) return { columns, rows, isCut: true };
    rows.push(values);
  }
  return { columns, rows, isCut: false };
};

let sqlite = {};
try { sqlite = require('node:sqlite'); } catch {}
const needed = ['columns', 'setReturnArrays', 'iterate'];
if (!needed.every((name) => typeof sqlite.StatementSync?.prototype[name] === 'function')) send({ isMissing: true });
else
  try {
    const database = new sqlite.DatabaseSync(file, { readOnly: true });
    try { send(read(database)); } finally { database.close(); }
  } catch (error) {
    send({ failed: String(error.message), number: error.errcode });
  }
`;
