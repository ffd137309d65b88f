import { link, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { documents, type DocumentsOptions } from '../../src/tools/built-in/documents/documents.ts';
import { perform } from './tool-context.ts';

let top = '';
let folder = '';
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'troupe-secrets-'));
  folder = join(top, 'folder');
  await mkdir(folder);
  await writeFile(join(folder, 'guide.md'), 'The guide is public.');
});
afterEach(() => rm(top, { recursive: true, force: true }));

/** What a model finds of the canary. */
const found = async (given: string | readonly string[], options: DocumentsOptions = {}) => {
  const toolset = documents(given, options);
  const search = toolset.tools.find(({ name }) => name === 'search_documents');
  if (search === undefined) throw new Error('there is no search');
  const { text } = await perform(search, { query: 'canary guide', limit: 6 });
  return {
    isFound: text.replaceAll('canary guide', '').includes('canary'),
    skipped: (await toolset.report()).skipped,
  };
};

describe('documents of a folder', () => {
  test.each([
    '.env',
    '.env.production',
    'id_rsa',
    'id_ed25519',
    'server.pem',
    'tls.key',
    '.npmrc',
    '.netrc',
    'credentials.json',
    'secrets.yaml',
    'prod.env',
  ])('[FIND-58] a file that holds keys is not found: %s', async (name) => {
    await writeFile(join(folder, name), 'SECRET=canary\n');
    expect(await found(folder)).toEqual({
      isFound: false,
      skipped: [{ path: name, reason: 'a file with keys, by its name' }],
    });
    expect((await found(folder, { secretFiles: 'read' })).isFound).toBe(true);
    expect((await found([folder, join(folder, name)])).isFound).toBe(true);
  });

  test('[FIND-58] a private key is not found whatever its file is called', async () => {
    await writeFile(join(folder, 'notes.txt'), '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n');
    expect(await found(folder)).toEqual({
      isFound: false,
      skipped: [{ path: 'notes.txt', reason: 'a file with a private key' }],
    });
  });

  test.each(['.env.example', 'id_rsa.pub', 'keys.md', 'environment.txt', 'credentials.md'])(
    '[FIND-58] a file that only sounds like it is found: %s',
    async (name) => {
      await writeFile(join(folder, name), 'canary\n');
      expect((await found(folder)).isFound).toBe(true);
    },
  );

  test('[FIND-58] a hard link leads nowhere out of the folder', async () => {
    await writeFile(join(top, 'outside.txt'), 'canary');
    await link(join(top, 'outside.txt'), join(folder, 'inside.txt'));
    expect(await found(folder)).toEqual({
      isFound: false,
      skipped: [{ path: 'inside.txt', reason: 'a hard link: the file may also be outside' }],
    });
    expect((await found(folder, { hardLinks: 'read' })).isFound).toBe(true);
  });
});
