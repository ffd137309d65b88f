// A team on three workers: one process takes requests, three execute them, and one of those is killed in the middle.
//
//   npx tsx examples/52-workers.ts
//
// The two commands that it starts, in as many processes as you like, over SQLite on one machine or PostgreSQL on many:
//
//   npx troupe serve examples/52-workers/studio.ts --enqueue --store films.db
//   npx troupe worker examples/52-workers/studio.ts --store films.db
//
// When not to use it: as long as one process is enough, `troupe serve` takes and executes.
// Its chart: docs/diagrams/pipeline.mmd
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'troupe/client';

const FILMS = 6;
const folder = mkdtempSync(join(tmpdir(), 'studio-'));
const ledger = join(folder, 'ledger');
const root = join(import.meta.dirname, '..');
const processes: ChildProcess[] = [];

/** Starts `troupe COMMAND` from the source of this project; resolves with the first line that it prints. */
const start = async (command: string, ...given: readonly string[]) => {
  const cli = join(root, 'src/cli/main.ts');
  const studio = join(import.meta.dirname, '52-workers/studio.ts');
  const store = join(folder, 'films.db');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', cli, command, studio, '--store', store, '--json', ...given],
    {
      cwd: root,
      env: { ...process.env, STUDIO_LEDGER: ledger },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  processes.push(child);
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line)) as { readonly url?: string };
  return { child, url };
};

const done = (): readonly string[] =>
  existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : [];

try {
  const work = () => start('worker', '--concurrency', '2');
  const [entrance, ...workers] = await Promise.all([
    start('serve', '--enqueue', '--port', '0'),
    work(),
    work(),
    work(),
  ]);
  const desk = connect(entrance.url ?? '');
  const films = await Promise.all(
    Array.from({ length: FILMS }, (_, film) => desk.start('studio', `Film ${film}`)),
  );

  // In the middle of its work, by `kill -9`: it says no goodbye. The others go on with what it had.
  while (done().length === 0) await pause(20);
  const busy = workers.find(({ child }) => done()[0]?.startsWith(`${child.pid} `));
  assert.ok(busy?.child.kill('SIGKILL'));

  for (const film of films) assert.equal((await film.result).status, 'completed');
  const lines = done();
  const busyOnes = new Set(lines.map((line) => line.split(' ')[0]));
  const calls = new Set(lines.map((line) => line.split(' ')[1]));
  assert.equal(calls.size, FILMS * 3 * 2);
  assert.ok(busyOnes.size > 1);
  console.log(
    `${FILMS} films by ${busyOnes.size} workers, one of which was killed: ${calls.size} scenes, none lost, ${lines.length - calls.size} done again.`,
  );
} finally {
  for (const child of processes) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
}
