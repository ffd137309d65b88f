import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf, root } from './run-command.ts';

/** The command, on a store of its own. */
const commandsIn = (folder: string) => ({
  call: (args: readonly string[]) => play([...args, '--store', join(folder, 'runs.db')], { folder: root }),
});

describe('troupe graph', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'troupe-graph-'));

  test('draws a team as an SVG that stands alone', async () => {
    const { call } = commandsIn(folder());
    for (const [of, word] of [
      ['chart', 'handingOver'],
      ['composition', 'greet'],
    ] as const) {
      const { code, stdout } = await call(['graph', moduleOf('team.ts'), '--svg', '--of', of]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      expect(stdout.trimEnd()).toMatch(/<\/svg>$/);
      expect(stdout).toContain(word);
      expect(stdout).not.toMatch(/<script|href=|url\(/);
    }
  });

  test('[FIND-38] shows the stages of a team and how work flows, unless its chart is asked for', async () => {
    const { call } = commandsIn(folder());
    const { stdout } = await call(['graph', moduleOf('team.ts')]);
    expect(stdout.split('\n').slice(2)).toEqual([
      '  input(["input"])',
      '  shout["shout"]',
      '  greet["greet"]',
      '  output(["output"])',
      '  input --> shout',
      '  shout --> greet',
      '  greet --> output',
      '',
    ]);
    expect((await call(['graph', moduleOf('team.ts'), '--of', 'composition'])).stdout).toBe(stdout);
    const chart = await call(['graph', moduleOf('team.ts'), '--of', 'chart']);
    expect(chart.stdout).toMatch(/^stateDiagram-v2\n/);
  });

  test('says what it cannot show', async () => {
    const { call } = commandsIn(folder());
    const people = await call(['graph', moduleOf('team.ts'), '--of', 'people']);
    expect(people.code).toBe(2);
    expect(people.stderr).toContain("--of is neither chart nor composition: 'people'");
    const both = await call(['graph', moduleOf('team.ts'), '--of', 'composition', '--taken']);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('one excludes the other: --of composition and --taken');
  });

  test('counts the ways that the runs that are kept went, and names those that none did', async () => {
    const { call } = commandsIn(folder());
    for (const word of ['a', 'b', 'c'])
      expect((await call(['run', moduleOf('counter.ts'), word])).code).toBe(0);
    const mermaid = await call(['graph', moduleOf('counter.ts'), '--taken']);
    expect(mermaid.stdout).toContain('×3');
    expect(mermaid.stderr).toContain('3 runs');
    const { stdout } = await call(['graph', moduleOf('counter.ts'), '--taken', '--json']);
    const found = JSON.parse(stdout) as { readonly actors: number; readonly neverTaken: readonly string[] };
    expect(found.actors).toBe(3);
    expect(found.neverTaken.length).toBeGreaterThan(5);
    const svg = await call(['graph', moduleOf('counter.ts'), '--taken', '--svg', '--limit', '2']);
    expect(svg.stdout).toContain('×2');
    expect(svg.stdout).toContain('class="arrow never"');
    expect(svg.stderr).toContain('2 runs');
  });

  test('leaves out runs that the code does not go through any more, and says how many', async () => {
    const { call } = commandsIn(folder());
    await call(['run', moduleOf('counter.ts'), 'a']);
    const { code, stderr } = await call(['graph', moduleOf('counter-changed.ts'), '--taken']);
    expect(code).toBe(0);
    expect(stderr).toContain('0 runs of counter, 1 left out');
  });
});
