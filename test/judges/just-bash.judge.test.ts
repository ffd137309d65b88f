import { Bash } from 'just-bash';
import { describe, expect, test } from 'vitest';
import { bashEnvironment } from '../../src/tools/environments/bash-environment.ts';
import { codeOf, environmentContract } from '../environment/contract.ts';

const FILES = {
  '/work/notes.md': '# Notes',
  '/work/src/main.ts': 'one\ntwo',
  '/canary.txt': 'the canary sings',
};

const opsOf = () => {
  const { files, processes } = bashEnvironment(new Bash({ files: FILES })).ops;
  if (files === undefined || processes === undefined) throw new Error('there are no operations');
  return { files, processes };
};

describe('[QITOS-40] the genuine shell of just-bash', () => {
  environmentContract('in it', async () => ({
    environment: bashEnvironment(new Bash({ files: FILES }), { commands: ['echo'] }),
    print: 'echo',
  }));

  test.each([
    '$(cat /canary.txt)',
    '`id`',
    '; cat /canary.txt',
    '> /work/made',
    '&& false',
    '*',
    '$HOME',
    '"',
  ])('gives %s to a command as it is', async (said) => {
    const { files, processes } = opsOf();
    expect(await processes.run('echo', [said])).toMatchObject({ exitCode: 0, stdout: `${said}\n` });
    expect(await files.list('.')).toHaveLength(2);
  });

  test('leads out of its root by no link', async () => {
    const bash = new Bash({ files: FILES });
    await bash.exec('ln -s / /work/up && ln -s /canary.txt /work/link.txt');
    const { files, processes } = bashEnvironment(bash).ops;
    for (const path of ['up/canary.txt', 'link.txt']) {
      expect(await files?.read(path).catch(codeOf)).toBe('tool.denied');
      expect(await files?.write(path, 'x').catch(codeOf)).toBe('tool.denied');
    }
    expect(await processes?.run('pwd', [], { cwd: 'up' }).catch(codeOf)).toBe('tool.denied');
    expect(await bash.fs.readFile('/canary.txt')).toBe('the canary sings');
  });

  test('knows nothing of this machine, and stops where its time is over', async () => {
    const { processes } = opsOf();
    expect(await processes.run('cat', ['/etc/hostname'])).not.toMatchObject({ exitCode: 0 });
    expect((await processes.run('printenv', ['PATH'])).stdout).not.toContain(process.env['PATH'] ?? 'PATH');
    expect(await processes.run('sleep', ['100'], { timeoutMs: 50 })).toMatchObject({ isTimedOut: true });
  });
});
