import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnotherProcess } from '../journal/kills/another-process.ts';
import { approvingServer } from '../support/approving-server.ts';
import { sampled } from '../support/thorough.ts';

const program = new AnotherProcess('approving.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-approving-'));

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

const answers = [
  ['approved', { yes: true }, { approve: true }],
  ['denied: in use', { yes: false, reason: 'in use' }, { approve: false, reason: 'in use' }],
] as const;
test.each(sampled(answers, 2))(
  'a run whose process is killed while its provider waits for approval is resumed with the answer: %s',
  async (output, answer, response) => {
    await using provider = await approvingServer();
    const order = { file: join(folder, `${output}.db`), url: provider.url };
    const killed = await program.run(order, {
      onLine: (line, kill) => {
        if (line === 'waiting') kill();
      },
    });
    expect(killed.wasKilled).toBe(true);
    const { lines, failure } = await program.run({ ...order, answer });
    expect(failure).not.toMatch(/Error/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      status: 'completed',
      output,
      description: 'Letting the provider call delete_repo of git: {"name":"old"}',
    });
    // The model was asked once before the kill and once after it.
    expect(provider.requests).toHaveLength(2);
    const input = provider.requests[1]?.body['input'] as object[];
    expect(input.at(-1)).toEqual({
      type: 'mcp_approval_response',
      approval_request_id: 'mcpr_1',
      ...response,
    });
  },
);
