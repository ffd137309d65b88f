import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { intercepted } from '../../src/tools/wrappers/interceptors.ts';
import { checkSchema } from '../../src/tools/schemas/schemas.ts';
import { jsonSchema } from '../../src/tools/schemas/json-schema.ts';
import { PlainStore } from '../support/plain-store.ts';

const city = z.object({ city: z.string(), population: z.number().describe('How many live there.') });
const oslo = { city: 'Oslo', population: 717_710 };
const completing = (answer: unknown) => calls({ name: 'complete', input: { answer } as never });

const textsOf = (result: {
  readonly records: readonly { readonly results: readonly { readonly text: string }[] }[];
}) => result.records.flatMap(({ results }) => results.map(({ text }) => text));

describe('an agent whose answer has a schema, and that ends by `complete`', () => {
  test('shows its model that schema as what `complete` takes', async () => {
    const model = scriptedModel([completing(oslo)]);
    const store = new PlainStore();
    const clerk = agent({ name: 'clerk', output: city, tools: [complete], model });
    const result = await clerk.run('Where?', { store });
    expect(result.output).toEqual(oslo);
    expect(model.requests[0]?.tools[0]?.parameters).toMatchObject({
      type: 'object',
      required: ['answer'],
      properties: {
        answer: {
          type: 'object',
          properties: { city: { type: 'string' }, population: { description: 'How many live there.' } },
          required: ['city', 'population'],
        },
        summary: { type: 'string' },
      },
    });
    expect((await replay(clerk, result.runId, { store })).result?.output).toEqual(oslo);
  });

  test('shows it from within a toolset and behind interceptors, too', async () => {
    const toolset = { name: 'ends', tools: [intercepted(complete, [{ name: 'watching' }])] };
    const model = scriptedModel([calls({ name: 'ends.complete', input: { answer: oslo } })]);
    const clerk = agent({ name: 'clerk', output: city, tools: [toolset], model });
    expect((await clerk.run('Where?')).output).toEqual(oslo);
    expect(model.requests[0]?.tools[0]?.parameters).toMatchObject({
      properties: { answer: { required: ['city', 'population'] } },
    });
  });

  test('refers to the definitions of a schema where they are then', async () => {
    const tree = jsonSchema({
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, branches: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
      $defs: { name: { type: 'string' } },
    });
    const model = scriptedModel([completing({ name: 'a', branches: [{ name: 'b' }] })]);
    const { output } = await agent({ name: 'a', output: tree, tools: [complete], model }).run('go');
    expect(output).toEqual({ name: 'a', branches: [{ name: 'b' }] });
    const parameters = model.requests[0]?.tools[0]?.parameters ?? {};
    // As a schema of its own it takes what it should, and nothing else.
    const asItIs = jsonSchema(parameters);
    expect(checkSchema(asItIs, { answer: { name: 'a', branches: [{ name: 'b' }] } })).toMatchObject({
      ok: true,
    });
    expect(checkSchema(asItIs, { answer: { name: 'a', branches: [{ name: 1 }] } })).toMatchObject({
      ok: false,
    });
  });

  test('replays a run in which its model was sent no schema of the answer, as those of 0.1 were', async () => {
    const store = new PlainStore();
    const { forOutput: _, ...before } = complete;
    const clerk = (ending: Tool) =>
      agent({ name: 'clerk', output: city, tools: [ending], model: scriptedModel([completing(oslo)]) });
    const { runId } = await clerk(before).run('Where?', { store });
    expect((await replay(clerk(complete), runId, { store })).result?.output).toEqual(oslo);
  });

  test('takes null where the schema does', async () => {
    const model = scriptedModel([completing(null)]);
    const clerk = agent({ name: 'clerk', output: city.nullable(), tools: [complete], model });
    const result = await clerk.run('Where?');
    expect(result.status).toBe('completed');
    expect(result.records[0]?.results).toMatchObject([
      { ok: true, control: { type: 'complete', answer: null } },
    ]);
  });

  test('says what was missing of an answer, and when there was none', async () => {
    const model = scriptedModel([
      calls({ name: 'complete', input: { summary: 'Looked it up.' } }),
      calls({ name: 'complete', input: oslo }),
      completing({ city: 'Oslo' }),
      completing(oslo),
    ]);
    const result = await agent({ name: 'clerk', output: city, tools: [complete], model }).run('Where?');
    expect(result.output).toEqual(oslo);
    const missing =
      "Cannot call 'complete' as its input does not fit: answer: it is missing: give the final answer there, an object with city, population";
    expect(textsOf(result)).toEqual([
      expect.stringContaining(missing),
      expect.stringContaining(missing),
      expect.stringMatching(/does not fit its schema: population: .*expected number/),
      expect.stringContaining('Oslo'),
    ]);
  });
});

describe('an agent whose answer has no schema, and that ends by `complete`', () => {
  test.each([
    [{}, 'it is missing: give the final answer there'],
    [{ summary: 'done' }, 'it is missing: give the final answer there'],
    [{ answer: null }, 'it is null: give the final answer there'],
    [{ answer: ' ' }, 'the answer is empty'],
  ])('reads what was wrong with %j', async (input, found) => {
    const model = scriptedModel([calls({ name: 'complete', input }), completing('42')]);
    const result = await agent({ name: 'clerk', tools: [complete], model }).run('How many?');
    expect(result.output).toBe('42');
    expect(textsOf(result)[0]).toContain(`does not fit: answer: ${found}`);
    expect(model.requests[0]?.tools[0]?.parameters).toEqual(complete.parameters);
  });
});
