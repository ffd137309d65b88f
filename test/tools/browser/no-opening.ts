import type { ToolsetOpening } from '../../../src/contracts/tools/tool.ts';

/** What a toolset that opens gets where there is no run. */
export const noOpening = (): ToolsetOpening => ({
  listed: undefined,
  tools: () => [],
  models: [],
  signal: new AbortController().signal,
  hide: () => undefined,
});
