import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, runScript } from './support/run-script.ts';

const folder = join(root, 'examples');
const numbered = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /^\d\d-.*\.ts$/.test(name));

describe.skipIf(numbered.length === 0)('the examples', () => {
  it('are numbered without gaps or doubles', () => {
    const expected = numbered.map((_, index) => String(index + 1).padStart(2, '0'));
    expect(numbered.toSorted().map((name) => name.slice(0, 2))).toEqual(expected);
  });

  // Each example checks itself, so its exit code is its verdict.
  it.concurrent.each(numbered)('%s runs without a key', async (name) => {
    const { exit, output } = await runScript(join('examples', name));
    expect(exit, output).toBe(0);
  });
});
