import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough } from './support/thorough.ts';
import { root, runScript } from './support/run-script.ts';

const folder = join(root, 'examples');
/** Whether files of its own stand beside it. */
const hasNeighbours = (name: string): boolean => existsSync(join(folder, name.replace(/\.ts$/, '')));
const numbered = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /^\d\d-.*\.ts$/.test(name));

describe.skipIf(numbered.length === 0)('the examples', () => {
  it('are numbered without gaps or doubles', () => {
    const expected = numbered.map((_, index) => String(index + 1).padStart(2, '0'));
    expect(numbered.toSorted().map((name) => name.slice(0, 2))).toEqual(expected);
  });

  it('run as their first line says, from a clone', async () => {
    const { exit, output } = await runScript(join('examples', numbered[0] ?? ''), { fromSource: true });
    expect(exit, output).toBe(0);
  });

  // Each example checks itself, so its exit code is its verdict. Two start servers and workers again and again, which load all from source:
  // they take as long as all others together.
  const slow = ['47-support-desk.ts', '52-workers.ts'];
  const tried = isThorough ? numbered : numbered.filter((name) => !slow.includes(name));
  it.concurrent.each(tried)('%s runs without a key', async (name) => {
    const { exit, output } = await runScript(join('examples', name), {
      fromSource: hasNeighbours(name),
    });
    expect(exit, output).toBe(0);
  });
});
