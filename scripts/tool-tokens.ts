/**
 * Measures the tokens of many tools in a request, all of them offered and all of them deferred, by the package's own estimate:
 *
 *     npx tsx scripts/tool-tokens.ts FILE [--tools 200] [--query "create an issue"]
 *
 * FILE has definitions of functions as JSON: a list, or a line for each, also within cases of the Berkeley Function-Calling Leaderboard.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Json, JsonObject } from '../src/base/json/json.ts';
import { isJsonObject } from '../src/base/json/json.ts';
import type { Turn } from '../src/contracts/conversations/transcript.ts';
import type { ToolSpec } from '../src/contracts/tools/tool-call.ts';
import { agent, tool } from '../src/index.ts';
import { TurnCounter } from '../src/memory/tokens/count-tokens.ts';
import { calls, scriptedModel } from '../src/testing/index.ts';

/** The definitions in a file: the first of each name. */
const definitionsIn = (text: string): readonly JsonObject[] => {
  const given: readonly Json[] = text.trimStart().startsWith('[')
    ? [JSON.parse(text) as Json]
    : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Json]));
  const found = given.flatMap(functionsOf);
  return [...new Map(found.map((each) => [each['name'], each])).values()];
};

/** A case and a wire form have theirs in `function`. */
const functionsOf = (given: Json | undefined): readonly JsonObject[] => {
  if (Array.isArray(given)) return given.flatMap(functionsOf);
  if (!isJsonObject(given)) return [];
  return given['function'] === undefined ? [given] : functionsOf(given['function']);
};

const toolOf = ({ name, description, parameters }: JsonObject, deferred: boolean) =>
  tool({
    name: textOf(name),
    description: textOf(description),
    parameters: isJsonObject(parameters) ? parameters : { type: 'object' },
    deferred,
    execute: () => 'done',
  });

interface Request {
  readonly instructions: string;
  readonly messages: readonly Turn[];
  readonly tools: readonly ToolSpec[];
}

/** What is no text is refused by the tool. */
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const counter = new TurnCounter();

/** All but the question. */
const sizeOf = ({ instructions, messages, tools }: Request): number =>
  counter.overhead(instructions, tools) +
  messages.slice(1).reduce((sum, turn) => sum + counter.size(turn), 0);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tools: { type: 'string', default: '200' },
    query: { type: 'string', default: 'create an issue' },
  },
});
const [file = ''] = positionals;
const definitions = definitionsIn(readFileSync(file, 'utf8')).slice(0, Number(values.tools));
for (const deferred of [false, true]) {
  const search = calls({ name: 'find_tools', input: { query: values.query } });
  const model = scriptedModel(deferred ? [search, 'done'] : ['done']);
  await agent({ name: 'clerk', model, tools: definitions.map((each) => toolOf(each, deferred)) }).run('Go.');
  const [first, later] = model.requests.map(sizeOf);
  const found =
    later === undefined
      ? ''
      : `, ${later} after a search that found ${(model.requests[1]?.tools.length ?? 1) - 1}`;
  console.log(
    `${definitions.length} tools ${deferred ? 'deferred' : 'offered'}: ${first} tokens (estimated) in each request${found}`,
  );
}
