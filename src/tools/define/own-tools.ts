import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { READ_RESULT } from '../calls/cut-text.ts';
import { FIND_TOOLS } from './deferred-tools.ts';

/** The tools that agents are given without asking for them, and their work. */
const OWN_TOOLS: ReadonlyMap<string, string> = new Map([
  [FIND_TOOLS, 'finds deferred ones'],
  [READ_RESULT, 'reads results that were cut'],
  [APPROVE_PROVIDER_CALL, 'approves calls of a provider'],
]);

const standIns = new WeakSet<Tool>();

/** Checks whether a name is that of a tool that agents are given without asking for it. */
export const isOwnTool = (name: string): boolean => OWN_TOOLS.has(name);

/** Lets a tool have the name of one that agents are given, and stand in its place: a recorded run is replayed with what that one said. */
export const standIn = (tool: Tool): Tool => {
  standIns.add(tool);
  return tool.name === FIND_TOOLS ? Object.assign(tool, { announces: true }) : tool;
};

/** Returns the reason why a tool may not have its name; undefined if it may. */
export const nameProblem = (name: string, tool: Tool): string | undefined => {
  const own = OWN_TOOLS.get(name);
  return own === undefined || standIns.has(tool) ? undefined : `its name is that of the tool that ${own}`;
};
