import { freezeJson } from '../contracts/freeze-json.ts';
import { letGo } from '../contracts/let-go.ts';
import type { Tool, ToolCall } from '../contracts/tool.ts';

/** What a person reads of a call. A tool that was not made by `tool()` may throw: then its name has to do. */
export const describeCall = (tool: Tool | undefined, { name, input }: ToolCall): string => {
  try {
    const said: unknown = tool?.describe(freezeJson(input));
    if (typeof said === 'string') return said;
    letGo(said);
    return name;
  } catch {
    return name;
  }
};

/** Checks whether a person has to say yes first: also where the tool itself cannot tell. */
export const needsApproval = (tool: Tool, { input }: ToolCall): boolean => {
  try {
    const said: unknown = tool.needsApproval(freezeJson(input));
    letGo(said);
    // Whatever is not a plain no needs a person.
    return said !== false;
  } catch {
    return true;
  }
};
