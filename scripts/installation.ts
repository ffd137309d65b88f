/**
 * Installs the packed package with npm into an empty folder, as a newcomer would, and runs an agent from it; makes projects by `npm create troupe`
 * and does in them what their README says; and installs it into an app that has the oldest releases of what it shares with troupe, of which there
 * has to be one copy.
 * Needs a registry, and the tarball that scripts/packaging.ts leaves.
 *
 *   tsx scripts/installation.ts
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
};

const packed = resolve(import.meta.dirname, '../.tmp/package');
const tarball = readdirSync(packed).find((name) => name.endsWith('.tgz'));
if (tarball === undefined) throw new Error('Cannot install the package as it is not packed: run verify');

const program = `
import { agent } from 'troupe';
const result = await agent({ name: 'guest', instructions: 'Greet.' }).run('Hello');
console.log('an agent ran and stopped:', result.stopReason.kind);
`;

/** An app of an older XState that embeds an agent. */
const app = `
import { createActor, setup, waitFor } from 'xstate';
import { agent } from 'troupe';
const guest = agent({ name: 'guest', instructions: 'Greet.' });
const machine = setup({ actors: { guest: guest.logic } }).createMachine({
  initial: 'asking',
  states: { asking: { invoke: { src: 'guest', input: 'Hello', onDone: 'done' } }, done: { type: 'final' } },
});
const { value } = await waitFor(createActor(machine).start(), ({ status }) => status === 'done');
console.log('an agent in an app ran, which is:', value);
`;

const home = mkdtempSync(join(tmpdir(), 'troupe-installation-'));
const runIn = (cwd: string, command: string, ...args: readonly string[]): void => {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`Cannot use the installed package as a step failed: ${command} ${args.join(' ')}`);
};

const run = (command: string, ...args: readonly string[]): void => {
  runIn(home, command, ...args);
};

const install = ['install', '--no-audit', '--no-fund'];

try {
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: 'newcomer', private: true, type: 'module' }),
  );
  writeFileSync(join(home, 'main.js'), program);
  run('npm', ...install, join(packed, tarball));
  run('node', 'main.js');
  run('npx', 'troupe', '--help');

  run('npm', ...install, '--install-links', resolve(import.meta.dirname, '../create-troupe'));
  for (const template of ['agent', 'team']) {
    run('npx', 'create-troupe', template, '--template', template, '--yes');
    const project = join(home, template);
    runIn(project, 'npm', ...install, join(packed, tarball));
    for (const script of ['start', 'test', 'typecheck']) runIn(project, 'npm', 'run', script);
  }

  writeFileSync(join(home, 'app.js'), app);
  const peers = Object.entries(manifest.peerDependencies).filter(
    ([name]) => !(name in manifest.peerDependenciesMeta),
  );
  run('npm', ...install, ...peers.map(([name, range]) => `${name}@${range.slice(1)}`));
  for (const [name] of peers)
    if (existsSync(join(home, 'node_modules/troupe/node_modules', name)))
      throw new Error(`An app that has an older '${name}' has two copies of it`);
  run('node', 'app.js');
} finally {
  rmSync(home, { recursive: true, force: true });
}
