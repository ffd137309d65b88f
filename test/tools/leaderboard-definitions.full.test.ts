import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json/json.ts';
import type { ModelRequest } from '../../src/contracts/models/model.ts';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';
import { anthropicRequest } from '../../src/models/anthropic/anthropic-request.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import { chatRequest } from '../../src/models/openai/chat-request.ts';
import { chatProfiles } from '../../src/models/openai/chat-profiles.ts';
import { openaiRequest } from '../../src/models/openai/responses-request.ts';
import { noMedia } from '../../src/models/wire/media-bytes.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { question } from '../support/ask-model.ts';
import { describeWithFixtures, fixtures } from '../support/fixtures.ts';
import { requestProblems } from '../support/provider-valid.ts';

// The definitions of the Berkeley Function-Calling Leaderboard (github.com/ShishirPatil/gorilla, Apache-2.0), its folder `bfcl_eval/data` as `bfcl`
// among the fixtures: a case a line, with its functions, in the types of Python, Java and JavaScript.

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

const isDefinition = (given: Json): given is JsonObject & Definition =>
  isJsonObject(given) && typeof given['name'] === 'string' && isJsonObject(given['parameters']);

/** The functions of each case of a file; a file of functions is one case. */
const casesOf = (file: string): readonly (readonly Definition[])[] => {
  const lines = readFileSync(fixtures('bfcl', file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const given = lines.map((line) => JSON.parse(line) as Json);
  if (given.every(isDefinition)) return [given];
  return given.flatMap((each) => {
    const found = isJsonObject(each) ? [each['function'] ?? []].flat().filter(isDefinition) : [];
    return found.length === 0 ? [] : [found];
  });
};

/** The first of each name: a request has no two tools of one. */
const toolsOf = (definitions: readonly Definition[]) =>
  [...new Map(definitions.map((each) => [each.name, each])).values()].map(
    ({ name, description, parameters }) =>
      tool({ name, description: description || name, parameters, execute: () => 'done' }),
  );

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

const bodiesOf = (request: ModelRequest) => {
  const names = toolNames(request.tools.map(({ name }) => name));
  const wire = { request, names, inputs: toolInputs(request.tools), media: noMedia };
  const who = { provider: 'compatible', model: 'm' };
  const chat = (profile: (typeof chatProfiles)[keyof typeof chatProfiles]) =>
    chatRequest({ ...wire, who }, { profile, isStreamed: true });
  return [
    { path: '/responses', body: openaiRequest('m', wire) },
    { path: '/messages', body: anthropicRequest('m', wire) },
    { path: '/chat/completions', body: chat(chatProfiles.mistral) },
    { path: '/chat/completions', body: chat(chatProfiles.gemini) },
  ].map(({ path, body }) => ({ path, body: JSON.parse(JSON.stringify(body)) as Record<string, unknown> }));
};

describeWithFixtures('definitions of the Berkeley Function-Calling Leaderboard', 'bfcl', () => {
  const files = readdirSync(fixtures('bfcl'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !file.includes('possible_answer'))
    .filter((file) => casesOf(file).length > 0)
    .sort();

  it('are there', () => {
    expect(files).not.toEqual([]);
  });

  it.each(files)(
    '%s: each request with them is one that providers take, and their names come back',
    (file) => {
      for (const definitions of casesOf(file)) {
        const tools: readonly ToolSpec[] = toolsOf(definitions);
        for (const seen of bodiesOf(question({ tools }))) expect(requestProblems(seen)).toEqual([]);
        const names = toolNames(tools.map(({ name }) => name));
        const legal = tools.map(({ name }) => names.legal(name));
        expect(new Set(legal).size).toBe(tools.length);
        expect(legal.map((name) => names.original(name))).toEqual(tools.map(({ name }) => name));
        const inputs = toolInputs(tools);
        for (const each of tools) {
          const schema = inputs.schema(each);
          expect(schema['type']).toBe('object');
          for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'not'])
            expect(schema).not.toHaveProperty(key);
        }
      }
    },
  );

  it.each(files)('%s: arguments that fit are taken, and those that do not are not', async (file) => {
    for (const definitions of casesOf(file))
      for (const each of toolsOf(definitions)) {
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
});
