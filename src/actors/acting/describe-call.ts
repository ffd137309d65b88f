import { freezeJson } from '../../base/json/freeze-json.ts';
import { letGo } from '../../base/promises/thenable.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
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

/** The need of a call for approval: it has one, too, if the tool cannot tell, with the error why; undefined if it has none. */
export const needsApproval = (
  tool: Tool,
  { input, name }: ToolCall,
  rule?: string,
): { readonly needsApproval: true; readonly error?: ErrorData } | undefined => {
  try {
    const said: unknown = tool.needsApproval(freezeJson(input), rule);
    letGo(said);
    // Anything but a plain false needs approval.
    return said === false ? undefined : NEEDED;
  } catch (thrown) {
    const message = `Cannot tell whether '${name}' needs approval as its \`approval\` threw`;
    return { ...NEEDED, error: errorData(thrown, 'tool.failed', { message, tool: name }) };
  }
};

const NEEDED = { needsApproval: true } as const;
