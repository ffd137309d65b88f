import { describe } from 'vitest';
import { containerEnvironment } from '../../src/tools/built-in/container/container-environment.ts';
import { commandEnvironment } from '../../src/tools/built-in/host/command-environment.ts';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { bashEnvironment } from '../../src/tools/environments/bash-environment.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { remoteEnvironment } from '../../src/tools/environments/remote-environment.ts';
import { isThorough } from '../support/thorough.ts';
import { environmentContract } from './contract.ts';
import { fakeEngine } from './fake-engine.ts';
import { hostBash } from './host-bash.ts';
import { servePage, serveRemotely, TOKEN } from './remote-server.ts';
import { temporaryWorld } from './temporary-world.ts';

const page = { url: 'https://pages.example/notes', text: '# Notes' };

const inMemory = () =>
  memoryEnvironment({
    files: { 'notes.md': '# Notes', 'src/main.ts': 'one\ntwo' },
    commands: { echo: (args) => args.join(' ') },
    pages: { [page.url]: page.text },
  });

describe('[QITOS-38] [QITOS-40] one contract for every environment', () => {
  environmentContract('in memory', async () => ({ environment: inMemory(), print: 'echo', page }));

  environmentContract('on this machine', async () => {
    const world = await temporaryWorld();
    const site = await servePage(page.text);
    const environment = hostEnvironment({
      root: world.root,
      commands: { echo: '/bin/echo' },
      http: { trusted: [new URL(site.url).host] },
    });
    return {
      environment,
      print: 'echo',
      page: { url: site.url, text: page.text },
      dispose: async () => {
        await site.close();
        await world.dispose();
      },
    };
  });

  // Each of its calls starts a program, and that one another.
  for (const prefix of isThorough ? [['nice', '-n', '1'], ['env']] : [])
    environmentContract(`behind the prefix '${prefix.join(' ')}'`, async () => {
      const world = await temporaryWorld();
      const environment = commandEnvironment({ prefix, root: world.root, commands: ['echo'] });
      return { ...world, environment, print: 'echo' };
    });

  // Each of its calls starts a program in the engine's place, and that one a shell.
  if (isThorough)
    environmentContract('in a container', async () => {
      const engine = await fakeEngine();
      const world = await temporaryWorld();
      const { path, root } = engine;
      const commands = ['echo'];
      const environment = containerEnvironment({
        image: 'box',
        engine: path,
        root,
        folder: world.root,
        commands,
      });
      return {
        environment,
        print: 'echo',
        dispose: async () => {
          await engine.dispose();
          await world.dispose();
        },
      };
    });

  environmentContract('of a shell', async () => {
    const world = await temporaryWorld();
    const environment = bashEnvironment(hostBash(), { root: world.root, commands: ['echo'] });
    return { ...world, environment, print: 'echo' };
  });

  environmentContract('far away', async () => {
    const server = await serveRemotely(inMemory);
    return {
      environment: remoteEnvironment({ url: server.url, headers: { authorization: TOKEN } }),
      print: 'echo',
      page,
      dispose: () => server.close(),
    };
  });
});
