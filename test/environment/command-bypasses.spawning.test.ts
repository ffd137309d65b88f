import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessOps } from '../../src/contracts/environments/operations.ts';
import type { AllowedCommands } from '../../src/tools/built-in/host/allowed-commands.ts';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { sampled } from '../support/thorough.ts';
import { codeOf } from './contract.ts';
import type { TemporaryWorld } from './temporary-world.ts';
import { CANARY, temporaryWorld } from './temporary-world.ts';

const exec = promisify(execFile);

const TEXT = 'b\na\n';

let world: TemporaryWorld;
let canary = '';
beforeEach(async () => {
  world = await temporaryWorld();
  canary = join(world.root, 'canary-made');
  await writeFile(join(world.root, 'evil.sh'), `#!/bin/sh\ntouch '${canary}'\ncat\n`);
  await chmod(join(world.root, 'evil.sh'), 0o755);
  await writeFile(join(world.top, 'date'), `#!/bin/sh\ntouch '${canary}'\n`);
  await chmod(join(world.top, 'date'), 0o755);
  await writeFile(join(world.root, 'text.txt'), TEXT);
});
afterEach(() => world.dispose());

const processesOf = async (commands: AllowedCommands): Promise<ProcessOps> => {
  const environment = hostEnvironment({ root: world.root, commands, timeoutMs: 20_000 });
  await environment.setup?.({ runId: 'r', path: 'a' });
  if (environment.ops.processes === undefined) throw new Error('there are no processes');
  return environment.ops.processes;
};

const HONEST: AllowedCommands = {
  git: '/usr/bin/git',
  sort: '/usr/bin/sort',
  tar: '/usr/bin/tar',
  sed: '/usr/bin/sed',
  find: '/usr/bin/find',
  grep: '/usr/bin/grep',
  rg: '/usr/bin/rg',
  uniq: '/usr/bin/uniq',
  date: '/usr/bin/date',
  ls: '/usr/bin/ls',
  touch: '/usr/bin/touch',
  cat: '/usr/bin/cat',
  cp: '/usr/bin/cp',
  diff: '/usr/bin/diff',
  jq: '/usr/bin/jq',
  strings: '/usr/bin/strings',
};

const gitIn =
  (cwd: string) =>
  (...args: string[]): Promise<unknown> =>
    exec('/usr/bin/git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });

let template: string | undefined;
afterAll(async () => {
  if (template !== undefined) await rm(template, { recursive: true, force: true });
});

/** What `git` keeps of a repository with one commit: made once, by three processes. */
const repositoryTemplate = async (): Promise<string> => {
  if (template !== undefined) return template;
  template = await mkdtemp(join(tmpdir(), 'troupe-repository-'));
  const git = gitIn(template);
  await writeFile(join(template, 'text.txt'), TEXT);
  await git('init', '-q', '-b', 'main', '--template=');
  await mkdir(join(template, '.git/hooks'));
  await git('add', 'text.txt');
  await git('commit', '-q', '-m', 'one');
  return template;
};

/** A repository below the root, as a person made it. */
const repository = async (): Promise<(...args: string[]) => Promise<unknown>> => {
  await cp(join(await repositoryTemplate(), '.git'), join(world.root, '.git'), { recursive: true });
  return gitIn(world.root);
};

const expectNothingStarted = async (): Promise<void> => {
  await expect(access(canary)).rejects.toThrow('ENOENT');
};

describe('commands of this machine that are allowed', () => {
  const hostile: readonly (readonly [string, readonly string[]])[] = [
    ['git', ['config', 'core.fsmonitor', './evil.sh']],
    ['git', ['config', 'alias.x', '!./evil.sh']],
    ['git', ['x']],
    ['git', ['rebase', '--exec', './evil.sh', 'HEAD~1']],
    ['git', ['rebase', '--exe=./evil.sh', 'HEAD~1']],
    ['git', ['bisect', 'run', './evil.sh']],
    ['git', ['ls-remote', '--upload-pa=./evil.sh', '.']],
    ['git', ['fetch', '--upload-pack=./evil.sh', '.']],
    ['git', ['clone', 'ext::./evil.sh']],
    ['git', ['push', '--receive-pa', './evil.sh', '.']],
    ['git', ['submodule', 'foreach', './evil.sh']],
    ['git', ['filter-branch', '--tree-filter', './evil.sh']],
    ['git', ['difftool', '-x', './evil.sh']],
    ['git', ['diff', '--ext-dif']],
    ['git', ['diff', '--outp=f']],
    ['git', ['grep', '--open-files-in=./evil.sh', 'a']],
    ['git', ['grep', '-O./evil.sh', 'a']],
    ['git', ['grep', '-nO./evil.sh', 'a']],
    ['git', ['-p', 'log']],
    ['git', ['--exec-pa=.', 'status']],
    ['git', ['archive', '--exec=./evil.sh', 'HEAD']],
    ['git', ['cat-file', '--textconv', 'HEAD:text.txt']],
    ['git', ['commit', '--gpg-sign=a']],
    ['git', ['difftool']],
    ['git', ['help', '-a']],
    ['sort', ['-uo', 'f', 'text.txt']],
    ['sort', ['-of', 'text.txt']],
    ['sort', ['--outp=f', 'text.txt']],
    ['sort', ['--compress-prog=./evil.sh', 'text.txt']],
    ['sort', ['-S1b', '--compress=./evil.sh', 'text.txt']],
    ['tar', ['--checkpoint-act=exec=./evil.sh', '--checkpoint=1', '-cf', 'x.tar', 'text.txt']],
    ['tar', ['-cf', 'x.tar', '--use-comp=./evil.sh', 'text.txt']],
    ['tar', ['-I./evil.sh', '-cf', 'x.tar', 'text.txt']],
    ['tar', ['-cvI', './evil.sh', '-f', 'x.tar', 'text.txt']],
    ['tar', ['--to-comm=./evil.sh', '-xf', 'x.tar']],
    // A value may be glued to the letters before it.
    ['tar', ['-cf../canary-made', 'text.txt']],
    ['tar', ['-vcf/tmp/troupe-canary-made', 'text.txt']],
    ['tar', ['-xC..', '-f', 'x.tar']],
    ['tar', ['-C../..', '-cf', 'x.tar', 'text.txt']],
    ['tar', ['-C~', '-cf', 'x.tar', 'text.txt']],
    ['tar', ['-cf', 'x.tar', '-C./..', 'text.txt']],
    ['touch', ['-cr../secret', 'text.txt']],
    ['tar', ['--rsh-comm=./evil.sh', '-tf', 'h:x']],
    ['sed', ['-i', '1w f', 'text.txt']],
    ['sed', ['-ni', 'p', 'text.txt']],
    ['sed', ['--in-pl', 'p', 'text.txt']],
    ['find', ['.', '-exec', './evil.sh', ';']],
    ['find', ['.', '-execdir', './evil.sh', ';']],
    ['find', ['.', '-okdir', './evil.sh', ';']],
    ['find', ['.', '-fprintf', 'f', 'x']],
    ['find', ['-files0-from', 'text.txt']],
    ['rg', ['--pre=./evil.sh', 'a']],
    ['rg', ['--hostname-bin', './evil.sh', 'a']],
    ['rg', ['-z', 'a']],
    ['grep', ['-f/etc/passwd', 'a']],
    ['uniq', ['text.txt', 'f']],
    ['date', ['010100002030']],
    ['date', ['-s', 'tomorrow']],
    ['ls', ['--hyperlink', '--zero']],
    // Each reads a file that it is not given as an argument.
    ['jq', ['-n', 'import "\\u002e\\u002e/secret" as $d; $d']],
    ['jq', ['-n', 'import "secret" as $d {search: "\\u002e\\u002e"}; $d']],
    ['jq', ['-n', '#\ninclude "secret" {search: "\\u002f"}; 1']],
    ['jq', ['-n', '"\\u002e\\u002e/secret"|modulemeta']],
    ['strings', ['@text.txt']],
  ];
  test.each(sampled(hostile, 3))(
    '[FIND-50] refuse what starts another program or writes elsewhere: %s %j',
    async (command, args) => {
      await repository();
      // Where it is not refused, it must do no harm either: the clock of the machine is not the test's to set.
      const processes = await processesOf({ ...HONEST, date: join(world.top, 'date') });
      expect(await processes.run(command, args).catch(codeOf)).toBe('tool.denied');
      await expectNothingStarted();
    },
  );

  test.each([
    ['sed', ['1e ./evil.sh', 'text.txt']],
    ['sed', ['-n', '1w f', 'text.txt']],
    ['sed', ['s,b,./evil.sh,e', 'text.txt']],
    ['tar', ['cIf', './evil.sh', 'x.tar', 'text.txt']],
    ['tar', ['-tf', 'host:x.tar']],
    ['tar', ['-cf', 'x.tar', '\\056\\056/canary.txt']],
    ['tar', ['-cf', 'x.tar', '\\057etc/passwd']],
  ])('[FIND-50] keep the program itself from it: %s %j', async (command, args) => {
    const processes = await processesOf(HONEST);
    expect((await processes.run(command, args)).exitCode).not.toBe(0);
    await expectNothingStarted();
    await expect(access(join(world.root, 'f'))).rejects.toThrow('ENOENT');
  });

  describe('where there are links that lead out of the root', () => {
    beforeEach(async () => {
      await mkdir(join(world.root, 'made'));
      await symlink('..', join(world.root, 'up'));
      await symlink('../..', join(world.root, 'made', 'up'));
      await symlink('../../canary.txt', join(world.root, 'made', 'text.txt'));
    });

    const expectAllAsBefore = async (): Promise<void> => {
      expect((await readdir(world.top)).toSorted()).toEqual(['canary.txt', 'date', 'root', 'root-twin']);
      expect(await readFile(world.canary, 'utf8')).toBe(CANARY);
    };

    const reaching: readonly (readonly [string, readonly string[]])[] = [
      ['cat', ['up/canary.txt']],
      ['cat', ['./src/../up/canary.txt']],
      ['cat', ['.//up/./canary.txt']],
      ['cat', ['made/text.txt']],
      ['sort', ['--', 'up/canary.txt']],
      ['sed', ['-n', 'p', 'up/canary.txt']],
      ['grep', ['canary', 'up/canary.txt']],
      ['grep', ['-R', 'canary', '.']],
      ['rg', ['-L', 'canary']],
      ['find', ['up/', '-name', 'canary.txt']],
      ['find', ['-newer', 'up/canary.txt']],
      ['tar', ['-cf', 'x.tar', 'up/canary.txt']],
      ['tar', ['-cfup/x.tar', 'text.txt']],
      ['tar', ['-c', '--file=up/x.tar', 'text.txt']],
      ['tar', ['-cf', 'x.tar', '-C', 'made', 'up/canary.txt']],
      // Writes, and makes hard links, by names that are in the archive.
      ['tar', ['-xf', 'x.tar']],
      ['touch', ['up/made']],
      ['touch', ['-rup/canary.txt', 'text.txt']],
      ['cp', ['text.txt', 'up/made']],
      ['cp', ['text.txt', 'made/text.txt']],
      ['git', ['init', 'up/made']],
      ['git', ['diff', 'text.txt', 'up/canary.txt']],
      ['own', ['up/canary.txt']],
      ['own', ['file=up/canary.txt']],
    ];
    test.each(sampled(reaching, 3))(
      '[FIND-50] refuse what is reached through one: %s %j',
      async (command, args) => {
        const own = { path: '/usr/bin/cat', allow: {} };
        const processes = await processesOf({ ...HONEST, own });
        expect(await processes.run(command, args).catch(codeOf)).toBe('tool.denied');
        await expectAllAsBefore();
      },
    );

    test.each([
      ['grep', ['-r', 'canary', '.']],
      ['diff', ['-r', 'made', 'src']],
      ['diff', ['-rN', 'src', 'made']],
      ['cp', ['-r', 'made', 'copied']],
      ['find', ['.', '-name', 'canary.txt']],
      ['ls', ['-R', '.']],
      ['cp', ['text.txt', 'made']],
      ['tar', ['-cf', '-', 'made']],
    ])('[FIND-50] follow none that they meet: %s %j', async (command, args) => {
      const { stdout } = await (await processesOf(HONEST)).run(command, args);
      expect(stdout).not.toContain(CANARY);
      await expectAllAsBefore();
    });

    test('[FIND-50] a command goes on in their midst, and one whose paths are not checked goes through them', async () => {
      const any = { path: '/usr/bin/cat', paths: 'any' } as const;
      const processes = await processesOf({ ...HONEST, any });
      expect(await processes.run('cat', ['src/main.ts'])).toMatchObject({ stdout: 'one\ntwo' });
      expect(await processes.run('any', ['up/canary.txt'])).toMatchObject({ stdout: CANARY });
    });
  });

  test.each([
    ['core.pager', ['log']],
    ['core.editor', ['commit', '--amend']],
    ['alias.status', ['status']],
    ['diff.x.textconv', ['diff']],
    ['diff.external', ['diff']],
    ['filter.x.clean', ['add', 'text.txt']],
    ['core.sshCommand', ['status']],
    ['include.path', ['status']],
  ])('[FIND-50] a repository whose configuration names a program is not worked in: %s', async (key, args) => {
    const git = await repository();
    await git('config', key, './evil.sh');
    await writeFile(join(world.root, '.gitattributes'), '* diff=x filter=x\n');
    await writeFile(join(world.root, 'text.txt'), 'c\n');
    const processes = await processesOf(HONEST);
    const refused: unknown = await processes.run('git', args).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'tool.denied', message: expect.stringContaining('configuration') });
    await expectNothingStarted();
  });

  test('[FIND-50] a file system monitor that the repository names is not started', async () => {
    const git = await repository();
    await git('config', 'core.fsmonitor', './evil.sh');
    const processes = await processesOf(HONEST);
    expect(await processes.run('git', ['status'])).toMatchObject({ exitCode: 0 });
    await expectNothingStarted();
  });

  test('[FIND-50] a hook of the repository, and the configuration of a person, start nothing', async () => {
    const git = await repository();
    await symlink('../../evil.sh', join(world.root, '.git/hooks/pre-commit'));
    await symlink('../../evil.sh', join(world.root, '.git/hooks/post-checkout'));
    const home = join(world.top, 'home');
    await mkdir(home);
    await writeFile(join(home, '.gitconfig'), `[core]\n\tfsmonitor = ${join(world.root, 'evil.sh')}\n`);
    await git('config', 'user.name', 'a');
    await git('config', 'user.email', 'a@b');
    const environment = hostEnvironment({
      root: world.root,
      commands: HONEST,
      env: { PATH: '/usr/bin:/bin', HOME: home, GIT_EXTERNAL_DIFF: './evil.sh' },
    });
    await environment.setup?.({ runId: 'r', path: 'a' });
    const run = async (...args: string[]) => environment.ops.processes?.run('git', args);
    expect(await run('commit', '--allow-empty', '-m', 'two')).toMatchObject({ exitCode: 0 });
    expect(await run('checkout', '-b', 'other')).toMatchObject({ exitCode: 0 });
    expect(await run('status', '--short')).toMatchObject({ exitCode: 0 });
    await expectNothingStarted();
  });

  test('[FIND-50] a repository elsewhere, to which a file below the root leads, is not worked in', async () => {
    const elsewhere = join(world.top, 'elsewhere');
    await cp(await repositoryTemplate(), elsewhere, { recursive: true });
    const attempt = async () => {
      const processes = await processesOf(HONEST);
      return processes.run('git', ['log', '-p']).then(({ stdout }) => stdout, codeOf);
    };
    // A link to another repository, as worktrees and submodules have it.
    await writeFile(join(world.root, '.git'), `gitdir: ${join(elsewhere, '.git')}\n`);
    expect(await attempt()).toBe('tool.denied');
    await rm(join(world.root, '.git'));
    // A repository of its own, whose objects are those of another.
    const git = await repository();
    expect(await attempt()).toContain('one');
    const alternates = join(world.root, '.git/objects/info/alternates');
    await mkdir(join(world.root, '.git/objects/info'), { recursive: true });
    await writeFile(alternates, `${join(elsewhere, '.git/objects')}\n`);
    expect(await attempt()).toBe('tool.denied');
    const other = join(elsewhere, '.git/objects');
    await mkdir(join(world.root, 'x/info'), { recursive: true });
    await writeFile(join(world.root, 'x/info/alternates'), `${other}\n`);
    for (const line of [
      '../../../elsewhere/.git/objects',
      `"${other}"`,
      `"\\057${other.slice(1)}"`,
      '../../x',
    ]) {
      await writeFile(alternates, `${line}\n`);
      expect(await attempt(), line).toBe('tool.denied');
    }
    await rm(alternates);
    // One that shares all but its head with another.
    await writeFile(join(world.root, '.git/commondir'), `${join(elsewhere, '.git')}\n`);
    expect(await attempt()).toBe('tool.denied');
    await rm(join(world.root, '.git/commondir'));
    await git('branch', 'other');
    expect(await attempt()).toContain('one');
  });

  test('[FIND-50] a repository that the root is a part of is not seen: what it has is outside of the root', async () => {
    await cp(join(await repositoryTemplate(), '.git'), join(world.top, '.git'), { recursive: true });
    await writeFile(join(world.top, 'mine.txt'), 'unsaved');
    const processes = await processesOf(HONEST);
    for (const args of [['log'], ['stash', '-u'], ['reset', '--hard'], ['show', 'HEAD:text.txt']]) {
      const { exitCode, stderr } = await processes.run('git', args);
      expect([exitCode, stderr]).toEqual([128, expect.stringContaining('not a git repository')]);
    }
    expect(await readFile(join(world.top, 'mine.txt'), 'utf8')).toBe('unsaved');
  });

  test('[FIND-50] what git keeps is changed by git alone: no file, no other program and no folder to work in', async () => {
    await repository();
    const environment = hostEnvironment({ root: world.root, commands: HONEST });
    await environment.setup?.({ runId: 'r', path: 'a' });
    const { files, processes } = environment.ops;
    if (files === undefined || processes === undefined) throw new Error('there are no operations');
    const before = await readFile(join(world.root, '.git/config'), 'utf8');
    for (const path of [
      '.git/config',
      '.GIT/config',
      './.git/info/attributes',
      'sub/.git',
      '.git/objects/info/alternates',
    ])
      expect(await files.write(path, '[diff "x"]\n\ttextconv = ./evil.sh\n').catch(codeOf), path).toBe(
        'tool.denied',
      );
    expect(await files.remove('.git/HEAD').catch(codeOf)).toBe('tool.denied');
    expect(await processes.run('cp', ['text.txt', '.git/config']).catch(codeOf)).toBe('tool.denied');
    expect(await processes.run('touch', ['sub/../.git/config']).catch(codeOf)).toBe('tool.denied');
    expect(await processes.run('cp', ['HEAD', 'config'], { cwd: '.git' }).catch(codeOf)).toBe('tool.denied');
    expect(await readFile(join(world.root, '.git/config'), 'utf8')).toBe(before);
    expect(await files.write('.gitignore', 'x\n')).toMatchObject({ isNew: true });
    expect((await files.read('.git/HEAD')).text).toContain('refs/heads/main');
  });

  test('a change in the working folder is shown by git diff', async () => {
    await repository();
    await writeFile(join(world.root, 'text.txt'), 'changed\n');
    const processes = await processesOf(HONEST);
    for (const args of [['diff'], ['diff', 'HEAD'], ['log', '-p']]) {
      const { exitCode, stdout } = await processes.run('git', args);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('text.txt')]);
    }
  });

  test('[FIND-50] a repository with a submodule, which has its own configuration, is not worked in', async () => {
    const git = await repository();
    await mkdir(join(world.root, 'sub'));
    const sub = { cwd: join(world.root, 'sub') };
    await exec('/usr/bin/git', ['init', '-q'], sub);
    await exec(
      '/usr/bin/git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'],
      sub,
    );
    await exec('/usr/bin/git', ['config', 'core.fsmonitor', join(world.root, 'evil.sh')], sub);
    await git('add', 'sub');
    const processes = await processesOf(HONEST);
    expect(await processes.run('git', ['status']).catch(codeOf)).toBe('tool.denied');
    await expectNothingStarted();
  });

  test.each([
    'perl',
    'python3',
    'python3.12',
    'node',
    'make',
    'env',
    'xargs',
    'awk',
    'npm',
    'gcc-14',
    'vim',
    'less',
    'curl',
    'docker',
    'busybox',
    'tclsh8.6',
  ])('[FIND-50] %s starts other programs, so it is not allowed without rules', async (program) => {
    await expect(processesOf({ [program]: `/usr/bin/${program}` })).rejects.toThrow(
      `'${program}' starts other programs: list its allowed subcommands`,
    );
  });

  test('[FIND-50] a program that is not known needs rules, which say what it may be given and nothing else', async () => {
    await expect(processesOf({ own: '/usr/bin/printenv' })).rejects.toThrow('is not a known program');
    const processes = await processesOf({
      node: { path: process.execPath, allow: { options: ['--version', '-p='] } },
      test: { path: process.execPath, allow: { subcommands: { 'run.mjs': { operands: 1 } } } },
    });
    expect(await processes.run('node', ['--version'])).toMatchObject({ stdout: `${process.version}\n` });
    expect(await processes.run('node', ['-p', '1 + 1'])).toMatchObject({ stdout: '2\n' });
    for (const args of [['-e', '1'], ['--eval=1'], ['--versio'], ['--import', './x.mjs']])
      expect(await processes.run('node', args).catch(codeOf)).toBe('tool.denied');
    await writeFile(join(world.root, 'run.mjs'), 'console.log(process.argv[2])');
    expect(await processes.run('test', ['run.mjs', 'one'])).toMatchObject({ stdout: 'one\n' });
    for (const args of [['evil.mjs'], ['run.mjs', 'one', 'two'], ['--import', 'run.mjs'], []])
      expect(await processes.run('test', args).catch(codeOf)).toBe('tool.denied');
  });

  test('[FIND-50] what a person approves shows what it may start', async () => {
    const [run] = processTools().tools;
    expect(run?.describe({ command: 'make', args: ['all'] })).toBe(
      'Running make all (make may start any other program)',
    );
    expect(run?.describe({ command: 'ls', args: [] })).toBe('Running ls');
    await expect(processesOf({ format: { path: '/bin/sh', refuse: () => undefined } })).rejects.toThrow(
      'a person who approves a call sees only this name',
    );
  });

  test.runIf(process.platform === 'linux')(
    '[FIND-50] what leaves for a session of its own does not outlive the call',
    async () => {
      const processes = await processesOf({
        sh: { path: '/bin/sh', paths: 'any', refuse: () => undefined },
      });
      const escape =
        'setsid sh -c "echo \\$\\$ > pid; exec sleep 1000" </dev/null >/dev/null 2>&1 & while [ ! -s pid ]; do :; done';
      expect(await processes.run('sh', ['-c', escape])).toMatchObject({ exitCode: 0 });
      const pid = (await readFile(join(world.root, 'pid'), 'utf8')).trim();
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
      expect(state === 'gone' || / [ZX] /.test(state)).toBe(true);
    },
  );

  const honest: readonly (readonly [string, readonly string[]])[] = [
    ['git', ['status', '--short']],
    ['git', ['log', '--oneline', '-5']],
    ['git', ['log', '-n', '3', '--format=%h %s', '--', 'text.txt']],
    ['git', ['diff', '--stat', 'HEAD']],
    ['git', ['show', '--name-only', 'HEAD']],
    ['git', ['ls-files']],
    ['git', ['branch', '-a']],
    ['git', ['add', '-A']],
    ['git', ['blame', '-L', '1,1', 'text.txt']],
    ['git', ['--version']],
    ['sort', ['-rn', '-k', '2', 'text.txt']],
    ['sort', ['-t,', '-k1,1', 'text.txt']],
    ['tar', ['-cf', 'x.tar', 'text.txt']],
    ['tar', ['-cvf./x.tar', 'text.txt']],
    ['tar', ['-cfsrc/x.tar', 'text.txt']],
    ['sed', ['-n', '1,2p', 'text.txt']],
    ['sed', ['-E', 's,(a|b),x,g', 'text.txt']],
    ['find', ['.', '-name', '*.txt', '-type', 'f', '-maxdepth', '2']],
    ['grep', ['-rn', '--include=*.txt', 'a', '.']],
    ['grep', ['-e', 'a', '--', 'text.txt']],
    ['uniq', ['-c', 'text.txt']],
    ['date', ['-u', '+%Y']],
    ['ls', ['-la']],
    ['jq', ['-n', '{important: .import, included: $__loc__}']],
  ];
  test.each(sampled(honest, 3))('[FIND-50] go on to do honest work: %s %j', async (command, args) => {
    await repository();
    expect(await (await processesOf(HONEST)).run(command, args)).toMatchObject({ exitCode: 0 });
  });
});
