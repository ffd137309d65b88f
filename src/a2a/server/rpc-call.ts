import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { printableJson } from '../../base/text/printable.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { jsonReply } from '../../runtime/serve/http/reply.ts';
import { BINDING } from '../wire.ts';
import type { AgentCall } from './agent-call.ts';
import { bodyOf, contextOf } from './agent-call.ts';
import { streamReply } from './stream-reply.ts';

/** A response of JSON-RPC. */
interface RpcResponse {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Answers a call of JSON-RPC. */
export const answerRpc = async (call: AgentCall): Promise<Response> => {
  const { loaded, ending, operations, toError } = call;
  const { JsonRpcTransportHandler, errors } = loaded;
  let body: Json;
  try {
    body = await bodyOf(call);
  } catch (thrown) {
    ending.release();
    return unreadReply(thrown, call);
  }
  const failed = (thrown: unknown): RpcResponse => ({
    jsonrpc: '2.0',
    id: idIn(body),
    error: JsonRpcTransportHandler.mapToJSONRPCError(toError(thrown)),
  });
  try {
    const context = contextOf(call, BINDING.rpc, tenantIn(body));
    if (!isJsonObject(body))
      throw new errors.RequestMalformedError('Cannot read the body as it is not an object');
    const response = await new JsonRpcTransportHandler(operations).handle({ ...body }, context);
    if (Symbol.asyncIterator in response)
      return await streamReply<RpcResponse>(call, response, {
        textOf: eventText,
        failureText: (thrown) => eventText(failed(thrown)),
      });
    ending.release();
    return jsonReply(response);
  } catch (thrown) {
    ending.release();
    return jsonReply(failed(thrown));
  }
};

/** The refusal of a body that could not be read, by its status and in the words of JSON-RPC. */
const unreadReply = (thrown: unknown, { loaded, toError }: AgentCall): Response => {
  const { A2A_ERROR_CODE } = loaded.errors;
  const error = loaded.JsonRpcTransportHandler.mapToJSONRPCError(toError(thrown));
  const status = isTroupeError(thrown, 'server.refused') ? thrown.status : undefined;
  if (status === undefined || status === 415) return refuse(error, status);
  const code = status === 400 ? A2A_ERROR_CODE.PARSE_ERROR : A2A_ERROR_CODE.INVALID_REQUEST;
  return refuse({ code, message: error.message }, status);
};

const refuse = (error: unknown, status: number | undefined): Response =>
  jsonReply({ jsonrpc: '2.0', id: null, error } satisfies RpcResponse, status);

const eventText = (response: RpcResponse): string => `data: ${printableJson(response)}\n\n`;

const idIn = (body: Json): RpcResponse['id'] => {
  const id = isJsonObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

const tenantIn = (body: Json): Json | undefined => {
  const params = isJsonObject(body) ? body['params'] : undefined;
  return isJsonObject(params) ? params['tenant'] : undefined;
};
