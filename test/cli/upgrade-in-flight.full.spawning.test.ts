import { writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { compiledModuleOf, troupe } from './run-command.ts';
import type { LongProcess } from './worker-kit.ts';
import { linesOf, makePlace } from './worker-kit.ts';

/** What the runs of each agent end with, by the version that began them. */
const OUTPUTS = {
  payer: 'payer: paid 3',
  packer: 'packer: box 2',
  sleeper: 'slept',
  asker: 'town: Bergen',
  desk: 'cashier: paid 3',
  depot: 'box 2',
  refunder: 'refunder: paid 3',
  buyer: 'spender: paid 3',
} as const;

type Kind = keyof typeof OUTPUTS;

/** Those that the other version cannot go on with. */
const CHANGED: readonly string[] = ['refunder', 'buyer'];

interface Listed {
  readonly runId: string;
  readonly agent: Kind;
  readonly status: string;
  readonly held?: { readonly code: string };
}

/** Runs of each kind. */
const EACH = 25;

const manyAtOnce = ['--concurrency', '1000'];

/** Has runs under way while the workers that execute them get another version and the former one again; returns how many have ended. */
const changeVersions = async (store: string, each: number): Promise<number> => {
  const place = makePlace(store, 'versioned.ts');
  const env = { LEDGER: place.ledger };
  const json = async <Line>(version: string, ...args: readonly string[]): Promise<readonly Line[]> => {
    const { stdout, stderr } = await troupe([...args, '--json'], { env: { ...env, VERSION: version } });
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  };
  const list = () => json<Listed>('1', 'runs', '--limit', '10000', '--store', place.store);
  const eventually = (check: (runs: readonly Listed[]) => void): Promise<void> =>
    vi.waitFor(async () => check(await list()), { timeout: 120_000, interval: 250 });

  const begin = async (version: string): Promise<ReadonlyMap<string, Kind>> => {
    const { said, child, ended } = await place.entrance(version);
    const caller = connect(String(said['url']), { attempts: 10 });
    const begun = new Map<string, Kind>();
    for (let number = 0; number < each; number += 1)
      for (const kind of Object.keys(OUTPUTS) as Kind[])
        begun.set((await caller.start(kind, 'go')).runId, kind);
    child.kill('SIGTERM');
    await ended;
    return begun;
  };
  /** Resolves once each run waits, for a person, a time or the file that its tool looks for. */
  const underWay = (begun: ReadonlyMap<string, Kind>): Promise<void> =>
    vi.waitFor(
      async () => {
        // A sleeper may have slept already.
        const waiting = (await list()).filter(
          ({ runId, status }) => begun.has(runId) && (status === 'waiting' || status === 'completed'),
        );
        const stuck = new Set(
          linesOf(place.ledger).flatMap(({ what, key }) => {
            const [runId = ''] = key.split('/');
            return what === 'begin-1' && begun.has(runId) ? [runId] : [];
          }),
        );
        expect([waiting.length, stuck.size]).toEqual([each * 6, each * 2]);
      },
      { timeout: 120_000, interval: 250 },
    );
  /** Answers what the runs ask for, through a server that executes nothing. */
  const answerAll = async (begun: ReadonlyMap<string, Kind>): Promise<void> => {
    const { said, child, ended } = await place.entrance();
    const caller = connect(String(said['url']), { attempts: 10 });
    for (const [runId] of begun)
      for (const { id, kind } of await caller.at(runId).requests())
        await (kind === 'question' ? caller.at(runId).reply(id, 'Bergen') : caller.at(runId).approve(id));
    child.kill('SIGTERM');
    await ended;
  };
  const checkBy = async (version: string): Promise<ReadonlyMap<string, string>> => {
    const module = await compiledModuleOf('versioned.ts');
    const lines = await json<{ readonly runId: string; readonly verdict: string }>(
      version,
      'upgrade',
      '--check',
      module,
      '--over',
      place.store,
    );
    return new Map(lines.map(({ runId, verdict }) => [runId, verdict]));
  };
  /** All that `verdicts` says goes on has ended as it would have, and what it says is held is there, with the reason. */
  const asSaid = (verdicts: ReadonlyMap<string, string>): Promise<void> =>
    eventually((runs) => {
      for (const { runId, agent, status, held } of runs.filter((run) => verdicts.has(run.runId)))
        if (verdicts.get(runId) === 'goes on') expect([agent, status]).toEqual([agent, 'completed']);
        else
          expect([agent, status === 'completed', held?.code]).toEqual([
            agent,
            false,
            agent === 'refunder' ? 'tool.missing' : 'journal.diverged',
          ]);
    });
  const kindsOf =
    (verdicts: ReadonlyMap<string, string>, begun: ReadonlyMap<string, Kind>) => (verdict: string) =>
      new Set([...verdicts].filter(([, each]) => each === verdict).map(([runId]) => begun.get(runId)));

  const kill = async ({ child, ended }: LongProcess): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };

  // The first version has all of them under way, and is killed.
  const first = await begin('1');
  const old = await place.workerOf('1', ...manyAtOnce);
  await underWay(first);
  await kill(old);
  const upgraded = await checkBy('2');
  expect(upgraded.size).toBe(first.size);
  expect(kindsOf(upgraded, first)('held')).toEqual(new Set(CHANGED));
  expect(new Set(upgraded.values())).toEqual(new Set(['goes on', 'held']));
  // The second version goes on with what it can, and begins runs of its own.
  const second = await begin('2');
  const new1 = await place.workerOf('2', ...manyAtOnce);
  await answerAll(first);
  await underWay(second);
  await kill(new1);
  const rolledBack = await checkBy('1');
  // Those of the first version that are left, and those of the second.
  expect(kindsOf(rolledBack, second)('held')).toEqual(new Set(CHANGED));
  writeFileSync(`${place.ledger}.go`, '');
  const new2 = await place.workerOf('2', ...manyAtOnce);
  await asSaid(upgraded);
  await kill(new2);
  // A rollback: the first version ends what was held, and goes on with those of the second that it can.
  const back = await checkBy('1');
  const rest = await place.workerOf('1', ...manyAtOnce);
  await answerAll(second);
  await asSaid(back);
  await kill(rest);
  // And the second version ends what the first has held.
  const last = await place.workerOf('2', ...manyAtOnce);
  await eventually((runs) => {
    expect(runs.filter(({ status }) => status !== 'completed')).toEqual([]);
  });
  await kill(last);
  const { said } = await place.entrance();
  const caller = connect(String(said['url']));
  for (const [runId, kind] of [...first, ...second]) {
    const { output, status } = await caller.at(runId).result;
    expect([kind, status]).toEqual([kind, 'completed']);
    expect([kind, JSON.stringify(output)]).toEqual([kind, expect.stringContaining(OUTPUTS[kind]) as string]);
  }
  // A payment is made once, and a box packed once with each key.
  const ends = linesOf(place.ledger).filter(({ what }) => what === 'end');
  expect(new Set(ends.map(({ key }) => key)).size).toBe(ends.length);
  return first.size + second.size;
};

test('runs under way go on under another version or are held with a reason, and so at a rollback', async () => {
  // Of each kind, under each version.
  expect(await changeVersions('sqlite', EACH)).toBe(2 * 8 * EACH);
});

describeWithPostgres('over PostgreSQL', ({ connectionString }) => {
  test('runs under way go on under another version or are held with a reason, and so at a rollback', async () => {
    expect(await changeVersions(connectionString, EACH)).toBe(2 * 8 * EACH);
  });
});
