import { basename, extname } from 'node:path';
import type { McpCommand } from './usage/commands.ts';
import { assertKey } from '../models/assert-key.ts';
import { several } from '../base/text/number-words.ts';
import { exitCode } from './exit-code.ts';
import { loadAgents } from './load-agent.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { assertReadable, withStoreIfAny } from './stored/open-store.ts';

/** `troupe mcp`: serves the agents and teams that a module exports as the tools of an MCP server, on standard input and output. */
export const serveByMcp = async ({ file, exportName }: McpCommand, session: Session): Promise<number> => {
  const { terminal, settings, sidePaint: paint, signal } = session;
  const model = settings.model === undefined ? undefined : modelOf(session);
  if (model !== undefined) assertKey(model, terminal.environment);
  const agents = await loadAgents(file, terminal.folder, exportName);
  const { serveMcp } = await import('../mcp/serve-mcp.ts');
  return withStoreIfAny(session, assertReadable, async (opened) => {
    const service = serveMcp(agents, {
      name: basename(file, extname(file)),
      run: {
        ...(model === undefined ? {} : { model }),
        ...(opened === undefined ? {} : { store: opened.store }),
      },
    });
    const stop = (): void => void service.close();
    signal.addEventListener('abort', stop);
    if (!settings.quiet && !settings.json) {
      const names = agents.map(({ name }) => name).join(', ');
      const line = `Serving ${several(agents.length, 'agent')} by MCP on standard input and output: ${names}`;
      terminal.stderr.write(`  ${paint.cyan('◉')} ${line}\n`);
    }
    await service.stdio();
    await service.close();
    return exitCode.answered;
  });
};
