import type { Json } from '../../base/json/json.ts';

/** A call that a provider ran itself while its model answered: of its web search, its sandbox, an MCP server that it reaches. */
export interface ProviderCall {
  /** As the provider names it: `web_search`. */
  readonly tool: string;
  /** As far as the provider reports it. */
  readonly input?: Json | undefined;
  /** The reason for which it failed, in the provider's words. */
  readonly problem?: string | undefined;
}
