import { freezeJson } from '../../base/json/freeze-json.ts';
import type { OfferedTool, Tool, Toolset } from '../../contracts/tools/tool.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { secretFieldsOf } from '../schemas/secret-fields.ts';

/** A tool in a registry. */
export interface ToolEntry {
  readonly name: string;
  readonly tool: Tool;
  /** As added. */
  readonly given: Tool;
  readonly spec: ToolSpec;
  readonly toolset: Toolset | undefined;
}

/** Checks whether a tool is left out of requests until it is announced. */
export const isDeferred = ({ tool, toolset }: ToolEntry): boolean =>
  tool.deferred ?? toolset?.deferred ?? false;

/** The entry of a tool of this package. */
export const entryOf = (tool: Tool): ToolEntry => ({
  name: tool.name,
  tool,
  given: tool,
  spec: specOf(tool),
  toolset: undefined,
});

/** The description of a tool of this package for the model: the same object each time. */
export const specOf = (tool: Tool): ToolSpec => {
  const { name, description, parameters } = tool;
  const spec = described.get(tool) ?? freezeJson({ name, description, parameters });
  described.set(tool, spec);
  return spec;
};

const described = new WeakMap<Tool, ToolSpec>();

/** A tool as toolsets of its agent see it. */
export const offeredTool = (entry: ToolEntry): OfferedTool => ({
  name: entry.name,
  description: entry.spec.description,
  isDeferred: isDeferred(entry),
});

/** Checks whether a tool marks fields of its input or output as secret. */
export const hasSecretFields = ({ tool: { parameters, outputSchema } }: ToolEntry): boolean =>
  (secretFieldsOf(parameters) ?? (outputSchema && secretFieldsOf(outputSchema))) !== undefined;
