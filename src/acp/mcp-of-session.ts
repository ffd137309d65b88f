import type * as sdk from '@agentclientprotocol/sdk';
import type { AcpMcpServer } from './acp-options.ts';

/** A server of MCP in the words of the protocol. */
export const serverOf = ({
  name,
  command,
  args = [],
  env = {},
  url,
  headers = {},
}: AcpMcpServer): sdk.McpServer =>
  command === undefined
    ? { type: 'http', name, url: url ?? '', headers: pairsOf(headers) }
    : { name, command, args: [...args], env: pairsOf(env) };

const pairsOf = (given: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(given).map(([name, value]) => ({ name, value }));
