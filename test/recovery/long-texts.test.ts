import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { echo, ofType, start } from '../support/runs.ts';

const long = `begin ${'ü'.repeat(40_000)} end`;

describe('[TENEX-Q04] a text of the model that is too long', () => {
  test('[TENEX-83] is cut in the conversation, marked so and told, and whole in an artifact', async () => {
    const model = scriptedModel([{ text: long, ...calls({ name: 'echo', input: { text: 'x' } }) }, 'done']);
    const result = await start(agent({ name: 'a', model, tools: [echo] }), 'go').result;
    expect(result.artifacts).toEqual([{ name: 'answer-0.txt', mediaType: 'text/plain', content: long }]);
    expect(ofType(result.events, 'text.spilled')).toMatchObject([
      { artifact: 'answer-0.txt', characters: long.length },
    ]);
    const shown = model.requests[1]?.messages[1]?.text ?? '';
    expect(shown).toMatch(
      /^begin ü+\n\[cut here: all 40010 characters are in the artifact 'answer-0.txt'\]$/,
    );
    expect(new TextEncoder().encode(shown).length).toBeLessThanOrEqual(65_536);
    // A half of the text or less would be more than had to be cut.
    expect(shown.length).toBeGreaterThan(32_000);
  });

  test('is the answer of the run as a whole', async () => {
    const model = scriptedModel([long]);
    const result = await start(agent({ name: 'a', model }), 'go').result;
    expect(result.output).toBe(long);
  });

  test('is as long as the agent says, and one that fits is left alone', async () => {
    const two = scriptedModel([
      { text: 'x'.repeat(201), ...calls({ name: 'echo', input: { text: 'x' } }) },
      { text: 'x'.repeat(200), ...calls({ name: 'echo', input: { text: 'x' } }) },
      'done',
    ]);
    const brief = agent({ name: 'a', model: two, tools: [echo], conversation: { maxTextBytes: 200 } });
    const result = await start(brief, 'go').result;
    expect(result.artifacts.map(({ name }) => name)).toEqual(['answer-0.txt']);
    expect(() => agent({ name: 'a', conversation: { maxTextBytes: 0 } })).toThrow('maxTextBytes');
  });

  test('is left to its provider where that wants it back as it was', async () => {
    const model = scriptedModel([
      { text: long, replay: { provider: 'x', content: 1 }, ...calls({ name: 'echo', input: { text: 'x' } }) },
      'done',
    ]);
    const result = await start(agent({ name: 'a', model, tools: [echo] }), 'go').result;
    expect(result.artifacts).toEqual([]);
  });
});

describe('[TENEX-Q04] a text of a tool that is too long', () => {
  test('is cut for the model and told of, and its artifact equals the full text', async () => {
    const read = tool({ name: 'read', description: 'Reads.', input: z.object({}), execute: () => long });
    const model = scriptedModel([calls({ name: 'read', input: {} }), 'done']);
    const result = await start(agent({ name: 'a', model, tools: [read] }), 'go').result;
    const [artifact] = result.artifacts;
    expect(artifact?.content).toBe(long);
    expect(result.artifacts).toHaveLength(1);
    expect(ofType(result.events, 'text.spilled')).toMatchObject([
      { artifact: artifact?.name, characters: long.length },
    ]);
    const shown = model.requests[1]?.messages.find(({ role }) => role === 'tool')?.text ?? '';
    expect(shown).toMatch(/^begin ü+\n\[cut here: all 40010 characters are in the artifact '/);
  });

  test('a tool’s artifacts of its own are none that were put aside', async () => {
    const own = { name: 'own.txt', mediaType: 'text/plain', content: 'mine' };
    const draw = tool({
      name: 'draw',
      description: 'Draws.',
      input: z.object({}),
      execute: () => dual({ text: 'drawn', artifacts: [own] }),
    });
    const model = scriptedModel([calls({ name: 'draw', input: {} }), 'done']);
    const result = await start(agent({ name: 'a', model, tools: [draw] }), 'go').result;
    expect(ofType(result.events, 'text.spilled')).toEqual([]);
    expect(result.artifacts).toEqual([own]);
  });
});
