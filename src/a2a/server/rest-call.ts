import type { StreamResponse } from '@a2a-js/sdk';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { printableJson } from '../../base/text/printable.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { jsonReply } from '../../runtime/serve/http/reply.ts';
import { BINDING } from '../wire.ts';
import type { AgentCall } from './agent-call.ts';
import { bodyOf, contextOf } from './agent-call.ts';
import type { ServerPackage } from './load-server.ts';
import type { RestRoute } from './rest-route.ts';
import { streamReply } from './stream-reply.ts';

const MEDIA_TYPE = 'application/a2a+json; charset=utf-8';

/** Answers a call of HTTP+JSON. */
export const answerRest = async (call: AgentCall, route: RestRoute): Promise<Response> => {
  const { ending, loaded } = call;
  try {
    const given = await readGiven(call);
    const context = contextOf(call, BINDING.rest, given['tenant']);
    const result = await perform(call, route, given, context);
    if (Symbol.asyncIterator in result)
      return await streamReply<StreamResponse>(call, result, {
        textOf: (event) => `data: ${printableJson(loaded.types.StreamResponse.toJSON(event))}\n\n`,
        failureText: (thrown) => `event: error\ndata: ${printableJson(refusalOf(thrown, call).body)}\n\n`,
      });
    ending.release();
    return jsonReply(result.json, 200, { 'content-type': MEDIA_TYPE });
  } catch (thrown) {
    ending.release();
    const { body, status } = refusalOf(thrown, call);
    return jsonReply(body, status);
  }
};

/** The result of an operation: JSON, or a stream. */
type RestResult = { readonly json: unknown } | AsyncGenerator<StreamResponse, void, undefined>;

const perform = async (
  { operations, loaded }: AgentCall,
  { operation, id }: RestRoute,
  given: JsonObject,
  context: ServerCallContext,
): Promise<RestResult> => {
  const { types } = loaded;
  switch (operation) {
    case 'send': {
      const value = await operations.sendMessage(types.SendMessageRequest.fromJSON(given), context);
      return {
        json:
          'messageId' in value
            ? { message: types.Message.toJSON(value) }
            : { task: types.Task.toJSON(value) },
      };
    }
    case 'stream':
      return operations.sendMessageStream(types.SendMessageRequest.fromJSON(given), context);
    case 'subscribe':
      return operations.resubscribe(types.SubscribeToTaskRequest.fromJSON({ id }), context);
    case 'get': {
      const request = types.GetTaskRequest.fromJSON({ ...given, id });
      return { json: types.Task.toJSON(await operations.getTask(request, context)) };
    }
    case 'cancel': {
      const request = types.CancelTaskRequest.fromJSON({ ...given, id });
      return { json: types.Task.toJSON(await operations.cancelTask(request, context)) };
    }
    case 'list': {
      const request = types.ListTasksRequest.fromJSON(given);
      const { tasks, ...page } = await operations.listTasks(request, context);
      // The codec leaves out what is empty; artifacts that were asked for are there, though there are none.
      const asked = request.includeArtifacts === true ? { artifacts: [] } : {};
      return {
        json: { tasks: tasks.map((task) => ({ ...asked, ...Object(types.Task.toJSON(task)) })), ...page },
      };
    }
    case 'push':
      return {
        json: await operations.listTaskPushNotificationConfigs(
          { taskId: id, pageSize: 0, pageToken: '', tenant: '' },
          context,
        ),
      };
    case 'extended-card':
      return { json: await operations.getAuthenticatedExtendedAgentCard({ tenant: '' }, context) };
  }
};

/** Reads the request of an operation: a body, or parameters of the address. @throws `RequestMalformedError` */
const readGiven = async (call: AgentCall): Promise<JsonObject> => {
  const { request, loaded } = call;
  if (request.method !== 'POST') return parametersIn(request, loaded);
  const body = await bodyOf(call);
  if (isJsonObject(body)) return body;
  throw new loaded.errors.RequestMalformedError('Cannot read the body as it is not an object');
};

const parametersIn = ({ url }: Request, { errors }: ServerPackage): JsonObject => {
  const given = Object.fromEntries(new URL(url).searchParams);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, Json] => {
      const wanted = KINDS[name];
      if (wanted === undefined) return [name, value];
      if (wanted.form.test(value)) return [name, wanted.read(value)];
      throw new errors.RequestMalformedError(
        `Cannot read the address as its ${name} is not ${wanted.is}: found ${value.slice(0, 100)}`,
      );
    }),
  );
};

const WHOLE = { is: 'a whole number', form: /^\d{1,9}$/, read: Number };

/** The parameters that are no texts. */
const KINDS: Readonly<Record<string, { is: string; form: RegExp; read: (value: string) => Json }>> = {
  pageSize: WHOLE,
  historyLength: WHOLE,
  includeArtifacts: { is: 'true or false', form: /^(?:true|false)$/, read: (value) => value === 'true' },
};

/** An error as HTTP+JSON has it: a refusal of the server has its own status, an error of the protocol that of its kind. */
const refusalOf = (
  thrown: unknown,
  { loaded, toError }: AgentCall,
): { readonly body: unknown; readonly status: number } => {
  const { restStatusFor, toRestErrorBody } = loaded.errors;
  const error = toError(thrown);
  const { cause } = error;
  const refused = isTroupeError(cause, 'server.refused') ? cause.status : undefined;
  const status = refused ?? restStatusFor(error);
  return { body: toRestErrorBody(error, status), status };
};
