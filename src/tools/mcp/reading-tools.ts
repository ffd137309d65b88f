import type { CallToolResult, Client, ListResourceTemplatesResult } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { textOf } from '../calls/tool-result.ts';
import type { Pause } from './call-timer.ts';
import { isUnknownMethod } from './mcp-errors.ts';
import { mcpResult } from './mcp-result.ts';

/** Work with a server on behalf of a call. */
export type Perform = <Result>(
  doing: string,
  context: ToolContext,
  work: (
    client: Client,
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ) => Promise<Result>,
  /** The task that it belongs to, whose own time stands still where a person is asked. */
  task?: { readonly taskId: string; readonly pause: Pause },
) => Promise<Result>;

/** The parts of a server that are not tools. */
export interface Readable {
  readonly server: string;
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
}

/** Tools by which a model reads the resources and prompts of a server. */
export const readingTools = (
  { server, hasResources, hasPrompts }: Readable,
  perform: Perform,
): readonly Tool[] => {
  const made = (
    name: string,
    description: string,
    parameters: Tool['parameters'],
    work: (
      input: Readonly<Record<string, Json | undefined>>,
      client: Client,
      options: { readonly signal: AbortSignal; readonly timeout: number },
    ) => Promise<CallToolResult>,
  ): Tool =>
    tool({
      name,
      description: `${description} of the server ${server}.`,
      category: 'mcp',
      tags: ['mcp', server],
      timeoutMs: Infinity,
      safety: 'read',
      parameters,
      execute: async (input: Json, context) =>
        mcpResult(
          await perform(`${name} of the MCP server '${server}'`, context, (client, options) =>
            work(isJsonObject(input) ? input : {}, client, options),
          ),
          { server, tool: name, outputSchema: undefined },
        ),
    });
  const resources = [
    made('list_resources', 'Lists the resources', NOTHING, async (_, client, options) => {
      const [{ resources: all }, { resourceTemplates }] = await Promise.all([
        client.listResources(undefined, options),
        client.listResourceTemplates(undefined, options).catch(noTemplates),
      ]);
      const lines = [
        ...all.map(({ uri, name, description }) => line(uri, name, description)),
        ...resourceTemplates.map(({ uriTemplate, name, description }) =>
          line(uriTemplate, name, description),
        ),
      ];
      return textResult(lines.join('\n'));
    }),
    made(
      'read_resource',
      'Reads a resource, by its address,',
      texts(['uri']),
      async ({ uri }, client, options) => {
        const { contents } = await client.readResource({ uri: textOf(uri) }, options);
        return { content: contents.map((resource) => ({ type: 'resource', resource })) };
      },
    ),
  ];
  const prompts = [
    made('list_prompts', 'Lists the prompts', NOTHING, async (_, client, options) => {
      const { prompts: all } = await client.listPrompts(undefined, options);
      return textResult(
        all
          .map(({ name, description, arguments: given = [] }) =>
            line(`${name}(${given.map((each) => each.name).join(', ')})`, '', description),
          )
          .join('\n'),
      );
    }),
    made(
      'get_prompt',
      'Fills a prompt in, with its arguments by name,',
      PROMPT,
      async (input, client, options) => {
        const given = isJsonObject(input['arguments']) ? input['arguments'] : {};
        const filled = Object.fromEntries(
          Object.entries(given).map(([name, value]) => [name, textOf(value)]),
        );
        const { messages } = await client.getPrompt(
          { name: textOf(input['name']), arguments: filled },
          options,
        );
        return { content: messages.map(({ content }) => content) };
      },
    ),
  ];
  return [...(hasResources ? resources : []), ...(hasPrompts ? prompts : [])];
};

/** Many servers have resources, and no method that lists templates. */
const noTemplates = (thrown: unknown): Pick<ListResourceTemplatesResult, 'resourceTemplates'> => {
  if (isUnknownMethod(thrown)) return { resourceTemplates: [] };
  throw thrown;
};

const line = (address: string, name: string, description = ''): string =>
  [address, name, description]
    .filter((part) => part !== '')
    .map((part) => oneLine(part, 300))
    .join(' · ');

const textResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: text === '' ? 'There are none.' : text }],
});

const texts = (names: readonly string[]): Tool['parameters'] => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: [...names],
});

const NOTHING: Tool['parameters'] = { type: 'object', properties: {} };
const PROMPT: Tool['parameters'] = {
  type: 'object',
  properties: { name: { type: 'string' }, arguments: { type: 'object' } },
  required: ['name'],
};
