/** The tools of MCP servers, for agents. Needs the package `@modelcontextprotocol/client`. */

export { mcpServer } from './mcp-server.ts';
export type { McpServerOptions } from '../tools/mcp/mcp-options.ts';
