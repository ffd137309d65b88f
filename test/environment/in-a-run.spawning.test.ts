import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { z } from 'zod';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { commandEnvironment } from '../../src/tools/built-in/host/command-environment.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { fileTools } from '../../src/tools/environments/file-tools.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { temporaryWorld } from './temporary-world.ts';

const push = tool({
  name: 'push',
  description: 'Pushes the button.',
  input: z.object({}),
  execute: () => 'pushed',
});
const pushing = () => calls({ name: 'push', input: {} });

/** A world that is over at the third push, and takes down its life. */
const button = (changes: Partial<Environment> = {}) => {
  const life: string[] = [];
  let pushes = 0;
  const note = (name: string) => () => void life.push(name);
  const environment: Environment = {
    name: 'button',
    ops: {},
    setup: note('setup'),
    reset: () => 'nothing pushed',
    step: () => ({ observation: `pushed ${(pushes += 1)}`, done: pushes >= 3 }),
    close: note('close'),
    teardown: note('teardown'),
    ...changes,
  };
  return { life, environment };
};

describe('[QITOS-38] [M27] an environment in a run', () => {
  test('is seen at every step, and ends the run when it is over', async () => {
    const { life, environment } = button();
    const model = scriptedModel([pushing(), pushing(), pushing(), 'never said']);
    const result = await agent({ name: 'a', model, tools: [push], environment }).run('x');
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'environmentEnded', environment: 'button', detail: 'done' },
    });
    expect(result.records.map(({ observation }) => observation)).toEqual([
      'nothing pushed',
      'pushed 1',
      'pushed 2',
    ]);
    expect(life).toEqual(['setup', 'close', 'teardown']);
  });

  test('its end comes after the agent own condition and before the rules', async () => {
    const always: StopRule = { name: 'always', check: () => ({ kind: 'rule', rule: 'always', detail: '' }) };
    const ending = (options: object) =>
      agent({
        name: 'a',
        model: scriptedModel([pushing()]),
        tools: [push],
        environment: () => button({ isTerminal: () => 'the bell' }).environment,
        stop: always,
        ...options,
      }).run('x');
    expect((await ending({ stop: { rules: always, shouldStop: () => 'enough' } })).stopReason).toEqual({
      kind: 'agentCondition',
      detail: 'enough',
    });
    expect((await ending({})).stopReason).toEqual({
      kind: 'environmentEnded',
      environment: 'button',
      detail: 'the bell',
    });
  });

  test('a step that throws is told in the result of the call, and the run goes on', async () => {
    const { environment } = button({
      step: () => {
        throw new Error('it broke');
      },
    });
    const result = await agent({
      name: 'a',
      model: scriptedModel([pushing(), 'Done.']),
      tools: [push],
      environment,
    }).run('x');
    expect(result.output).toBe('Done.');
    expect(result.records[0]?.results[0]).toMatchObject({ ok: true, environment: { error: 'it broke' } });
  });

  test('[QITOS-35] what is missing ends the run before its first step, and all of it is told', async () => {
    const { life, environment } = button({ healthCheck: () => ({ ok: false, reason: 'no power' }) });
    const model = scriptedModel([]);
    const failed = await agent({ name: 'a', model, tools: [fileTools(), processTools()], environment })
      .run('x')
      .catch((error: unknown) => error);
    expect(isTroupeError(failed, 'environment.unfit')).toBe(true);
    for (const part of ['no power', 'files', 'processes']) expect(String(failed)).toContain(part);
    expect(failed).toMatchObject({ result: { totals: { steps: 0, modelCalls: 0 } } });
    expect(life).toEqual(['setup', 'close', 'teardown']);
    const bare = agent({ name: 'a', model, tools: [fileTools()] });
    await expect(bare.run('x')).rejects.toThrow('there is no environment');
  });

  test('[QITOS-42] is let go of also where a phase throws', async () => {
    const { life, environment } = button();
    const decide = () => {
      throw new Error('no idea');
    };
    await expect(agent({ name: 'a', decide, environment }).run('x')).rejects.toThrow('no idea');
    expect(life).toEqual(['setup', 'close', 'teardown']);
  });

  test('[QITOS-37] the same agent does the same in memory, on this machine and behind a prefix', async () => {
    const world = await temporaryWorld();
    const outcomes = [];
    for (const environment of [
      memoryEnvironment({ files: { 'notes.md': '# Notes' } }),
      hostEnvironment({ root: world.root }),
      commandEnvironment({ prefix: ['env'], root: world.root }),
    ]) {
      const model = scriptedModel([
        calls({ name: 'files.read', input: { path: 'notes.md' } }),
        calls({ name: 'files.write', input: { path: 'answer.md', text: 'Notes' } }),
        'Written.',
      ]);
      const { output, records } = await agent({ name: 'a', model, tools: [fileTools()], environment }).run(
        'x',
      );
      outcomes.push({ output, texts: records.map(({ results }) => results[0]?.text) });
      await environment.ops.files?.remove('answer.md');
    }
    const [first] = outcomes;
    expect(first).toEqual({ output: 'Written.', texts: ['# Notes', 'Made answer.md (5 bytes).', undefined] });
    expect(outcomes).toEqual([first, first, first]);
    await world.dispose();
  });
});
