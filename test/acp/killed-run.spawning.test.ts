import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { acpAgent } from '../../src/acp/index.ts';
import type { AcpAgentOptions } from '../../src/acp/acp-options.ts';
import { resume } from '../../src/index.ts';
import { sqliteStore } from '../../src/persistence/index.ts';
import { compileProgram } from '../support/built-package.ts';

const harness = resolve(import.meta.dirname, '../support/acp-harness.mjs');

/** A stored run whose process is killed while its coding agent works, and what resumes it by another. */
const killedRun = async (...more: readonly string[]) => {
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-acp-'));
  onTestFinished(() => {
    rmSync(cwd, { recursive: true, force: true });
  });
  const [file, notes] = [join(cwd, 'runs.db'), join(cwd, 'notes')];
  const order = JSON.stringify({ file, cwd, args: [harness, 'hangs', notes, ...more] });
  const program = await compileProgram(resolve(import.meta.dirname, 'killed-run.ts'));
  const child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const prompts = (): readonly unknown[] =>
    readFileSync(notes, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .flatMap(({ prompted }) => (prompted === undefined ? [] : [prompted]));
  const store = sqliteStore(file);
  onTestFinished(async () => {
    await store.close();
  });
  const resumed = (does: string, options: Partial<AcpAgentOptions>, person?: { approve: () => boolean }) => {
    const args = [harness, does, notes, ...more];
    const coder = acpAgent({ name: 'coder', command: process.execPath, args, cwd, ...options });
    return resume(coder, 'r', { store, ...(person === undefined ? {} : { person }) });
  };
  return { resumed, prompts };
};

test('a run that was killed continues in its session, which is not sent the prompt again', async () => {
  const { resumed, prompts } = await killedRun('loads');
  const { output } = await (await resumed('said', {})).result;
  expect(output).toMatch(/^You said: The connection to you was lost while you worked/);
  expect(prompts()).toEqual(['Mend it.', expect.stringMatching(/^The connection/)]);
});

test('where the session cannot be loaded a person decides: their yes sends the prompt again', async () => {
  const { resumed, prompts } = await killedRun();
  const { output } = await (await resumed('said', {}, { approve: () => true })).result;
  expect(output).toBe('You said: Mend it.');
  expect(prompts()).toEqual(['Mend it.', 'Mend it.']);
});

test('their no ends the run, and nothing is sent', async () => {
  const { resumed, prompts } = await killedRun();
  const { result } = await resumed('said', {}, { approve: () => false });
  await expect(result).rejects.toMatchObject({
    code: 'acp.lost',
    message: expect.stringMatching(/a person said no/),
  });
  expect(prompts()).toEqual(['Mend it.']);
});

test('nobody is asked where it was said that the prompt is sent again', async () => {
  const { resumed, prompts } = await killedRun();
  expect((await (await resumed('said', { onInterrupted: 'again' })).result).output).toBe(
    'You said: Mend it.',
  );
  expect(prompts()).toEqual(['Mend it.', 'Mend it.']);
});
