import { describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { isThorough } from '../support/thorough.ts';
import { troupe } from './run-command.ts';
import type { LongProcess } from './worker-kit.ts';
import { growBy, linesOf, makePlace } from './worker-kit.ts';

const BOXES = 4;
const RUNS = 12;
const WORKERS = 3;
const AT_ONCE = 4;

/** Runs agents and teams while workers are killed one after the other and replaced; returns what the workers complained of. */
const killWorkers = async (store: string, kills: number): Promise<readonly string[]> => {
  const { ledger, entrance, worker } = makePlace(store);
  const { said } = await entrance();
  const desk = connect(String(said['url']), { attempts: 10 });
  const work = (): Promise<LongProcess> => worker('--concurrency', String(AT_ONCE));
  const workers = await Promise.all(Array.from({ length: WORKERS }, work));
  const runs: Awaited<ReturnType<typeof desk.start>>[] = [];
  const begin = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each += 1)
      runs.push(await desk.start(each % 3 === 0 ? 'depot' : 'packer', 'Pack.'));
  };
  await begin(RUNS);
  for (let kill = 0; kill < kills; kill += 1) {
    await growBy(ledger, 3);
    const [victim] = workers.splice(kill % WORKERS, 1);
    victim?.child.kill('SIGKILL');
    await victim?.ended;
    workers.push(await work());
    await begin(2);
  }
  for (const run of runs) {
    const { output, status } = await run.result;
    expect(status).toBe('completed');
    expect(output).toMatch(/^(?:packer|second): box 3$/);
  }
  const ends = linesOf(ledger).filter(({ what }) => what === 'end');
  const depots = runs.filter(({ runId }) => ends.some(({ key }) => key.startsWith(`${runId}/depot/`)));
  const once = new Set(ends.map(({ key }) => key));
  // Nothing is lost, and what was done twice was under way in a process that was killed.
  expect(once.size).toBe((runs.length + depots.length) * BOXES);
  const begun = linesOf(ledger).filter(({ what }) => what === 'begin');
  expect(begun.length - once.size).toBeLessThanOrEqual(kills * AT_ONCE);
  expect(new Set(ends.map(({ pid }) => pid)).size).toBeGreaterThan(1);
  const lines = workers.flatMap(({ stderr }) => stderr().split('\n')).filter((line) => line !== '');
  // Beside the runs that they took over, of which each names who is gone, they have nothing to say.
  return lines.filter(
    (line) =>
      !/^ {2}↻ Took over run-\S+ of (?:packer|depot), from \S+, which is gone, at row \d+ of its journal$/.test(
        line,
      ),
  );
};

describeWithPostgres('workers over PostgreSQL', ({ connectionString }) => {
  test('lose no run and repeat nothing but what was under way, however often they are killed', async () => {
    expect(await killWorkers(connectionString, isThorough ? 100 : 3)).toEqual([]);
  });
});

describe('workers over SQLite', () => {
  test('lose no run and repeat nothing but what was under way, however often they are killed', async () => {
    expect(await killWorkers('sqlite', isThorough ? 20 : 1)).toEqual([]);
  });

  test('a worker that is told to end leaves its runs to the next, and answers probes until then', async () => {
    const { entrance, worker } = makePlace('sqlite');
    const { said } = await entrance();
    const desk = connect(String(said['url']));
    const first = await worker();
    const run = await desk.start('curious', 'go');
    for await (const event of run) if (event.type === 'person.asked') break;
    const probe = async (path: string) => {
      const response = await fetch(`${String(first.said['url'])}${path}`);
      return [response.status, await response.text()] as const;
    };
    expect(await probe('/healthz')).toEqual([200, 'ok\n']);
    expect(await probe('/readyz')).toEqual([200, 'ok\n']);
    expect((await probe('/metrics'))[1]).toMatch(/^troupe_active\{what="runs"\} 1$/m);
    expect((await probe('/metrics'))[1]).toMatch(/^troupe_held_runs 0$/m);
    expect((await probe('/'))[0]).toBe(404);
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual([0, null]);
    const second = await worker();
    const [request] = await run.requests();
    await run.reply(request?.id ?? '', 'Bergen');
    expect(await run.result).toMatchObject({ output: 'You said: Bergen' });
    expect([first.stderr(), second.stderr()]).toEqual(['', '']);
  });

  test('what is no work is refused', async () => {
    const module = new URL('modules/worked.ts', import.meta.url).pathname;
    expect(await troupe(['worker', module, '--store', 'none'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('name one with --store') as string,
    });
    expect(await troupe(['worker', module, '--store', 'memory'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('nobody else has a store in memory') as string,
    });
    expect(await troupe(['serve', module, '--enqueue', '--store', 'none'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--enqueue needs a store') as string,
    });
  });
});
