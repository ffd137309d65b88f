import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { builtFile } from './built-package.ts';
import { missingPostgres } from './fixtures-missing.ts';

/** A server that runs while the tests of a group do. */
export interface PostgresServer {
  /** An address of its database. */
  readonly connectionString: string;
  /** Where it keeps its data. */
  readonly folder: string;
}

/**
 * A `describe` with a PostgreSQL of its own, in a temporary folder and behind a socket in it. Without one on this machine the
 * body is not called: one skipped test, counted by the reporter, stands in its place.
 */
export const describeWithPostgres = (name: string, body: (server: PostgresServer) => void): void => {
  const programs = findPrograms();
  if (programs === undefined) {
    describe(name, () => it.skip(`${missingPostgres}: postgres, initdb`));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'troupe-postgres-'));
  describe(name, () => {
    let stop: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      stop = await start(programs, folder);
    });
    afterAll(async () => {
      await stop?.();
      rmSync(folder, { recursive: true, force: true });
    });
    body({
      connectionString: `postgresql://troupe@/postgres?host=${encodeURIComponent(folder)}`,
      folder,
    });
  });
};

/** The folder of the server's programs: Debian keeps them out of the path. */
const findPrograms = (): string | undefined => {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map((each) => join(debian, each, 'bin')) : [];
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return [...versions, ...path].find((each) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(each, name))),
  );
};

/** PostgreSQL refuses to be root: then it is run as somebody who may do little. */
const somebody = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return user === undefined ? undefined : { uid: Number(user[2]), gid: Number(user[3]) };
};

/** Copies a folder with the owners of its files. */
const copy = (from: string, to: string): void => {
  const { status, stderr, error } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp failed: ${stderr || String(error)}`);
};

/** Makes the data of a new server: the first of this run of the tests by `initdb`, which takes a second, all others as copies of those. */
const makeData = (programs: string, data: string, options: object): void => {
  const first = builtFile('postgres');
  if (existsSync(first)) {
    copy(first, data);
    return;
  }
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'troupe', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  // Whole as soon as it has its name. Two workers may come here at once: then there is one already, which is as good.
  const own = `${first}-${process.pid}`;
  copy(data, own);
  if (existsSync(first)) rmSync(own, { recursive: true });
  else renameSync(own, first);
};

const start = async (programs: string, folder: string): Promise<() => Promise<void>> => {
  const user = somebody();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }, ...user };
  makeData(programs, data, options);
  // What is tested is what processes do to each other, not what the disk does when the power fails.
  const settings = ['listen_addresses=', 'fsync=off', 'shared_buffers=16MB', 'max_connections=60'];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-k', folder, ...settings.flatMap((each) => ['-c', each])],
    { ...options, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => {
      resolve();
    });
  });
  const isReady = () =>
    existsSync(join(data, 'postmaster.pid')) &&
    /ready\s*$/.test(readFileSync(join(data, 'postmaster.pid'), 'utf8'));
  for (let tries = 0; !isReady(); tries += 1) {
    if (tries === 600 || server.exitCode !== null) throw new Error('PostgreSQL did not start');
    await wait(50);
  }
  return async () => {
    server.kill('SIGINT');
    await ended;
  };
};
