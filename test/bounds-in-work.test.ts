import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Reads how long something took by the clock of the machine, which other programs slow down as much as they like. */
const READS_THE_WALL = /\b(?:performance|Date)\.now\(\) - [A-Za-z]|\bprocess\.hrtime\b|\bconsole\.time\b/;

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /\.test\.tsx?$/.test(file) && !file.includes('node_modules') && file !== basename(import.meta.filename),
);

describe('what tests bound', () => {
  test.each([
    'expect(performance.now() - before).toBeLessThan(2_000)',
    'return Date.now() - startedAt;',
    'const [seconds] = process.hrtime(start);',
  ])('a measurement by the clock on the wall is found: %s', (line) => {
    expect(line).toMatch(READS_THE_WALL);
  });

  test('[FIND-44] is work, or time of the processor, and not seconds: a machine may be as busy as it likes', () => {
    expect(files.length).toBeGreaterThan(500);
    const found = files.filter((file) =>
      READS_THE_WALL.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});
