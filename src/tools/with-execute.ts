import type { Tool } from '../contracts/tool.ts';

/** The rest of a tool is the same: what it gives may be, too. */
export interface Executing {
  /**
   * It gives another value: what became of a call is not asked of the tool, which knows its own alone. Default false.
   */
  readonly givesAnother?: boolean | undefined;
}

/** A tool that is another in all but how it is done. Nothing of it is copied before it is asked for, and its methods stay its own. */
export const withExecute = (
  tool: Tool,
  execute: Tool['execute'],
  { givesAnother = false }: Executing = {},
): Tool => ({
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
  get delegates() {
    return tool.delegates;
  },
  get receivers() {
    return tool.receivers;
  },
  needsApproval: (input) => tool.needsApproval(input),
  describe: (input) => tool.describe(input),
  check: (input) => tool.check(input),
  ...(tool.forOutput === undefined ? {} : { forOutput: tool.forOutput.bind(tool) }),
  execute,
  ...(tool.whatBecame === undefined || givesAnother
    ? {}
    : { whatBecame: (key, options) => tool.whatBecame?.(key, options) }),
});
