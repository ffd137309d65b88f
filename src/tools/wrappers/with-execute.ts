import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { Tool } from '../../contracts/tools/tool.ts';

/** Options of a replaced execution. */
export interface Executing {
  /**
   * True if it returns another value: the tool is then not asked for the outcome of an earlier call, as it knows its
   * own only. Default false.
   */
  readonly givesAnother?: boolean | undefined;
}

/** Copies a tool with another `execute`. Properties are read lazily, and methods stay the tool's own. */
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
  // Absent where the tool has none.
  ...withoutUndefined({
    deferred: tool.deferred,
    announces: tool.announces,
    undeclared: tool.undeclared,
    cacheable: tool.cacheable,
    requires: tool.requires,
  }),
  deprecated: tool.deprecated,
  replacedBy: tool.replacedBy,
  safety: tool.safety,
  idempotent: tool.idempotent,
  exclusive: tool.exclusive,
  timeoutMs: tool.timeoutMs,
  retry: tool.retry,
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
