import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-result.ts';
import type { Toolset } from '../../src/contracts/tools/tool.ts';
import { readFolders } from '../../src/tools/built-in/documents/document-folder.ts';
import { documentsFrom, type SkippedFile } from '../../src/tools/built-in/documents/documents-from.ts';
import { splitPassages } from '../../src/tools/built-in/documents/passages.ts';
import { documents } from '../../src/tools/built-in/documents/documents.ts';
import { perform } from './tool-context.ts';

const use = async (toolset: Toolset, name: string, input: Json): Promise<ToolResult> => {
  const found = toolset.tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return perform(found, input);
};
const search = (toolset: Toolset, query: string, limit = 6) =>
  use(toolset, 'search_documents', { query, limit });
const read = (toolset: Toolset, input: Json) => use(toolset, 'read_passage', input);

const handbook = {
  'leave.md':
    '# Leave\n\nEverybody has 30 days of leave.\n\n## Illness\n\nA note is needed from the third day on.\n',
  'src/retry.ts': '/** Waits double after each try. */\nexport const maxRetries = 3;\n',
  'office.txt': 'The office opens at 7:30.\nThe café is on the second floor.\n',
};

describe('a search', () => {
  test('gives the passage that fits, with the lines it stands on, to the model and to the program', async () => {
    const result = await search(documentsFrom(handbook), 'doctor note illness', 1);
    expect(result).toMatchObject({
      ok: true,
      text: '1 passage for “doctor note illness”:\n\n[leave.md:5-7] Leave > Illness\n## Illness\n\nA note is needed from the third day on.',
      value: [{ citation: 'leave.md:5-7', path: 'leave.md', from: 5, to: 7, heading: 'Leave > Illness' }],
    });
  });

  test.each([
    ['other endings of a word', 'waiting', 'src/retry.ts'],
    ['a part of an identifier', 'retries', 'src/retry.ts'],
    ['a whole identifier', 'maxRetries', 'src/retry.ts'],
    ['a word with a letter wrong', 'offise', 'office.txt'],
    ['a word without its accent', 'cafe', 'office.txt'],
    ['the name of a file', 'office', 'office.txt'],
  ])('finds %s', async (_, query, path) => {
    expect(await search(documentsFrom(handbook), query, 1)).toMatchObject({ ok: true, value: [{ path }] });
  });

  test('gives what explains before a table and code that name the same words', async () => {
    const pages = {
      'a-table.md': '| what | where |\n| --- | --- |\n| retries of a call | call.ts |\n',
      'b-code.md': '```js\ncall({ retries: 3 });\n```\n',
      'c-prose.md':
        'A call has three retries unless the agent that makes it says how many there are to be.\n',
    };
    expect(await search(documentsFrom(pages), 'retries')).toMatchObject({
      value: [{ path: 'c-prose.md' }, {}, {}],
    });
  });

  test('says so if nothing fits, as text that is never empty', async () => {
    expect(await search(documentsFrom(handbook), 'volcano')).toMatchObject({
      ok: true,
      text: 'No passage was found for “volcano”.',
      value: [],
    });
  });

  test('gives equal texts once', async () => {
    const twice = documentsFrom({ 'a.md': 'Whales sleep upright.', 'b.md': 'Whales sleep upright.' });
    expect(await search(twice, 'whales')).toMatchObject({ value: [{ path: 'a.md' }] });
  });
});

describe('reading', () => {
  test.each([
    ['a citation', { citation: 'leave.md:5-7' }, 'leave.md:5-7'],
    ['a citation in brackets', { citation: '[leave.md:3-3]' }, 'leave.md:3-3'],
    ['a path and lines', { path: 'leave.md', from: 1, to: 3 }, 'leave.md:1-3'],
    ['a path alone', { path: 'leave.md' }, 'leave.md:1-7'],
    ['lines past the end', { path: 'leave.md', from: 6, to: 999 }, 'leave.md:6-7'],
    ['the unmistakable end of a path', { path: 'retry.ts' }, 'src/retry.ts:1-2'],
  ])('takes %s', async (_, input, citation) => {
    expect(await read(documentsFrom(handbook), input)).toMatchObject({ ok: true, value: { citation } });
  });

  test.each([
    ['../secret.md', 'Cannot read ../secret.md as it is not one of the documents: no document has that path'],
    ['/etc/passwd', 'Cannot read /etc/passwd as it is not one of the documents: no document has that path'],
    ['src/../../x', 'Cannot read src/../../x as it is not one of the documents: no document has that path'],
  ])('never leaves the documents: %s', async (path, message) => {
    expect(await read(documentsFrom(handbook), { path })).toMatchObject({ ok: false, error: { message } });
  });

  test('tells how long a document is if the lines are not in it', async () => {
    expect(await read(documentsFrom(handbook), { citation: 'office.txt:9-12' })).toMatchObject({
      error: {
        code: 'documents.unreadable',
        message: 'Cannot read office.txt:9-12 as no such lines exist: it has 2 lines',
      },
    });
  });
});

describe('passages', () => {
  test('every line that says something is in a passage, at the line that it says, and none grows past its limit', () => {
    const line = fc.oneof(
      fc.constantFrom('', '# Title', '```', '/** Says */', 'const a = 1;', '- item', 'Title', '====='),
      fc.lorem({ maxCount: 40 }),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 200 }),
        fc.constantFrom('a.md', 'a.ts', 'a.txt'),
        (lines, path) => {
          const text = lines.join('\n');
          const spans = splitPassages(path, text);
          const covered = new Set(
            spans.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
          );
          lines.forEach((content, index) =>
            expect(content.trim() === '' || covered.has(index + 1)).toBe(true),
          );
          for (const { from, to, start, end } of spans) {
            expect(text.slice(start, end)).toBe(lines.slice(from - 1, to).join('\n'));
            expect(from === to || end - start <= 1_700).toBe(true);
          }
        },
      ),
    );
  });

  test('a line as long as a book is cut, and every piece has its number', () => {
    const spans = splitPassages('bundle.js', `short();\n${'x'.repeat(20_000)}\n`);
    expect(spans.filter(({ from }) => from === 2).length).toBeGreaterThan(5);
    expect(spans.every(({ start, end }) => end - start <= 3_200)).toBe(true);
  });

  test('a title in a block of code is no title', () => {
    const spans = splitPassages('a.md', '# One\n\n```sh\n# not a title\n```\n\n## Two\n\ntext\n');
    expect(spans.map(({ heading, from, to }) => [heading, from, to])).toEqual([
      ['One', 1, 5],
      ['One > Two', 7, 9],
    ]);
  });
});

describe('a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'documents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  };

  test('is read but for what is no text, too large, hidden, linked or a package, and the report names each', async () => {
    await put('guide.md', '# Guide\n\nTurn left.');
    await put('deep/er/note.txt', 'Turn right.');
    await put('logo.png', new Uint8Array([137, 80, 78, 71, 0, 1]));
    await put('latin1.txt', new Uint8Array([0x66, 0xfc, 0x72]));
    await put('empty.md', ' \n');
    await put('huge.txt', 'x'.repeat(2_000_001));
    await put('node_modules/left-pad/README.md', 'Pads.');
    await put('.git/config', 'secret');
    await symlink('/etc', join(folder, 'outside'));
    await symlink(folder, join(folder, 'deep/loop'));
    await symlink('nowhere', join(folder, 'broken'));
    const report = await documents(folder).report();
    expect(report).toEqual({
      files: 2,
      passages: 2,
      skipped: [
        { path: '.git/', reason: 'a hidden folder' },
        { path: 'broken', reason: 'a link that leads nowhere or in a circle' },
        { path: 'deep/loop', reason: 'a link to a document that is read anyway' },
        { path: 'empty.md', reason: 'empty' },
        { path: 'huge.txt', reason: 'larger than 2 MB' },
        { path: 'latin1.txt', reason: 'not text (UTF-8)' },
        { path: 'logo.png', reason: 'not text (UTF-8)' },
        { path: 'node_modules/', reason: 'an ignored folder' },
        { path: 'outside', reason: 'a link that leads outside' },
      ],
    });
  });

  test('is searched like texts in memory, and a link out of it cannot be read', async () => {
    await put('guide.md', '# Guide\n\nTurn left.');
    await symlink('/etc/hostname', join(folder, 'host.md'));
    const library = documents(folder);
    expect(await search(library, 'turn', 1)).toMatchObject({ value: [{ citation: 'guide.md:1-3' }] });
    expect(await read(library, { path: 'host.md' })).toMatchObject({ ok: false });
  });

  test('of several each gives its name to its paths, and two of one name are told apart', async () => {
    await put('a/docs/x.md', 'Xylophone.');
    await put('b/docs/x.md', 'Xylograph.');
    await put('notes.md', 'Xenon.');
    const library = documents([join(folder, 'a/docs'), join(folder, 'b/docs'), join(folder, 'notes.md')]);
    expect(await search(library, 'xylograph', 1)).toMatchObject({ value: [{ path: 'docs-2/x.md' }] });
    expect(await search(library, 'xenon', 1)).toMatchObject({ value: [{ path: 'notes.md' }] });
  });

  test('a list of one may be a file, and is named like any other', async () => {
    await writeFile(join(folder, 'alone.md'), 'Otters hold hands.');
    const result = await search(documents([join(folder, 'alone.md')]), 'otters');
    expect(result.text).toContain('[alone.md:1-1]');
  });

  test('past the limit of all files, the rest is skipped and said', async () => {
    await put('a.txt', 'a'.repeat(60));
    await put('b.txt', 'b'.repeat(60));
    expect(await documents(folder, { maxTotalBytes: 100 }).report()).toMatchObject({
      files: 1,
      skipped: [{ path: 'b.txt', reason: 'past 0 MB in all' }],
    });
  });

  test.each([
    ['missing', /as there is no such folder$/],
    ['empty', /as the folder is empty$/],
    ['file.txt', 'it is not a folder: a file'],
    ['void', 'there is no readable text: 1 skipped (not text (UTF-8))'],
  ])('that is none is refused with one line: %s', async (name, message) => {
    await put('file.txt', 'text');
    await mkdir(join(folder, 'empty'));
    await put('void/picture.png', new Uint8Array([0]));
    const library = documents(join(folder, name));
    await expect(library.setup?.()).rejects.toMatchObject({
      code: 'documents.unreadable',
      message: expect.stringMatching(/^Cannot (?:read the documents in|search) [^\n]+$/),
    });
    await expect(library.report()).rejects.toThrow(message);
  });

  test('is read as it is when its turn comes: no link that came since, and no more than the cap', async () => {
    await put('in/a.md', 'First.');
    await put('in/b.md', 'Harmless.');
    await put('in/c.md', 'Small.');
    await put('secret.md', 'Secret.');
    const skipped: SkippedFile[] = [];
    const read: string[] = [];
    const limits = { maxFileBytes: 100, maxTotalBytes: 1_000, ignoredFolders: [] };
    for await (const [path] of readFolders(join(folder, 'in'), limits)((file) => skipped.push(file))) {
      read.push(path);
      await rm(join(folder, 'in/b.md'), { force: true });
      await symlink(join(folder, 'secret.md'), join(folder, 'in/b.md'));
      await put('in/c.md', 'Grown. '.repeat(100));
    }
    expect(read).toEqual(['a.md']);
    expect(skipped).toMatchObject([
      { path: 'b.md', reason: 'a link by now' },
      { path: 'c.md', reason: 'larger than 0 MB' },
    ]);
  });

  test('that appears later is read by the same tools', async () => {
    const library = documents(join(folder, 'later'));
    await expect(library.report()).rejects.toThrow('no such folder');
    await put('later/a.md', 'Here.');
    expect(await library.report()).toMatchObject({ files: 1 });
  });

  test('is no longer read once its signal is aborted', async () => {
    await put('a.md', 'Here.');
    await expect(
      documents(folder, { signal: AbortSignal.abort(new Error('enough')) }).report(),
    ).rejects.toThrow('enough');
  });
});
