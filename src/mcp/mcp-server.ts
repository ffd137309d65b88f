import type { Toolset } from '../contracts/tools/tool.ts';
import type { McpServerOptions } from '../tools/mcp/mcp-options.ts';
import { mcpToolset } from '../tools/mcp/mcp-toolset.ts';
import { sample } from './sample.ts';

/**
 * The tools of an MCP server, as a toolset: each agent of a run that has it connects once, and is disconnected at the end.
 *
 * Speaks the protocol of 2026-07-28, and of 2025-11-25 with older servers. Needs the package `@modelcontextprotocol/client`.
 *
 * @example
 * const files = mcpServer({
 *   name: 'files',
 *   command: 'npx',
 *   args: ['-y', '@modelcontextprotocol/server-filesystem', './work'],
 *   only: ['read_text_file', 'list_directory'],
 * });
 * const clerk = agent({ name: 'clerk', tools: [files] }); // the model sees files.read_text_file …
 *
 * @throws {TroupeError} `tool.invalid` for invalid options. A run rejects with `mcp.package-missing`, `mcp.unavailable`, `mcp.auth` or
 * `mcp.protocol` as the cause of its first problem if the server cannot be used; calls fail with these, with `mcp.lost` if the connection
 * is lost under way, and with `mcp.changed` for a tool that is held.
 */
export const mcpServer = (options: McpServerOptions): Toolset => mcpToolset(options, sample);
