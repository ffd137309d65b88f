import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment, FileOps, ProcessOps } from '../../src/contracts/environment.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';

/** One environment under the contract: a world with `notes.md` (`# Notes`) and `src/main.ts` (`one\ntwo`) in it. */
export interface World {
  readonly environment: Environment;
  /** A command that prints its arguments, each on a line or all on one. */
  readonly print: string;
  dispose?(): Promise<void>;
}

/** What every environment owes those who use it, whatever it is made of. */
export const environmentContract = (name: string, make: () => Promise<World>): void => {
  describe(`[QITOS-38] [QITOS-40] the environment ${name}`, () => {
    let world: World;
    let session: EnvironmentSession;
    let files: FileOps;
    let processes: ProcessOps;

    beforeAll(async () => {
      world = await make();
      session = new EnvironmentSession(world.environment, { runId: 'r', path: 'a' });
      expect(await session.open(new Map([['files', ['files.read']]]))).toEqual([]);
      if (session.ops.files === undefined || session.ops.processes === undefined)
        throw new Error('it offers too little');
      ({ files, processes } = session.ops);
    });
    afterAll(async () => {
      expect(await session.close()).toEqual([]);
      await world.dispose?.();
    });

    it('is healthy', async () => {
      expect(await world.environment.healthCheck?.()).toEqual(world.environment.healthCheck && { ok: true });
    });

    it('reads a file, and says when it read only its start', async () => {
      expect(await files.read('notes.md')).toEqual({ text: '# Notes', bytes: 7, isCut: false });
      expect(await files.read('./src/../notes.md').catch(codeOf)).toBe('tool.denied');
      expect(await files.read('notes.md', { maxBytes: 3 })).toEqual({ text: '# N', bytes: 7, isCut: true });
    });

    it('writes what is read back, new folders included', async () => {
      expect(await files.write('deep/er/new.txt', 'Grüße\n')).toEqual({ bytes: 8, isNew: true });
      expect(await files.write('deep/er/new.txt', 'short')).toEqual({ bytes: 5, isNew: false });
      expect((await files.read('deep/er/new.txt')).text).toBe('short');
    });

    it('lists a folder by name', async () => {
      expect(await files.list('src')).toEqual([{ name: 'main.ts', kind: 'file' }]);
      expect(await files.list('.')).toEqual(
        expect.arrayContaining([
          { name: 'notes.md', kind: 'file' },
          { name: 'src', kind: 'folder' },
        ]),
      );
    });

    it('says what is at a path, and that there is nothing', async () => {
      expect(await files.stat('src/main.ts')).toEqual({ kind: 'file', bytes: 7, isWritable: true });
      expect(await files.stat('src')).toMatchObject({ kind: 'folder', isWritable: true });
      expect(await files.stat('.')).toMatchObject({ kind: 'folder' });
      expect(await files.stat('nowhere/at/all')).toBeUndefined();
    });

    it('removes a file once', async () => {
      await files.write('gone.txt', 'x');
      expect(await files.remove('gone.txt')).toBe(true);
      expect(await files.remove('gone.txt')).toBe(false);
    });

    it('fails for what is not there, and refuses what is no file', async () => {
      expect(await files.read('nowhere.txt').catch(codeOf)).toBe('tool.failed');
      expect(await files.list('nowhere').catch(codeOf)).toBe('tool.failed');
      for (const refused of [
        () => files.read('src'),
        () => files.read('.'),
        () => files.write('src', 'x'),
        () => files.remove('src'),
        () => files.write('notes.md/below.txt', 'x'),
      ])
        expect(await refused().then(() => 'done', codeOf)).toBe('tool.denied');
    });

    it.each(['/etc/passwd', '../x', 'a/../../x', 'src/..', 'a\\..\\b', 'C:/x', 'a\0b', `${'x'.repeat(256)}`])(
      'refuses the path %j for every operation',
      async (path) => {
        for (const attempt of [
          () => files.read(path),
          () => files.write(path, 'x'),
          () => files.list(path),
          () => files.stat(path),
          () => files.remove(path),
        ])
          expect(await attempt().then(() => 'done', codeOf)).toBe('tool.denied');
      },
    );

    it('runs a command with its arguments as they are', async () => {
      const result = await processes.run(world.print, ['$(id); `id` | x', '*', '']);
      expect(result).toMatchObject({ exitCode: 0, isCut: false, isTimedOut: false });
      expect(result.stdout).toContain('$(id); `id` | x');
      expect(result.stdout).toContain('*');
    });

    it('refuses commands that are none of those allowed', async () => {
      for (const command of ['not-a-command-here --x', '-rf', 'A=1', '__proto__'])
        expect(await processes.run(command, []).then(() => 'done', codeOf)).toBe('tool.denied');
    });
  });
};

/** The code of an error. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
