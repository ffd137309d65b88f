import type { Toolset } from '../../contracts/tools/tool.ts';
import type { McpServerOptions } from './mcp-options.ts';
import { checkServer } from './mcp-options.ts';
import { McpSession } from './mcp-session.ts';
import type { Sampler } from './sampling.ts';

/** The tools of an MCP server, as a toolset; with what asks a model for it. */
export const mcpToolset = (options: McpServerOptions, sample: Sampler): Toolset => {
  checkServer(options);
  const first = new Map<string, string>();
  return {
    name: options.name,
    tools: [],
    ...(options.deferred === undefined ? {} : { deferred: options.deferred }),
    open: (opening) => new McpSession(options, opening, first, sample).open(),
  };
};
