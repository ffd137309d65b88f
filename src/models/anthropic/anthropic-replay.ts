import type { BetaContentBlock, BetaContentBlockParam } from '@anthropic-ai/sdk/resources/beta/messages';
import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '../../base/json/json.ts';
import { anything, hasShape, list, object, objectOrList, type Shapes, text } from '../wire/replay-shape.ts';

/**
 * A block that a model may have produced and that can be sent back; betas included, as they can be enabled by `extra`.
 */
type Replayable = Extract<BetaContentBlockParam, { readonly type: BetaContentBlock['type'] }>;

const toolUse = { id: text, name: text, input: anything };
const toolResult = { tool_use_id: text, content: objectOrList };

const SHAPES: Shapes<Replayable> = {
  text: { text },
  thinking: { thinking: text, signature: text },
  redacted_thinking: { data: text },
  tool_use: toolUse,
  server_tool_use: toolUse,
  web_search_tool_result: toolResult,
  web_fetch_tool_result: toolResult,
  code_execution_tool_result: toolResult,
  bash_code_execution_tool_result: toolResult,
  text_editor_code_execution_tool_result: toolResult,
  tool_search_tool_result: toolResult,
  container_upload: { file_id: text },
  advisor_tool_result: toolResult,
  mcp_tool_use: { ...toolUse, server_name: text },
  mcp_tool_result: { tool_use_id: text },
  mcp_tool_listing: { mcp_server_name: text, tools: list },
  compaction: {},
  fallback: { from: object, to: object },
};

/**
 * Checks whether a block can be sent back. It may come from a stored history: a block of another shape is left out, as
 * the provider would refuse the whole request for it.
 *
 * Blocks of betas are not in the type; the API accepts them under the same header that enabled them.
 */
export const isBlockParam = (block: JsonObject): block is JsonObject & ContentBlockParam =>
  hasShape(block, SHAPES);
