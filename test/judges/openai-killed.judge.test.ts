import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { compileProgram } from '../support/built-package.ts';

/** Starts the server of painters over a store in `folder`; `kill` is `kill -9`. */
const startPainters = async (program: string, folder: string) => {
  const child = spawn(process.execPath, [program, join(folder, 'runs.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    openai: new OpenAI({ baseURL: `${said.toString().trim()}/v1`, apiKey: 'none', maxRetries: 0 }),
    kill,
  };
};

test('a run that waits for a tool of the genuine client goes on after kill -9 of the server, with the tools of the client', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'painters-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = await compileProgram(join(import.meta.dirname, 'serving/painters.ts'));
  const pick = {
    type: 'function' as const,
    name: 'pick',
    description: 'Has the user pick a colour.',
    parameters: { type: 'object', properties: { of: { type: 'string' } } },
    strict: false,
  };
  const first = await startPainters(program, folder);
  const asked = await first.openai.responses.create({ model: 'painter', input: 'Paint it.', tools: [pick] });
  await first.kill();
  const second = await startPainters(program, folder);
  const answer = (response: OpenAI.Responses.Response, openai: OpenAI, output: string) => {
    const [call] = response.output;
    if (call?.type !== 'function_call') throw new Error(`no call: ${JSON.stringify(response)}`);
    return openai.responses.create({
      model: 'painter',
      input: [{ type: 'function_call_output', call_id: call.call_id, output }],
    });
  };
  const again = await answer(asked, second.openai, 'red');
  await second.kill();
  const third = await startPainters(program, folder);
  const done = await answer(again, third.openai, 'blue');
  expect(done.output_text).toBe('red and blue it is.');
});
