import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-failed-steps-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  { name: 'resilient', status: 'completed', failed: 'bad-2' },
  { name: 'fragile', status: 'failed', failed: 'fragile' },
])('an agent whose model failed, in a run that $status', ({ name, failed }) => {
  test('[FIND-72] is failed in show, in trace show and on the page of the trace', async () => {
    const place = join(folder, name);
    const options = { folder };
    const store = ['--store', join(folder, `${name}.db`)];
    const module = moduleOf('failing-member.ts');
    await play(['run', module, 'go', '--export', name, '--trace', place, ...store], options);
    const { stdout: listed } = await play(['runs', '--json', ...store], options);
    const { runId } = JSON.parse(listed) as { readonly runId: string };
    const trace = join(place, readdirSync(place)[0] ?? '');
    const shown = await play(['show', runId, ...store], options);
    const detailed = await play(['show', runId, '--step', '0', ...store], options);
    const traced = await play(['trace', 'show', trace], options);
    for (const { stdout } of [shown, detailed, traced]) {
      expect(stdout).not.toContain('in progress');
      expect(stdout).toContain('failed: Cannot answer as the account is out of credit');
    }
    const page = join(folder, `${name}.html`);
    await play(['trace', 'export', trace, '--html', page], options);
    const html = readFileSync(page, 'utf8');
    expect(html).not.toContain('Under way');
    expect(html).toContain(failed);
    expect(html).toContain('Cannot answer as the account is out of credit');
  });
});
