import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { ofType, quiet, settled, start } from '../support/runs.ts';

type Member = Agent<string, string>;

/** Says the same, as often as it is asked; a turn of the event loop later, so that members work side by side. */
const parrot = (
  name: string,
  reply: ScriptedReply,
  hooks: Parameters<typeof agent>[0]['hooks'] = [],
): Member =>
  agent({
    name,
    hooks,
    model: scriptedModel(Array.from({ length: 50 }, () => async () => (await quiet(), reply))),
  });

describe('stages in a row', () => {
  test('each works on what the one before left, through its map, if it has one', async () => {
    const seen: unknown[] = [];
    const stage = (name: string) =>
      agent({
        name,
        decide: ({ input }) => {
          seen.push(input);
          return { kind: 'answer', answer: `${name}(${JSON.stringify(input)})` };
        },
      });
    const line = pipeline({
      name: 'line',
      stages: [
        stage('a'),
        {
          agent: stage('b'),
          map: (previous, first) => `${JSON.stringify(first)}+${JSON.stringify(previous)}`,
        },
        stage('a2'),
        stage('a'),
      ],
    });
    const { output } = await line.run('x');
    expect(seen[0]).toBe('x');
    expect(seen[1]).toBe('"x"+"a(\\"x\\")"');
    expect(seen[2]).toBe(`b(${JSON.stringify(seen[1])})`);
    expect(seen[3]).toBe(`a2(${JSON.stringify(seen[2])})`);
    expect(output).toBe(`a(${JSON.stringify(seen[3])})`);
  });

  test('a map that throws is the end, and the stage does not start', async () => {
    const line = pipeline({
      name: 'line',
      stages: [
        parrot('a', 'a'),
        {
          agent: parrot('b', 'b'),
          map: () => {
            throw new Error('lost');
          },
        },
        parrot('c', 'c'),
      ],
    });
    const result = await settled(start(line, 'go'));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(ofType(result.events, 'member.engaged').map(({ member }) => member)).toEqual(['a']);
  });

  test('a map that returns a promise is named by its stage', async () => {
    const line = pipeline<string, string>({
      name: 'line',
      // @ts-expect-error a map answers at once
      stages: [parrot('a', 'a'), { agent: parrot('b', 'b'), map: async () => 'later' }, parrot('c', 'c')],
    });
    const { status, error } = await settled(start(line, 'go'));
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      code: 'agent.threw',
      message: expect.stringContaining("the map of stage 'b' returned a promise"),
    });
  });

  test('a stage that stops ends the line, with what it had as the candidate', async () => {
    const picky = agent({
      name: 'picky',
      model: scriptedModel(['1', '2', '3']),
      critics: [{ name: 'no', critique: () => ({ verdict: 'revise', note: 'no' }) }],
    });
    const result = await settled(start(pipeline({ name: 'line', stages: [picky, parrot('b', 'b')] }), 'go'));
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'rejected' }, candidate: '3' });
  });
});

test('[QITOS-53] the hooks of a team within a team see that team and its members; a child run by a tool has its own', async () => {
  const seen = { inner: new Set<string>(), child: new Set<string>() };
  const witness = (who: keyof typeof seen) => ({
    name: who,
    handle: ({ path }: { readonly path: string }) => void seen[who].add(path),
  });
  const child = agent({ name: 'child', hooks: [witness('child')], decide: () => answer('x') });
  const delegate = tool({
    name: 'delegate',
    description: 'Delegates.',
    input: z.object({}),
    execute: async (_, context) => (await context.run(child, 'go')).output ?? '',
  });
  const ann = agent({
    name: 'ann',
    tools: [delegate],
    model: scriptedModel([calls({ name: 'delegate', input: {} }), 'done']),
  });
  const inner = pipeline({ name: 'inner', stages: [ann], hooks: [witness('inner')] });
  const outer = pipeline({ name: 'outer', stages: [inner, parrot('carl', 'carl')] });
  await settled(start(outer, 'go'));
  expect([...seen.inner]).toEqual(['outer/inner-1', 'outer/inner-1/ann-1', 'outer/inner-1/ann-1/child-0']);
  expect([...seen.child]).toEqual(['outer/inner-1/ann-1/child-0']);
});
