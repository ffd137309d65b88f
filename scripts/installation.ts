/**
 * Installs the packed package with npm into an empty folder, as a newcomer would, and runs an agent from it.
 * Needs a registry, and the tarball that scripts/packaging.ts leaves.
 *
 *   tsx scripts/installation.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const packed = resolve(import.meta.dirname, '../.tmp/package');
const tarball = readdirSync(packed).find((name) => name.endsWith('.tgz'));
if (tarball === undefined) throw new Error('Cannot install the package as it is not packed: run verify');

const program = `
import { agent } from 'troupe';
const result = await agent({ name: 'guest', instructions: 'Greet.' }).run('Hello');
console.log('an agent ran and stopped:', result.stopReason.kind);
`;

const home = mkdtempSync(join(tmpdir(), 'troupe-installation-'));
const run = (command: string, ...args: readonly string[]): void => {
  const { status } = spawnSync(command, args, { cwd: home, stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`Cannot use the installed package as a step failed: ${command} ${args.join(' ')}`);
};

try {
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: 'newcomer', private: true, type: 'module' }),
  );
  writeFileSync(join(home, 'main.js'), program);
  run('npm', 'install', '--no-audit', '--no-fund', join(packed, tarball));
  run('node', 'main.js');
  run('npx', 'troupe', '--help');
} finally {
  rmSync(home, { recursive: true, force: true });
}
