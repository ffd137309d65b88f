import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive } from '../../src/inspect/local/processes/registration.ts';
import { makeProject, startDev } from './dev-kit.ts';

const VERSIONS = 50;
/** Versions after which what is kept of earlier ones has reached its bound, and more. */
const WARM = 20;

/** Memory of a process, in MB. */
const residentOf = (pid: number): number => {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
};

test.runIf(process.platform === 'linux')(
  `of ${VERSIONS} versions of a file only the last is in memory`,
  async () => {
    const { folder, write } = makeProject({
      'words.js': `export const words = 'version 0.';`,
      'clerk.js': `import { agent, answer } from 'troupe';
import { words } from './words.js';
export const ballast = new Array(2_000_000).fill(words);
export default agent({ name: 'clerk', decide: () => answer(\`\${words} of \${process.pid}.\`) });`,
    });
    const dev = await startDev(folder, 'clerk.js#default', 'hello', '--store', 'none');
    const pids: number[] = [];
    let warm = 0;
    for (let version = 0; version <= VERSIONS; version += 1) {
      if (version > 0) write('words.js', `export const words = 'version ${version}.';`);
      const said = await dev.until(new RegExp(`version ${version}\\. of \\d+\\.`));
      pids.push(Number(/of (\d+)/.exec(said)?.[1]));
      if (version === WARM) warm = residentOf(dev.pid);
    }
    expect(new Set(pids).size).toBe(VERSIONS + 1);
    expect(pids.filter(isAlive)).toEqual(pids.slice(-1));
    expect(residentOf(dev.pid) - warm).toBeLessThan(24);
  },
);
