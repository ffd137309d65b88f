import { expect, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { openPool } from '../../src/persistence/postgres/postgres-pool.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { growBy, makePlace } from './worker-kit.ts';

describeWithPostgres('workers over PostgreSQL', ({ connectionString }) => {
  test('go on when their connections are cut', async () => {
    const { ledger, entrance, worker } = makePlace(connectionString);
    const { said } = await entrance();
    const desk = connect(String(said['url']), { attempts: 10 });
    const workers = await Promise.all([worker(), worker()]);
    const runs = await Promise.all(Array.from({ length: 6 }, () => desk.start('packer', 'Pack.')));
    const pool = await openPool(connectionString);
    for (let cut = 0; cut < 20; cut += 1) {
      await growBy(ledger, 2);
      await pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = $1',
        ['client backend'],
      );
      // A request that was cut off is made again by its key.
      const start = () => desk.start('packer', 'Pack.', { key: `cut-${cut}` });
      runs.push(await vi.waitFor(start, { timeout: 60_000, interval: 50 }));
    }
    for (const run of runs) expect(await run.result).toMatchObject({ output: 'packer: box 3' });
    await pool.end();
    for (const { child } of workers) child.kill('SIGTERM');
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([
      [0, null],
      [0, null],
    ]);
  });
});
