import type { Tool, ToolCall } from '../contracts/tool.ts';

/** What a person reads of a call. A tool that was not made by `tool()` may throw: then its name has to do. */
export const describeCall = (tool: Tool | undefined, { name, input }: ToolCall): string => {
  try {
    return tool?.describe(input) ?? name;
  } catch {
    return name;
  }
};

/** Whether a person has to say yes first: also where the tool itself cannot tell. */
export const needsApproval = (tool: Tool, { input }: ToolCall): boolean => {
  try {
    return tool.needsApproval(input);
  } catch {
    return true;
  }
};
