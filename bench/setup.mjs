/** Everything that has to be there before anything can be measured. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '..');
const MIN_NODE = 24;

const shell = (command, args, cwd) =>
  spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });

/** Runs this very command again under a Node that the peers need, where this one is older; false if it is not. */
export const rerunUnderNewNode = () => {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= MIN_NODE) return false;
  const args = ['-y', '-p', `node@${MIN_NODE}`, '--', 'node', ...process.argv.slice(1)];
  const env = {
    ...process.env,
    BENCH_OLD_NODE: process.execPath,
    BENCH_OLD_NODE_VERSION: process.versions.node,
  };
  const { status } = spawnSync('npx', args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  process.exitCode = status ?? 1;
  return true;
};

/** The Node that the command was started with, where troupe runs on it but the peers do not. */
export const oldNode = () => {
  const { BENCH_OLD_NODE: path, BENCH_OLD_NODE_VERSION: version = '' } = process.env;
  return path !== undefined && version.startsWith('20.') ? { path, version } : undefined;
};

/** Installs what is absent: the peers here, troupe's own packages in the repository. */
export const install = (say) => {
  for (const [folder, proof] of [
    [root, 'node_modules/typescript'],
    [here, 'node_modules/@langchain/langgraph'],
    [here, 'node_modules/ai'],
  ]) {
    if (existsSync(join(folder, proof))) continue;
    say(`Installing ${folder === root ? "troupe's packages" : 'the peers'} …`);
    const { status } = shell('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    if (status !== 0) throw new Error('Cannot install as npm failed');
  }
};

/** Builds troupe as it is published, so that plain Node runs it; gives the folder. */
export const build = () => {
  const dist = join(here, '.tmp/dist');
  rmSync(dist, { recursive: true, force: true });
  const { status } = shell('node_modules/.bin/tsx', ['scripts/bundle.ts', dist], root);
  if (status !== 0) throw new Error('Cannot build troupe as the bundler failed');
  return dist;
};
