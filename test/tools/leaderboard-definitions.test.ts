import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json/json.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';
import { agent } from '../../src/index.ts';
import { TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { question } from '../support/ask-model.ts';
import { bodiesOf } from '../support/provider-bodies.ts';
import { requestProblems } from '../support/provider-valid.ts';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

const file = resolve(import.meta.dirname, '../fixtures/bfcl/definitions.jsonl');

/** Definitions of the Berkeley Function-Calling Leaderboard, in the types of Python: `test/fixtures/bfcl/README.md`. */
const definitions = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Definition);

const toolsOf = (options: { readonly deferred?: boolean } = {}) =>
  definitions.map((each) => tool({ ...each, ...options, execute: () => 'done' }));

/** The least value that fits a schema. */
const sampleOf = (schema: Json | undefined): Json => {
  if (!isJsonObject(schema)) return 'x';
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, namesOf(schema['required']));
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => sampleOf(schema['items']));
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1);
    case 'boolean':
      return true;
    default:
      return 'x';
  }
};

const namesOf = (list: Json | undefined): readonly string[] =>
  Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];

const objectOf = ({ properties }: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, sampleOf(isJsonObject(properties) ? properties[name] : {})]));

describe('200 definitions of the Berkeley Function-Calling Leaderboard', () => {
  test('are as many, of distinct names', () => {
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(200);
  });

  test('are sent in a request that providers take, and their names come back', () => {
    const tools: readonly ToolSpec[] = toolsOf();
    for (const seen of bodiesOf(question({ tools }))) expect(requestProblems(seen)).toEqual([]);
    const names = toolNames(tools.map(({ name }) => name));
    const legal = tools.map(({ name }) => names.legal(name));
    expect(new Set(legal).size).toBe(tools.length);
    expect(legal.map((name) => names.original(name))).toEqual(tools.map(({ name }) => name));
    const inputs = toolInputs(tools);
    for (const each of tools) {
      const schema = inputs.schema(each);
      expect(schema['type']).toBe('object');
      for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'not']) expect(schema).not.toHaveProperty(key);
    }
  });

  test('take arguments that fit, and none that do not', async () => {
    for (const each of toolsOf()) {
      const { name, parameters } = each;
      const plain = JSON.parse(JSON.stringify(parameters)) as JsonObject;
      const required = namesOf(plain['required']);
      const given = isJsonObject(plain['properties']) ? Object.keys(plain['properties']) : [];
      expect(await each.check(objectOf(plain, required)), name).toMatchObject({ ok: true });
      expect(await each.check(objectOf(plain, given)), name).toMatchObject({ ok: true });
      expect(await each.check('no object'), name).toMatchObject({ ok: false });
      for (const missing of required) {
        const others = required.filter((other) => other !== missing);
        expect(await each.check(objectOf(plain, others)), `${name} without ${missing}`).toMatchObject({
          ok: false,
        });
      }
    }
  });

  test('cost the tokens that the guide says: all of them offered, all of them deferred, and five of them found', async () => {
    const offered = await tokensOf(toolsOf(), ['done']);
    const search = calls({ name: 'find_tools', input: { query: 'create an issue' } });
    const [deferred = 0, found = 0] = await tokensOf(toolsOf({ deferred: true }), [search, 'done']);
    const measured = [...offered, deferred, found];
    expect(measured).toEqual([26_800, 123, 1_182]);
    const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guide/tools.md'), 'utf8');
    const [row] = guide.split('\n').filter((line) => line.includes('[BFCL]'));
    const cells = row?.split('|').slice(2, 5);
    expect(cells?.map((cell) => Number(cell.replace(',', '')))).toEqual(measured);
  });
});

/** The tokens of each request of a run with these tools: all but the question. */
const tokensOf = async (
  tools: readonly Tool[],
  script: Parameters<typeof scriptedModel>[0],
): Promise<readonly number[]> => {
  const counter = new TurnCounter();
  const model = scriptedModel(script);
  await agent({ name: 'clerk', model, tools }).run('Go.');
  return model.requests.map(({ instructions, messages, tools: sent }) =>
    messages.slice(1).reduce((sum, turn) => sum + counter.size(turn), counter.overhead(instructions, sent)),
  );
};
