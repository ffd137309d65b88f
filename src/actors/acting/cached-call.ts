import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { CallCache } from '../../tools/calls/call-cache.ts';
import { andThen } from '../../base/promises/thenable.ts';

/** Executes one attempt of a call, from the run's cache if the tool allows it; a tool with side effects clears the cache. */
export const cachedCall = (
  tool: Tool,
  call: ToolCall,
  cache: CallCache,
  perform: () => ToolResult | Promise<ToolResult>,
): ToolResult | Promise<ToolResult> => {
  if (tool.safety !== 'read') {
    cache.forget();
    // Again, as other calls may have filled the cache meanwhile.
    return andThen(perform(), (result) => {
      cache.forget();
      return result;
    });
  }
  if (tool.cacheable !== true || call.problem !== undefined) return perform();
  const found = cache.find(tool, call.input);
  if (found !== undefined) return { ...found, callId: call.id, durationMs: 0, attempts: 1, cached: true };
  const keep = cache.keeper(tool, call.input);
  return andThen(perform(), (result) => {
    keep(result);
    return result;
  });
};
