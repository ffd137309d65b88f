// Loaded first: ends the process by SIGKILL after a number of its transactions, `DIES_AT`, in whatever SQLite it has.
let left = Number(process.env['DIES_AT']);

const wrap = (database) => {
  const { exec } = database.prototype;
  database.prototype.exec = function counted(sql) {
    const done = exec.call(this, sql);
    if (sql === 'commit' && (left -= 1) === 0) process.kill(process.pid, 'SIGKILL');
    return done;
  };
};

const own = process.getBuiltinModule?.('node:sqlite');
if (own === undefined) wrap((await import('libsql')).default);
else wrap(own.DatabaseSync);
