import { access, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostEnvironment } from '../../../src/tools/built-in/host/host-environment.ts';
import { codeOf } from '../../environment/contract.ts';
import type { TemporaryWorld } from '../../environment/temporary-world.ts';
import type { Row } from './row.ts';

const PROGRAMS = ['git', 'sort', 'tar', 'sed', 'find', 'grep', 'uniq', 'ls', 'touch'] as const;
const STARTS: readonly (readonly [string, ...string[]])[] = [
  ['git', 'config', 'alias.x', '!./evil.sh'],
  ['git', 'rebase', '--exec', './evil.sh', 'HEAD~1'],
  ['git', 'ls-remote', '--upload-pa=./evil.sh', '.'],
  ['git', 'clone', 'ext::./evil.sh'],
  ['git', '-c', 'core.pager=./evil.sh', 'log'],
  ['git', 'grep', '-O./evil.sh', 'a'],
  ['git', '--exec-pa=.', 'status'],
  ['sort', '-of', 'text.txt'],
  ['sort', '--compress-prog=./evil.sh', 'text.txt'],
  ['sort', '../canary.txt'],
  ['tar', '--checkpoint-act=exec=./evil.sh', '--checkpoint=1', '-cf', 'x.tar', 'text.txt'],
  ['tar', '-I./evil.sh', '-cf', 'x.tar', 'text.txt'],
  ['tar', '--to-comm=./evil.sh', '-xf', 'x.tar'],
  ['tar', '-C../..', '-cf', 'x.tar', 'text.txt'],
  ['tar', '-cf../canary-made', 'text.txt'],
  ['sed', '-i', '1w f', 'text.txt'],
  ['sed', '-n', 'p', '/etc/passwd'],
  ['find', '.', '-exec', './evil.sh', ';'],
  ['find', '.', '-okdir', './evil.sh', ';'],
  ['find', '.', '-fprintf', 'f', 'x'],
  ['find', '/', '-name', 'x'],
  ['grep', '-f/etc/passwd', 'a'],
  ['grep', '-r', 'a', '..'],
  ['uniq', 'text.txt', 'f'],
  ['touch', '-r', '../canary.txt', 'text.txt'],
  ['sh', '-c', './evil.sh'],
  ['./evil.sh'],
  ['/bin/sh', '-c', './evil.sh'],
  ['env', './evil.sh'],
  ['xargs', './evil.sh'],
];
/** Arguments that a shell would read as more than a text. */
const WORDS = [
  '; ./evil.sh',
  '&& ./evil.sh',
  '| ./evil.sh',
  '|| ./evil.sh',
  '& ./evil.sh',
  '\n./evil.sh',
  '$(./evil.sh)',
  '`./evil.sh`',
  '${IFS}./evil.sh',
  '> canary-made',
  '>> canary-made',
  '<(./evil.sh)',
  "'; ./evil.sh; '",
  '"; ./evil.sh; "',
  '\\"; ./evil.sh',
  '%0a./evil.sh',
  '\r\n./evil.sh',
  '*',
  '$HOME',
  '!!',
  '{a,b}',
  '#',
  '-n	',
];
const HARMLESS: readonly (readonly [string, ...string[]])[] = [
  ['sort', '-r', 'text.txt'],
  ['sed', '-n', '1p', 'text.txt'],
  ['find', '.', '-name', '*.txt'],
  ['grep', '-n', 'a', 'text.txt'],
  ['uniq', '-c', 'text.txt'],
  ['ls', '-la'],
  ['touch', 'new.txt'],
  ['tar', '-cf', 'x.tar', 'text.txt'],
  ['git', '--version'],
];

/** Commands: refused is what starts no other program, writes nowhere else, and reaches its program as it was written. */
export const commands = async ({ root }: TemporaryWorld): Promise<Row> => {
  const canary = join(root, 'canary-made');
  await writeFile(join(root, 'evil.sh'), `#!/bin/sh\ntouch '${canary}'\n`);
  await chmod(join(root, 'evil.sh'), 0o755);
  await writeFile(join(root, 'text.txt'), 'b\na\n');
  const known = Object.fromEntries(PROGRAMS.map((name) => [name, `/usr/bin/${name}`]));
  const echo = { path: '/usr/bin/echo', paths: 'any', refuse: () => undefined } as const;
  const environment = hostEnvironment({ root, commands: { ...known, echo }, timeoutMs: 60_000 });
  await environment.setup?.({ runId: 'r', path: 'a' });
  const { processes } = environment.ops;
  if (processes === undefined) throw new Error('there are no processes');
  const run = ([command, ...args]: readonly [string, ...string[]]) =>
    processes.run(command, args).then(({ exitCode, stdout }) => ({ exitCode, stdout }), codeOf);
  const isUntouched = () =>
    access(canary).then(
      () => false,
      () => true,
    );
  return {
    hostile: [
      ...STARTS.map(
        (words) =>
          [
            words.join(' '),
            async () => (await run(words)) === 'tool.denied' && (await isUntouched()),
          ] as const,
      ),
      ...WORDS.map(
        (word) =>
          [
            `echo ${JSON.stringify(word)}`,
            async () => {
              const said = await run(['echo', `x${word}`]);
              const isLiteral =
                JSON.stringify(said) === JSON.stringify({ exitCode: 0, stdout: `x${word}\n` });
              return isLiteral && (await isUntouched());
            },
          ] as const,
      ),
    ],
    honest: HARMLESS.map(
      (words) => [words.join(' '), async () => (await run(words)) === 'tool.denied'] as const,
    ),
  };
};
