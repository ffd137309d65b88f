import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  isRegistered,
  newId,
  readRegistrations,
  register,
} from '../../../src/inspect/local/processes/registration.ts';
import { openRuntimeFolder } from '../../../src/inspect/local/processes/runtime-folder.ts';

let folder = '';

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'troupe-registrations-')), 'troupe');
  openRuntimeFolder(folder);
});

afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

const secret = 'a-secret-of-enough-letters';
const about = { port: 4_000, token: secret, sign: secret, control: false, program: 'app.js' };

/** Writes what another process would have registered. */
const registered = (changed: object = {}, name?: string): string => {
  const id = newId();
  const all = { v: 1, id, pid: process.ppid, startedAt: 1, ...about, ...changed };
  const file = join(folder, `${name ?? id}.json`);
  writeFileSync(file, JSON.stringify(all), { mode: 0o600 });
  return file;
};

describe('the folder of registrations', () => {
  test('is made for its user alone, and so are the files in it', () => {
    const remove = register(folder, newId(), about);
    const [name = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is refused where others may look into it, or it is a link', () => {
    chmodSync(folder, 0o750);
    expect(() => openRuntimeFolder(folder)).toThrow('it is not a folder of this user alone');
    const place = join(folder, '..', 'elsewhere');
    mkdirSync(place, { mode: 0o700 });
    rmSync(folder, { recursive: true });
    symlinkSync(place, folder);
    expect(() => openRuntimeFolder(folder)).toThrow('it is not a folder of this user alone');
  });
});

describe('a registration', () => {
  test('of another living process is found', () => {
    registered();
    expect(readRegistrations(folder)).toMatchObject([{ pid: process.ppid, program: 'app.js', port: 4_000 }]);
  });

  test('of the inspector itself is left out', () => {
    const own = newId();
    register(folder, own, about);
    expect(readRegistrations(folder, own)).toEqual([]);
  });

  test('of a process that is gone is removed', () => {
    const file = registered({ pid: 2 ** 30 });
    expect(readRegistrations(folder)).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  test.each<[string, () => string]>([
    ['that others may read', () => ((file) => (chmodSync(file, 0o644), file))(registered())],
    ['under the name of another', () => registered({}, 'somebody-else')],
    ['with a port that is none', () => registered({ port: 0 })],
    ['with a token that is none', () => registered({ token: 'x\r\ncookie: y' })],
    ['of another version', () => registered({ v: 2 })],
    ['that is too large', () => registered({ more: 'x'.repeat(10_000) })],
  ])('%s is left out, and left where it is', (_, write) => {
    const file = write();
    expect(readRegistrations(folder)).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  test('that is a link is left out', () => {
    const file = registered();
    const [only] = readRegistrations(folder);
    const other = join(folder, '..', 'real.json');
    writeFileSync(other, JSON.stringify(only), { mode: 0o600 });
    rmSync(file);
    symlinkSync(other, file);
    expect(readRegistrations(folder)).toEqual([]);
    expect(only !== undefined && isRegistered(folder, only)).toBe(false);
  });
});
