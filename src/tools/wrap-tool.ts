import type { Tool } from '../contracts/tool.ts';

/** A tool that is another in all but how it is done. Nothing of it is copied before it is asked for, and its methods stay its own. */
export const wrapTool = (tool: Tool, execute: Tool['execute']): Tool => ({
  name: tool.name,
  description: tool.description,
  version: tool.version,
  category: tool.category,
  tags: tool.tags,
  deprecated: tool.deprecated,
  replacedBy: tool.replacedBy,
  safety: tool.safety,
  idempotent: tool.idempotent,
  ...(tool.cacheable === undefined ? {} : { cacheable: tool.cacheable }),
  exclusive: tool.exclusive,
  timeoutMs: tool.timeoutMs,
  retry: tool.retry,
  ...(tool.requires === undefined ? {} : { requires: tool.requires }),
  dynamicSchema: tool.dynamicSchema,
  get parameters() {
    return tool.parameters;
  },
  get outputSchema() {
    return tool.outputSchema;
  },
  needsApproval: (input) => tool.needsApproval(input),
  describe: (input) => tool.describe(input),
  check: (input) => tool.check(input),
  ...(tool.forOutput === undefined ? {} : { forOutput: tool.forOutput.bind(tool) }),
  execute,
  ...(tool.whatBecame === undefined ? {} : { whatBecame: (key, options) => tool.whatBecame?.(key, options) }),
});
