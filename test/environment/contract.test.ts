import { describe } from 'vitest';
import { commandEnvironment } from '../../src/tools/built-in/environment-command.ts';
import { hostEnvironment } from '../../src/tools/built-in/environment-host.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { remoteEnvironment } from '../../src/tools/environments/remote-environment.ts';
import { environmentContract } from './contract.ts';
import { serveEnvironment } from './remote-server.ts';
import { temporaryWorld } from './temporary-world.ts';

const inMemory = () =>
  memoryEnvironment({
    files: { 'notes.md': '# Notes', 'src/main.ts': 'one\ntwo' },
    commands: { echo: (args) => args.join(' ') },
  });

describe('[QITOS-38] [QITOS-40] one contract for every environment', () => {
  environmentContract('in memory', async () => ({ environment: inMemory(), print: 'echo' }));

  environmentContract('on this machine', async () => {
    const world = await temporaryWorld();
    const commands = { echo: '/bin/echo' };
    return { ...world, environment: hostEnvironment({ root: world.root, commands }), print: 'echo' };
  });

  for (const prefix of [['env'], ['nice', '-n', '1']])
    environmentContract(`behind the prefix '${prefix.join(' ')}'`, async () => {
      const world = await temporaryWorld();
      const environment = commandEnvironment({ prefix, root: world.root, commands: ['echo'] });
      return { ...world, environment, print: 'echo' };
    });

  environmentContract('far away', async () => {
    const server = await serveEnvironment(inMemory());
    return {
      environment: remoteEnvironment({ url: server.url }),
      print: 'echo',
      dispose: () => server.close(),
    };
  });
});
