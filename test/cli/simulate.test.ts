import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

const simulated = moduleOf('simulated.ts');
const sold = moduleOf('sold.ts');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-simulate-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('troupe simulate', () => {
  test('shows what failed by its shortest story, its seed and its script, which can be replayed', async () => {
    const args = ['--runs', '3', '--no-color', '--write', 'failing.json', '--html', 'page.html'];
    const { code, stdout, stderr } = await play(['simulate', `${simulated}#desk`, ...args], { folder });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ pay-once\n {2}pay happened more than 1 time/);
    expect(stdout).toContain('  * 1. model: desk/ann-1 calls pay');
    expect(stdout).toMatch(/Seed 1.*troupe simulate .*simulated\.ts#desk --seed 1 --runs 1/s);
    expect(stdout).toMatch(/3 runs, [\d.]+ days: .*; 1 failure\n[\d,]+ simulated days per hour\n$/);
    expect(stderr).toContain('Written: failing.json');
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain('<h2>pay-once</h2>');

    const again = await play(['simulate', `${simulated}#desk`, '--script', 'failing.json', '--json'], {
      folder,
    });
    expect(again.code).toBe(1);
    const report: unknown = JSON.parse(again.stdout);
    expect(report).toMatchObject({ verdict: 'failed', runs: 1, failures: [{ rule: 'pay-once' }] });
    expect(again.stdout).not.toContain('phase.entered');
  });

  test('tries all orders, and says on which of them the result depends', async () => {
    const { code, stdout } = await play(['simulate', sold, '--orders', '--no-color'], { folder });
    expect(code).toBe(1);
    expect(stdout).toContain('! The result depends on the order of tool shop/ben-2#0.call_0_0.1');
    expect(stdout).toContain('2 orders tried: all that agents can tell apart');
    const alone = await play(['simulate', `${simulated}#alone`, '--orders', '--no-color'], { folder });
    expect(alone.code).toBe(0);
    expect(alone.stdout).toContain('✓ The result depends on no order');
  });

  test.each([
    [['--seed', '1', '--script', 'x.json'], '--seed is of no use with --script'],
    [['--orders', '--days', '3'], '--days is of no use with --orders'],
    [['--script', 'no.json'], 'Cannot read --script no.json'],
    [['--script', 'bad.json'], 'it is no JSON'],
  ])('refuses %j', async (args, message) => {
    writeFileSync(join(folder, 'bad.json'), '{');
    const { code, stdout, stderr } = await play(['simulate', `${simulated}#alone`, ...args], { folder });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
