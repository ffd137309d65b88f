import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { isJsonObject } from '../../base/json/json.ts';
import type { ToolTurn } from '../../contracts/conversations/transcript.ts';
import { type ProviderApproval, requestIn } from '../../contracts/tools/provider-approval.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { callArguments } from '../calls/call-arguments.ts';
import { refusalReason } from '../wire/provider-tools.ts';
import { isInputItem } from './responses-replay.ts';

/** A request of OpenAI for approval: it would make this call of a remote MCP server. */
export type ApprovalRequest = ResponseInputItem.McpApprovalRequest;

/** The input of the call by which a person is asked. */
export const approvalInput = (
  item: Pick<ApprovalRequest, 'server_label' | 'name' | 'arguments'>,
): ProviderApproval => ({
  server: item.server_label,
  tool: item.name,
  input: callArguments(item.arguments).input,
});

/** The request that a call stands for, as it came; undefined for any other call. */
export const requestOf = (call: ToolCall): ApprovalRequest | undefined => {
  const request = requestIn(call);
  return isJsonObject(request) && isInputItem(request) && request.type === 'mcp_approval_request'
    ? request
    : undefined;
};

/** The answer to a request: the result of its call. A call without one, as its run was aborted, was not approved. */
export const approvalResponse = (
  { id }: ApprovalRequest,
  { failed, text }: ToolTurn,
): ResponseInputItem.McpApprovalResponse => ({
  type: 'mcp_approval_response',
  approval_request_id: id,
  approve: failed !== true,
  ...(failed === true ? { reason: refusalReason(text) } : {}),
});
