import { exitCode } from './exit-code.ts';
import { loadAgent } from './load-agent.ts';
import type { Session } from './session.ts';

/** `troupe graph`: prints the statechart of an agent or a team. */
export const graph = async (
  { file, exportName }: { readonly file: string; readonly exportName: string | undefined },
  { terminal }: Session,
): Promise<number> => {
  const agent = await loadAgent(file, terminal.folder, exportName);
  terminal.stdout.write(`${agent.diagram().trimEnd()}\n`);
  return exitCode.answered;
};
