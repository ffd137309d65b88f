import type * as sdk from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';

/** The package of servers. */
export type ServerPackage = typeof sdk;

/** The extension by which a call of the newer protocol becomes a task. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** The form by which a client answers a question. */
export const ANSWER = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
} satisfies Parameters<ServerPackage['inputRequired']['elicit']>[0]['requestedSchema'];

/** Checks whether a request is of the newer protocol. */
export const isModern = ({ mcpReq: { envelope } }: ServerContext): boolean => envelope !== undefined;

/** The capabilities that a client of the newer protocol declares with its request. */
const capabilitiesOf = ({ mcpReq: { envelope } }: ServerContext, loaded: ServerPackage): JsonObject => {
  const declared =
    envelope === undefined ? {} : toJson(Reflect.get(envelope, loaded.CLIENT_CAPABILITIES_META_KEY));
  return isJsonObject(declared) ? declared : {};
};

/** Checks whether a client of the newer protocol can answer questions. */
export const canAsk = (context: ServerContext, loaded: ServerPackage): boolean =>
  capabilitiesOf(context, loaded)['elicitation'] !== undefined;

/** Checks whether a client of the newer protocol takes tasks for answers. */
export const takesTasks = (context: ServerContext, loaded: ServerPackage): boolean => {
  const { extensions } = capabilitiesOf(context, loaded);
  return isJsonObject(extensions) && extensions[TASKS] !== undefined;
};

export const tasksNotTaken = (loaded: ServerPackage): Error =>
  new loaded.MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });

/** The text of an answer to a question; undefined if the client refused. */
export const answerIn = (said: unknown): string | undefined => {
  const plain = toJson(said);
  if (!isJsonObject(plain) || plain['action'] !== 'accept' || !isJsonObject(plain['content']))
    return undefined;
  const { answer } = plain['content'];
  return typeof answer === 'string' ? answer : undefined;
};
