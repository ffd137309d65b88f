/** The tools of MCP servers, for agents. Needs the package `@modelcontextprotocol/client`. */

export { mcpServer } from './mcp-server.ts';
export { mcpServers } from './mcp-servers.ts';
export { serveMcp } from './serve-mcp.ts';
export type { McpServerOptions } from '../tools/mcp/mcp-options.ts';
