import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AcpAgentOptions } from '../../../src/acp/acp-options.ts';
import { acpAgent } from '../../../src/acp/index.ts';
import { packageFolder } from '../mcp/real-servers.ts';

/** A program of a package as a coding agent, in a folder and with a home of its own. */
const genuine = (name: string, program: string, options: Partial<AcpAgentOptions> = {}) => {
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-judge-acp-'));
  onTestFinished(() => {
    rmSync(cwd, { recursive: true, force: true });
  });
  return acpAgent({
    name: 'coder',
    command: process.execPath,
    args: [resolve(packageFolder(name), program)],
    env: { HOME: cwd },
    cwd,
    ...options,
  });
};

describe("the example agent of the protocol's SDK", () => {
  const example = () => genuine('acp-sdk-v1', 'dist/examples/agent.js');

  test('reads, asks before it writes, and is permitted', async () => {
    const asked: unknown[] = [];
    const approve = (request: unknown): boolean => {
      asked.push(request);
      return true;
    };
    const { output, events } = await example().run('Look after the project.', { person: { approve } });
    expect(asked).toMatchObject([{ tool: 'coder.may_edit', kind: 'approval' }]);
    expect(output).toMatch(/successfully updated/i);
    const ran = events.flatMap((event) =>
      event.type === 'model.answered' ? (event.providerCalls ?? []) : [],
    );
    expect(ran.map(({ tool }) => tool)).toEqual(['read', 'edit']);
  });

  test('is refused, and says so', async () => {
    const { output } = await example().run('Look after the project.', { person: { approve: () => false } });
    expect(output).toMatch(/prefer not to make that change/i);
  });
});

describe('Gemini CLI', () => {
  test('without a key wants to be authenticated, and names how', async () => {
    const manifest = JSON.parse(
      readFileSync(resolve(packageFolder('@google/gemini-cli'), 'package.json'), 'utf8'),
    ) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    const program = resolve(packageFolder('@google/gemini-cli'), manifest.bin['gemini'] ?? '');
    const gemini = genuine('@google/gemini-cli', '', { args: [program, '--experimental-acp'] });
    await expect(gemini.run('Say hello.')).rejects.toMatchObject({
      code: 'acp.auth',
      message: expect.stringContaining('gemini-api-key'),
    });
  });
});
