import type { Toolset } from '../contracts/tools/tool.ts';
import { processEnvironment } from '../models/environment.ts';
import { type McpVariables, serversIn } from '../tools/mcp/mcp-config.ts';
import { checkServer } from '../tools/mcp/mcp-options.ts';
import { mcpServer } from './mcp-server.ts';

/**
 * The servers of a configuration that other programs use too: `mcpServers` of Claude, Cursor and Gemini, `servers` of VS Code.
 *
 * A server may have options of {@link mcpServer} beside theirs; those that are disabled are left out, fields of the
 * other program are ignored. `${NAME}`, `${env:NAME}`, `${NAME:-default}`, and `$NAME` by itself, stand for variables of the process, or those given.
 * `${input:ID}`, which VS Code asks a person for, stands for the given variable `'input:ID'`: nobody is asked here.
 *
 * @example
 * const config = JSON.parse(readFileSync('troupe.mcp.json', 'utf8'));
 * const clerk = agent({ name: 'clerk', tools: mcpServers(config) });
 *
 * @throws {TroupeError} `tool.invalid` for what is not a configuration, a variable without a value, the transport `sse`,
 * lists of forbidden tools (write `only`), and whatever {@link mcpServer} refuses.
 */
export const mcpServers = (
  config: unknown,
  { variables = processEnvironment() }: { readonly variables?: McpVariables | undefined } = {},
): Toolset[] =>
  serversIn(config, variables).map((options: unknown) => {
    checkServer(options);
    return mcpServer(options);
  });
