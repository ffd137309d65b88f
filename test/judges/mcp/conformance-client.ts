import { isJsonObject } from '../../../src/base/json/json.ts';
import type { Json, JsonObject } from '../../../src/base/json/json.ts';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { oauthClient } from './oauth-client.ts';
import type { ScriptedRequest } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';

/** What the conformance suite tells a client: the address of its server, and the calls to be made, if it says which. */
export interface ClientOrder {
  readonly url: string;
  /** JSON. */
  readonly context: string;
}

interface Made {
  readonly name: string;
  readonly input: JsonObject;
}

const SERVER = 'suite';

/**
 * Runs an agent that has the tools of the suite's server: it makes the calls that the suite orders, or else calls each tool once, with the
 * plainest input that its schema takes. Resolves with the results of its calls.
 */
export const runConformanceClient = async ({ url, context }: ClientOrder): Promise<readonly string[]> => {
  const ordered = orderedCalls(context);
  const client = agent({
    name: 'client',
    tools: [mcpServer({ name: SERVER, url, auth: oauthClient(url, JSON.parse(context) as Json) })],
    model: scriptedModel([
      (request) => {
        const made = ordered.length > 0 ? ordered : plainCalls(request);
        return made.length === 0 ? 'There is nothing to call.' : calls(...made);
      },
      'Done.',
    ]),
  });
  // A person who gives nothing of their own: a field has its default.
  const { records } = await client.run('Go.', { person: { answer: () => '', approve: () => true } });
  return records.flatMap(({ results }) => results.map(({ text }) => text));
};

const orderedCalls = (context: string): readonly Made[] => {
  const parsed = JSON.parse(context) as Json;
  const listed = isJsonObject(parsed) && Array.isArray(parsed['toolCalls']) ? parsed['toolCalls'] : [];
  return listed.flatMap((each) =>
    isJsonObject(each) && typeof each['name'] === 'string' && isJsonObject(each['arguments'])
      ? [{ name: `${SERVER}.${each['name']}`, input: each['arguments'] }]
      : [],
  );
};

const plainCalls = ({ tools }: ScriptedRequest): readonly Made[] => {
  const shown = tools[0]?.parameters ?? {};
  return tools.map(({ name, parameters }) => {
    const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
    const input = Object.entries(properties).map(([key, schema]) => [key, plainValue(key, schema, shown)]);
    return { name, input: Object.fromEntries(input) as JsonObject };
  });
};

/** The plainest value of a schema. What is called a schema is that of the first tool, as the model is shown it. */
const plainValue = (name: string, schema: Json | undefined, shown: JsonObject): Json => {
  if (name === 'schema') return shown;
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  return PLAIN_VALUES.get(typeof type === 'string' ? type : '') ?? 'x';
};

const PLAIN_VALUES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['number', 1],
  ['integer', 1],
  ['boolean', true],
  ['object', {}],
]);
