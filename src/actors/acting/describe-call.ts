import { freezeJson } from '../../base/json/freeze-json.ts';
import { letGo } from '../../base/promises/let-go.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** A description of a call for people. Falls back to the tool's name if its `describe` fails. */
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

/** Checks whether a call needs approval, as it does if the tool cannot tell. */
export const needsApproval = (tool: Tool, { input }: ToolCall): boolean => {
  try {
    const said: unknown = tool.needsApproval(freezeJson(input));
    letGo(said);
    // Anything but a plain false needs approval.
    return said !== false;
  } catch {
    return true;
  }
};
