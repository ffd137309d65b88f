import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StoreWish } from '../../src/cli/stored/store-place.ts';
import { storePlace } from '../../src/cli/stored/store-place.ts';

const placeOf = (wish: Partial<StoreWish>) =>
  storePlace({ given: undefined, environment: {}, folder: '/project', platform: 'linux', ...wish });

const sqlite = (...parts: readonly string[]) => ({ kind: 'sqlite', file: join(...parts) });

test.each([
  ['linux', { HOME: '/home/ada' }, ['/home/ada', '.local/share/troupe/runs.db']],
  ['linux', { HOME: '/home/ada', XDG_DATA_HOME: '/data' }, ['/data', 'troupe/runs.db']],
  ['linux', { HOME: '/home/ada', XDG_DATA_HOME: ' ' }, ['/home/ada', '.local/share/troupe/runs.db']],
  ['darwin', { HOME: '/Users/ada' }, ['/Users/ada', 'Library/Application Support/troupe/runs.db']],
  ['win32', { LOCALAPPDATA: '/ada/AppData/Local', HOME: '/x' }, ['/ada/AppData/Local', 'troupe/runs.db']],
] as const)('runs are kept in the data folder of a user of %s: %o', (platform, environment, place) => {
  expect(placeOf({ platform, environment })).toEqual(sqlite(...place));
});

test('a user without a home keeps none', () => {
  expect(placeOf({})).toBeUndefined();
  expect(placeOf({ platform: 'win32', environment: { HOME: '/home/ada' } })).toBeUndefined();
});

test.each([
  ['none', { kind: 'none' }],
  ['memory', { kind: 'memory' }],
  ['postgres://ada@db/runs', { kind: 'postgres', url: 'postgres://ada@db/runs' }],
  ['postgresql://ada@db/runs', { kind: 'postgres', url: 'postgresql://ada@db/runs' }],
  ['runs.db', { kind: 'sqlite', file: '/project/runs.db' }],
  ['/else/runs.db', { kind: 'sqlite', file: '/else/runs.db' }],
  ['sqlite:/else/runs.db', { kind: 'sqlite', file: '/else/runs.db' }],
])('a store is named as %s, on the command line or in the environment', (name, place) => {
  const environment = { HOME: '/home/ada', TROUPE_STORE: name };
  expect(placeOf({ environment })).toEqual(place);
  expect(placeOf({ environment: { TROUPE_STORE: 'other.db' }, given: name })).toEqual(place);
});

test('an empty name is none on the command line, and nothing in the environment', () => {
  expect(() => placeOf({ given: ' ' })).toThrow('--store names no store');
  expect(placeOf({ environment: { TROUPE_STORE: '', HOME: '/home/ada' } })).toMatchObject({ kind: 'sqlite' });
});
