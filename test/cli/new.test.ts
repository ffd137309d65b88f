import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { templates } from '../../src/cli/new/project.ts';
import { play } from './fake-terminal.ts';
import { root } from './run-command.ts';

let folder = '';
beforeAll(() => {
  // Below this project, whose packages its programs find.
  mkdirSync(join(root, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(root, '.tmp/new-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestIn = (project: string): Manifest =>
  JSON.parse(readFileSync(join(folder, project, 'package.json'), 'utf8')) as Manifest;

const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe('troupe new', () => {
  test.each(templates)('makes a project whose %s answers its first input without a key', async (template) => {
    const name = `first-${template}`;
    const { code, stderr } = await play(['new', name, '--template', template, '--yes'], { folder });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`cd ${name}`)]);
    const { scripts } = manifestIn(name);
    const [, main = '', input = ''] = /^troupe run (\S+) "(.*)"$/.exec(scripts['start'] ?? '') ?? [];
    const run = ['run', main, input, '--quiet', '--model', 'offline'];
    const { code: end, stdout } = await play(run, { folder: join(folder, name) });
    expect([end, stdout]).toEqual([
      0,
      expect.stringMatching(template === 'agent' ? /^42\n$/ : /four working days[^]*18 euros/),
    ]);
    // Its README names what is there.
    const readme = readFileSync(join(folder, name, 'README.md'), 'utf8');
    expect(readme).toContain(`# ${name}\n`);
    for (const [, path = ''] of readme.matchAll(/`(src\/[^`]+|test)`/g))
      expect(existsSync(join(folder, name, path)), path).toBe(true);
  });

  test('takes versions from what this release is tested with, and the SDK of a provider', async () => {
    await play(['new', 'desk', '--template=team', '--provider=anthropic', '--serve', '-y'], { folder });
    const { name, scripts, dependencies, devDependencies } = manifestIn('desk');
    expect(name).toBe('desk');
    expect(scripts['serve']).toBe('troupe serve src/team.ts');
    expect(dependencies).toEqual({
      '@anthropic-ai/sdk': own.peerDependencies['@anthropic-ai/sdk'],
      rxjs: own.peerDependencies['rxjs'],
      troupe: `^${own.version}`,
      xstate: own.peerDependencies['xstate'],
      zod: own.peerDependencies['zod'],
    });
    for (const [tool, version] of Object.entries(devDependencies))
      expect(version, tool).toBe(own.devDependencies[tool]);
    expect(manifestIn('first-agent').scripts['serve']).toBeUndefined();
    expect(readFileSync(join(folder, 'desk/README.md'), 'utf8')).toContain('ANTHROPIC_API_KEY');
  });

  test('asks a person at the terminal for what was not given, and takes the first where they just confirm', async () => {
    const typed = [
      { at: /Folder.*\(my-agents\) $/, text: 'asked' },
      { at: /agent, team\? \(agent\) $/, text: 't' },
      { at: /none, openai, anthropic\? \(none\) $/, text: '' },
      { at: /no, yes\? \(no\) $/, text: 'yes' },
    ];
    const { code } = await play(['new'], { folder, isTTY: true, typed });
    expect(code).toBe(0);
    const { scripts, dependencies } = manifestIn('asked');
    expect(Object.keys(scripts)).toContain('serve');
    expect(Object.keys(dependencies)).toEqual(['rxjs', 'troupe', 'xstate', 'zod']);
    expect(readdirSync(join(folder, 'asked/src'))).toContain('team.ts');
    const refused = await play(['new', 'other'], {
      folder,
      isTTY: true,
      typed: [{ at: /agent, team/, text: 'x' }],
    });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("there is no such choice: 'x'"),
    ]);
  });

  test.each([
    ['no folder, and nobody to ask', [], 'no folder was named'],
    ['a name that no package can have', ['My Agents', '-y'], "'My Agents' is no name of a package"],
    ['a folder with files', ['full', '-y'], "'full' has files in it, such as 'mine.txt'"],
    ['a file', ['full/mine.txt', '-y'], "'full/mine.txt' is a file"],
  ])('refuses %s, and writes nothing', async (_, args, message) => {
    mkdirSync(join(folder, 'full'), { recursive: true });
    writeFileSync(join(folder, 'full/mine.txt'), 'mine');
    const before = readdirSync(folder).toSorted();
    const { code, stderr } = await play(['new', ...args], { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(folder).toSorted()).toEqual(before);
    expect(readFileSync(join(folder, 'full/mine.txt'), 'utf8')).toBe('mine');
  });

  test('goes into the current folder, with a repository in it, and says as data what it made', async () => {
    const here = mkdtempSync(join(tmpdir(), 'troupe-new-'));
    mkdirSync(join(here, 'mine/.git'), { recursive: true });
    const { code, stdout, stderr } = await play(['new', '.', '--json'], { folder: join(here, 'mine') });
    expect([code, stderr]).toEqual([0, '']);
    const { folder: place, files } = JSON.parse(stdout) as { folder: string; files: string[] };
    expect(place).toBe(join(here, 'mine'));
    expect(files.filter((path) => !existsSync(join(place, path)))).toEqual([]);
    rmSync(here, { recursive: true });
  });
});
