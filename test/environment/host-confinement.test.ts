import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileOps } from '../../src/contracts/environments/operations.ts';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { codeOf } from './contract.ts';
import type { TemporaryWorld } from './temporary-world.ts';
import { CANARY, temporaryWorld } from './temporary-world.ts';
import { sized } from '../support/thorough.ts';

let world: TemporaryWorld;
let files: FileOps;

const filesOf = async (root: string): Promise<FileOps> => {
  const environment = hostEnvironment({ root, maxReadBytes: 1_000, maxWriteBytes: 1_000 });
  await environment.setup?.({ runId: 'r', path: 'a' });
  if (environment.ops.files === undefined) throw new Error('there are no files');
  return environment.ops.files;
};

beforeEach(async () => {
  world = await temporaryWorld();
  files = await filesOf(world.root);
});
afterEach(() => world.dispose());

/** Every way of getting at a path; none of them may give the canary away, or touch it. */
const attempts = (path: string) => [
  () => files.read(path),
  () => files.write(path, 'written over'),
  () => files.remove(path),
];

const expectRefused = async (path: string): Promise<void> => {
  for (const attempt of attempts(path))
    expect(await attempt().then(() => `${path} was let through`, codeOf)).toBe('tool.denied');
  expect(await readFile(world.canary, 'utf8')).toBe(CANARY);
};

describe('[QITOS-37] [M27] files of this machine stay below their root', () => {
  test('a link to a file outside is not followed', async () => {
    await symlink(world.canary, join(world.root, 'link.txt'));
    await expectRefused('link.txt');
    expect(await files.list('.')).toContainEqual({ name: 'link.txt', kind: 'link' });
    expect(await files.stat('link.txt')).toMatchObject({ kind: 'link', isWritable: false });
  });

  test('a link to a folder outside is not followed', async () => {
    await symlink(world.top, join(world.root, 'up'));
    await expectRefused('up/canary.txt');
    expect(await files.list('up').catch(codeOf)).toBe('tool.denied');
    expect(await files.write('up/new/file.txt', 'x').catch(codeOf)).toBe('tool.denied');
  });

  test('a link that leads nowhere yet is not written through', async () => {
    await symlink(join(world.top, 'made.txt'), join(world.root, 'dangling.txt'));
    expect(await files.write('dangling.txt', 'x').catch(codeOf)).toBe('tool.denied');
    await expect(readFile(join(world.top, 'made.txt'))).rejects.toThrow('ENOENT');
  });

  test('a second name of a file outside is neither read nor written', async () => {
    await link(world.canary, join(world.root, 'twin.txt'));
    await expectRefused('twin.txt');
  });

  test('a pipe is refused at once, and does not hold the one who asks', async () => {
    execFileSync('mkfifo', [join(world.root, 'pipe')]);
    await expectRefused('pipe');
  });

  test('the twin of the root by its first letters is outside', async () => {
    for (const path of ['../root-twin/canary.txt', `${world.root}-twin/canary.txt`])
      await expectRefused(path);
  });

  test('the root itself may be reached by a link, and is no root if it is everything', async () => {
    await symlink(world.root, join(world.top, 'alias'));
    expect((await (await filesOf(join(world.top, 'alias'))).read('notes.md')).text).toBe('# Notes');
    await expect(filesOf('/')).rejects.toThrow('the whole file system');
    await expect(filesOf(join(world.top, 'nowhere'))).rejects.toThrow('Cannot confine files');
  });

  test('a folder that is swapped for a link again and again never leads outside', async () => {
    const inside = join(world.root, 'swap');
    const outside = join(world.top, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file.txt'), CANARY);
    let isOver = false;
    // What stands in the way is renamed: whoever writes at the same time may have made the folder anew.
    const swapping = (async () => {
      for (let round = 0; !isOver; round += 1) {
        await mkdir(inside).catch(() => undefined);
        await writeFile(join(inside, 'file.txt'), 'harmless');
        await rename(inside, join(world.root, `folder-${round}`));
        await symlink(outside, inside).catch(() => undefined);
        await rename(inside, join(world.root, `link-${round}`));
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 300; round += 1) {
      seen.add(await files.read('swap/file.txt').then(({ text }) => text, String));
      await files.write('swap/file.txt', 'harmless').catch(() => undefined);
    }
    isOver = true;
    await swapping;
    expect([...seen].join()).not.toContain(CANARY);
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe(CANARY);
  });

  test('no path that can be made up of what traversals are made of gets out', async () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      '\\',
      '%2e%2e',
      '%2f',
      '..;',
      '....',
      '\0',
      '\u202e',
      '~',
      'C:',
      'src',
      'notes.md',
      'canary.txt',
      'root-twin',
      '/etc/passwd',
      '/proc/self/environ',
      '/dev/zero',
      'file://',
      '．．',
      ' ',
      '\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        for (const path of [pieces.join(''), pieces.join('/')]) {
          const read = await files.read(path).then(({ text }) => text, String);
          if (read.includes(CANARY) || read.includes('root:x:0:0')) throw new Error(`${path} gave ${read}`);
          await files.list(path).catch(() => undefined);
        }
      }),
      { numRuns: sized(150, 500) },
    );
  });

  test('what is too long is cut when read and refused when written', async () => {
    await writeFile(join(world.root, 'long.txt'), 'ü'.repeat(1_000));
    const { text, bytes, isCut } = await files.read('long.txt', { maxBytes: 5 });
    expect({ text, bytes, isCut }).toEqual({ text: 'üü', bytes: 2_000, isCut: true });
    expect((await files.read('long.txt', { maxBytes: 1e9 })).text).toHaveLength(500);
    expect(await files.write('long.txt', 'x'.repeat(1_001)).catch(codeOf)).toBe('tool.denied');
  });

  test('an error names the path as it was asked for, never where it is', async () => {
    for (const path of ['nowhere.txt', 'up/x', '../x']) {
      const message = await files.read(path).catch(String);
      expect(message).not.toContain(world.top);
      expect(message).not.toContain('/proc');
    }
  });
});
