import { describe, expect, test, vi } from 'vitest';
import { postgresStore } from '../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';

vi.mock('pg', () => {
  throw new Error('Cannot find package');
});
vi.mock('node:module', async (original) => ({
  ...(await original<object>()),
  createRequire: () => () => {
    throw new Error('Cannot find module');
  },
}));

const failure = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('a store whose package is missing says so in one line when it is first used', () => {
  test('SQLite, where Node has none of its own', async () => {
    const builtIn = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    for (const [driver, reason] of [
      [undefined, 'this Node has no SQLite of its own, and the package libsql is not installed'],
      ['node', 'this Node has no SQLite of its own'],
      ['libsql', 'the package libsql is not installed'],
    ] as const)
      expect(await failure(() => sqliteStore(':memory:', { driver }).list())).toMatchObject({
        code: 'journal.package-missing',
        message: expect.stringMatching(
          new RegExp(`^Cannot open :memory: as ${reason}.*: run \`npm install libsql\``),
        ),
      });
    builtIn.mockRestore();
  });

  test('PostgreSQL', async () => {
    const store = postgresStore({ connectionString: 'postgresql://nowhere/x' });
    expect(await failure(() => store.list())).toMatchObject({
      code: 'journal.package-missing',
      message: expect.stringContaining('run `npm install pg`'),
    });
  });
});
