import { agent } from '../../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { mcpServer } from '../../../src/mcp/mcp-server.ts';

/** Where a run is stored, where a server keeps what it is told, and the programs of the servers. */
export interface KeeperOrder {
  readonly store: string;
  readonly memory: string;
  readonly memoryServer: string;
  readonly everythingServer: string;
}

/** An agent that has two real servers. */
export const keeper = (order: KeeperOrder, replies: readonly ScriptedReply[]) =>
  agent({
    name: 'keeper',
    tools: [
      mcpServer({
        name: 'memory',
        command: process.execPath,
        args: [order.memoryServer],
        env: { MEMORY_FILE_PATH: order.memory },
      }),
      mcpServer({
        name: 'everything',
        command: process.execPath,
        args: [order.everythingServer, 'stdio'],
      }),
    ],
    model: scriptedModel(replies),
  });
