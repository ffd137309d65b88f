import { execFileSync } from 'node:child_process';
import { link, mkdir, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import type { OpenToolset } from '../../src/contracts/tools/tool.ts';
import { agent, tool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { skills } from '../../src/tools/index.ts';
import type { SkillWorld } from './skills-folder.ts';
import { CANARY, skillText, skillWorld } from './skills-folder.ts';
import { perform } from './tool-context.ts';

let world: SkillWorld;
beforeEach(async () => {
  world = await skillWorld();
  await world.write('skills/pdf/SKILL.md', skillText('pdf', 'Fill it.'));
  await world.write('skills/pdf/notes.md', 'inside');
});
afterEach(() => world.dispose());

const open = async (...given: Parameters<typeof skills>): Promise<OpenToolset> => {
  const opened = await skills(...given).open?.({
    listed: undefined,
    tools: () => [],
    models: [],
    signal: new AbortController().signal,
    hide: () => undefined,
  });
  if (opened === undefined) throw new Error('skills do not open');
  return opened;
};

const readFile = async (path: string, skill = 'pdf') => {
  const { tools } = await open(world.skills);
  const read = tools.find(({ name }) => name === 'read_skill_file');
  if (read === undefined) throw new Error('nothing reads files');
  return perform(read, { skill, path } satisfies Json);
};

describe('skills are refused', () => {
  test.each([
    ['an option that there is not', { onyl: ['pdf'] }, 'did you mean `only`'],
    ['a name that is none', { name: 'my skills' }, 'not a name'],
    ['a way to run scripts that there is not', { scripts: true }, 'not one of ask, run'],
  ])('with %s', (_, options, reason) => {
    expect(() => skills('./skills', options as Parameters<typeof skills>[1])).toThrow(
      expect.objectContaining({ code: 'tool.invalid', message: expect.stringContaining(reason) }),
    );
  });

  test.each([[''], [7], [[{ packge: 'x' }]], [{ package: '' }], [null]])('from %j', (from) => {
    expect(() => skills(from as Parameters<typeof skills>[0])).toThrow(
      expect.objectContaining({ code: 'tool.invalid' }),
    );
  });

  test('before the first step of a run, with the code of the reason', async () => {
    const made = agent({
      name: 'clerk',
      tools: [skills('./no-such-folder')],
      model: scriptedModel(['never']),
    });
    await expect(made.run('go')).rejects.toMatchObject({
      code: 'tool.setup',
      message: expect.stringContaining('no such folder'),
    });
  });

  test.each([
    ['a folder that there is not', 'none', undefined, 'skill.unreadable', 'there is no such folder'],
    ['a file', 'canary.txt', undefined, 'skill.unreadable', 'it is not a folder'],
    ['a folder without skills', 'empty', undefined, 'skill.invalid', 'there are none'],
    ['a name that there is not', 'skills', ['pfd'], 'skill.invalid', "did you mean 'pdf'?"],
  ])('from %s', async (_, place, only, code, reason) => {
    await mkdir(join(world.root, 'empty'));
    await expect(open(join(world.root, place), { only })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(reason),
    });
  });

  test('if a folder has no SKILL.md, or a wrong one, all of them at once; `only` leaves them out', async () => {
    await world.write('skills/drafts/notes.md', 'later');
    await world.write('skills/docx/SKILL.md', skillText('doc', 'x'));
    await world.write('skills/huge/SKILL.md', skillText('huge', 'x'.repeat(1_000_000)));
    await world.write('skills/.git/x', '');
    const problems = await open(world.skills).catch((thrown: unknown) => thrown);
    expect(problems).toMatchObject({ code: 'skill.invalid' });
    for (const reason of [
      /'drafts' as there is no SKILL\.md/,
      /'docx' as its name differs/,
      /'huge' as its SKILL\.md is larger than/,
    ])
      expect(String(problems)).toMatch(reason);
    expect(Object.keys((await open(world.skills, { only: ['pdf'] })).listed)).toEqual(['pdf']);
  });

  test('if two have one name, or a folder is a link', async () => {
    await world.write('more/pdf/SKILL.md', skillText('pdf', 'Another.'));
    const more = join(world.root, 'more');
    await expect(open([world.skills, more])).rejects.toMatchObject({
      code: 'skill.invalid',
      message: `Cannot use the skill 'pdf' as two have that name: ${join(world.skills, 'pdf')} and ${join(more, 'pdf')}`,
    });
    await symlink(join(more, 'pdf'), join(world.skills, 'linked'));
    await expect(open(world.skills)).rejects.toMatchObject({ message: expect.stringContaining('is a link') });
  });

  test('if SKILL.md is a link', async () => {
    const outside = await world.write('outside.md', skillText('sly', CANARY));
    await mkdir(join(world.skills, 'sly'));
    await symlink(outside, join(world.skills, 'sly', 'SKILL.md'));
    await expect(open(world.skills)).rejects.toMatchObject({
      code: 'skill.invalid',
      message: expect.stringContaining("'sly'"),
    });
  });
});

describe('skills are found', () => {
  test('in the folder of one, in several places, and where the folder itself is a link', async () => {
    await world.write('more/docx/SKILL.md', skillText('docx', 'x'));
    await symlink(join(world.root, 'more'), join(world.root, 'link'));
    const { listed } = await open([join(world.skills, 'pdf'), join(world.root, 'link')]);
    expect(Object.keys(listed)).toEqual(['pdf', 'docx']);
  });

  test('as others publish them', async () => {
    const { listed } = await open('node_modules/playwright-core/lib/tools/skills');
    expect(Object.keys(listed)).toContain('playwright-cli');
  });

  test('in an installed package, in its folder `skills` or as the package itself, also if its files are linked', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(join(world.root, 'app'));
    const kept = await world.write('kept.md', skillText('forms', 'x'));
    await world.write('app/node_modules/@acme/office/skills/docx/SKILL.md', skillText('docx', 'x'));
    await mkdir(join(world.root, 'node_modules', 'forms'), { recursive: true });
    await link(kept, join(world.root, 'node_modules', 'forms', 'SKILL.md'));
    await world.write('node_modules/bare/index.js', '');
    const { listed } = await open([{ package: '@acme/office' }, { package: 'forms' }]);
    expect(Object.keys(listed)).toEqual(['docx', 'forms']);
    for (const [name, reason] of [
      ['absent', 'npm install absent'],
      ['bare', "neither a folder 'skills' nor a SKILL.md"],
      ['../skills', 'not the name of a package'],
    ] as const)
      await expect(open({ package: name })).rejects.toMatchObject({
        code: 'skill.unreadable',
        message: expect.stringContaining(reason),
      });
    vi.restoreAllMocks();
  });
});

describe('a file of a skill is refused', () => {
  test.each([
    ['upwards', '../../canary.txt'],
    ['upwards in the middle', 'x/../../../canary.txt'],
    ['absolute', '/etc/passwd'],
    ['of Windows', 'C:\\canary.txt'],
    ['with a NUL', 'notes.md\0.png'],
    ['through a link to a folder', 'out/canary.txt'],
    ['to a link', 'canary.md'],
    ['to a file with two names', 'hard.md'],
    ['to a pipe', 'pipe'],
    ['to a folder', 'sub'],
  ])('by a path that leads %s', async (_, path) => {
    const at = (name: string): string => join(world.skills, 'pdf', name);
    await symlink(world.root, at('out'));
    await symlink(join(world.root, 'canary.txt'), at('canary.md'));
    await link(join(world.root, 'canary.txt'), at('hard.md'));
    execFileSync('mkfifo', [at('pipe')]);
    await mkdir(at('sub'));
    const result = await readFile(path);
    expect(result).toMatchObject({ ok: false, error: { code: 'tool.denied' } });
    expect(result.text).not.toContain(CANARY);
  });

  test('if there is none, with the nearest', async () => {
    expect(await readFile('note.md')).toMatchObject({
      ok: false,
      error: { code: 'skill.unreadable' },
      text: expect.stringContaining("did you mean 'notes.md'?"),
    });
  });

  test('if it has 100 MB, with its size and unread', async () => {
    await truncate(await world.write('skills/pdf/big.txt', ''), 100_000_000);
    expect(await readFile('big.txt')).toMatchObject({
      ok: false,
      error: { code: 'skill.unreadable' },
      text: expect.stringContaining('larger than 10000000 bytes: 100000000'),
    });
  });

  test('if it is neither text nor media, with its size', async () => {
    await world.write('skills/pdf/data.bin', Uint8Array.of(1, 0, 2));
    expect(await readFile('data.bin')).toMatchObject({
      ok: false,
      error: { code: 'skill.unreadable' },
      text: expect.stringContaining('3 bytes'),
    });
  });

  test('if its skill is not among those that were listed', async () => {
    expect(await readFile('notes.md', 'docx')).toMatchObject({ ok: false, kind: 'validation' });
  });

  test('whatever the path is made of: nothing outside is ever read', async () => {
    await symlink(world.root, join(world.skills, 'pdf', 'out'));
    const { tools } = await open(world.skills);
    const read = tools.find(({ name }) => name === 'read_skill_file');
    const piece = fc.constantFrom('..', '.', '/', '\\', '\0', '%2e%2e', 'out', 'skills', 'pdf', '');
    const name = fc.constantFrom('canary.txt', 'notes.md', 'SKILL.md');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 3 }), name, async (pieces, last) => {
        const result = await perform(read ?? never, { skill: 'pdf', path: [...pieces, last].join('/') });
        expect(result.ok ? last : 'notes.md').not.toBe('canary.txt');
        expect(result.text).not.toContain(CANARY);
      }),
      { numRuns: 100 },
    );
  });
});

const never = tool({ name: 'never', description: 'Never.', dynamicSchema: true, execute: () => CANARY });

test('links, hidden files and pipes are not listed, nor what packages installed', async () => {
  const at = (name: string): string => join(world.skills, 'pdf', name);
  await symlink(world.root, at('out'));
  execFileSync('mkfifo', [at('pipe')]);
  await world.write('skills/pdf/.env', 'KEY=1');
  await world.write('skills/pdf/node_modules/x/index.js', '');
  const { tools } = await open(world.skills);
  const result = await perform(tools[0] ?? never, { skill: 'pdf' });
  expect(result).toMatchObject({ value: { files: [{ path: 'notes.md', bytes: 6 }] } });
});

test('more files than a model reads through are not listed, which the text says', async () => {
  for (let at = 0; at < 205; at += 1) await world.write(`skills/pdf/data/${at}.md`, 'x');
  const { tools } = await open(world.skills);
  const result = await perform(tools[0] ?? never, { skill: 'pdf' });
  expect(result.text).toContain('It has more files, which are not listed.');
  expect(result.text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(200);
});
