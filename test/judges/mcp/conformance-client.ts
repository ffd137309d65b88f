/**
 * The client that the conformance suite judges: an agent that lists the tools of the server whose address is its last argument, calls
 * them, and answers. What it calls is the suite's order, or else each tool once, with the plainest arguments that its schema takes.
 */
import { isJsonObject } from '../../../src/base/json/json.ts';
import type { Json, JsonObject } from '../../../src/base/json/json.ts';
import type { ModelRequest } from '../../../src/contracts/models/model.ts';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';

interface Order {
  readonly name: string;
  readonly input: JsonObject;
}

const SERVER = 'suite';

/** The calls that the suite orders for a scenario, by what it calls the context. */
const ordered = (): readonly Order[] => {
  const context: Json = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Json;
  const given = isJsonObject(context) && Array.isArray(context['toolCalls']) ? context['toolCalls'] : [];
  return given.flatMap((each) =>
    isJsonObject(each) && typeof each['name'] === 'string' && isJsonObject(each['arguments'])
      ? [{ name: `${SERVER}.${each['name']}`, input: each['arguments'] }]
      : [],
  );
};

/** The plainest value of a schema; one for a schema is the schema of the first tool, as the model was shown it. */
const plainValue = (name: string, schema: Json | undefined, shown: Json): Json => {
  if (name === 'schema') return shown;
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  return type === 'number' || type === 'integer'
    ? 1
    : type === 'boolean'
      ? true
      : type === 'object'
        ? {}
        : 'x';
};

const eachTool = ({ tools }: ModelRequest): readonly Order[] => {
  const shown = tools[0]?.parameters ?? {};
  return tools.map(({ name, parameters }) => {
    const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
    const input = Object.entries(properties).map(([key, schema]) => [key, plainValue(key, schema, shown)]);
    return { name, input: Object.fromEntries(input) as JsonObject };
  });
};

const client = agent({
  name: 'client',
  tools: [mcpServer({ name: SERVER, url: process.argv.at(-1) ?? '' })],
  model: scriptedModel([
    (request) => {
      const made = ordered().length > 0 ? ordered() : eachTool(request);
      return made.length === 0 ? 'There is nothing to call.' : calls(...made);
    },
    'Done.',
  ]),
});

/** A person who gives nothing of their own: a field's default is what it has. */
const person = { answer: () => '', approve: () => true };

const { output, events } = await client.run('Go.', { person });
for (const event of events) {
  if (event.type === 'toolset.opened') console.log(JSON.stringify(event));
  if (event.type === 'tool.finished') console.log(JSON.stringify([event.tool, event.ok, event.text]));
}
console.log(output);
