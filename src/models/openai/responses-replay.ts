import type { ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';
import type { JsonObject } from '../../base/json/json.ts';
import {
  anything,
  flag,
  hasShape,
  list,
  listOrNull,
  object,
  type Shapes,
  text,
  textOrList,
  textOrNull,
} from '../wire/replay-shape.ts';

/** An item that a model may have produced and that can be sent back. */
type Replayable = Extract<ResponseInputItem, { readonly type: ResponseOutputItem['type'] }>;

const mcpCall = { id: text, server_label: text, name: text, arguments: text };

const SHAPES: Shapes<Replayable> = {
  message: { id: text, role: text, content: list, status: text },
  reasoning: { id: text, summary: list },
  compaction: { encrypted_content: text },
  function_call: { call_id: text, name: text, arguments: text },
  function_call_output: { call_id: text, output: textOrList },
  custom_tool_call: { call_id: text, name: text, input: text },
  custom_tool_call_output: { call_id: text, output: textOrList },
  web_search_call: { id: text, action: object, status: text },
  file_search_call: { id: text, queries: list, status: text },
  code_interpreter_call: {
    id: text,
    code: textOrNull,
    container_id: text,
    outputs: listOrNull,
    status: text,
  },
  image_generation_call: { id: text, result: textOrNull, status: text },
  computer_call: { id: text, call_id: text, pending_safety_checks: list, status: text },
  computer_call_output: { call_id: text, output: object },
  local_shell_call: { id: text, call_id: text, action: object, status: text },
  local_shell_call_output: { id: text, output: text },
  shell_call: { call_id: text, action: object },
  shell_call_output: { call_id: text, output: list },
  apply_patch_call: { call_id: text, operation: object, status: text },
  apply_patch_call_output: { call_id: text, status: text },
  mcp_list_tools: { id: text, server_label: text, tools: list },
  mcp_call: mcpCall,
  mcp_approval_request: mcpCall,
  mcp_approval_response: { approval_request_id: text, approve: flag },
  tool_search_call: { arguments: anything },
  tool_search_output: { tools: list },
  additional_tools: { role: text, tools: list },
  program: { id: text, call_id: text, code: text, fingerprint: text },
  program_output: { id: text, call_id: text, result: text, status: text },
};

/**
 * Checks whether an item can be sent back. It may come from a stored history: an item of another shape is left out, as
 * the provider would refuse the whole request for it.
 */
export const isInputItem = (item: JsonObject): item is JsonObject & ResponseInputItem =>
  hasShape(item, SHAPES);
