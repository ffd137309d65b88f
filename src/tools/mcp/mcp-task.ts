import type { CallToolResult, Client, RequestOptions, Tool as McpTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';

/** The extension by which a server of 2026-07-28 answers a call by a task. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** The field of a result's `_meta` in which the client's package hands a task on. */
const HANDED_ON = 'troupe/task';

/** The field of a request's `_meta` that names the task on whose behalf a server of 2025-11-25 asks. */
const RELATED = 'io.modelcontextprotocol/related-task';

/** Longest id of a task, in characters. */
const MAX_ID = 1_024;

const taskSchema = z.looseObject({
  taskId: z.string().min(1).max(MAX_ID),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
  /** Of 2026-07-28, in ms. */
  pollIntervalMs: z.number().optional(),
  /** Of 2025-11-25, in ms. */
  pollInterval: z.number().optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  inputRequests: z.record(z.string(), z.looseObject({ method: z.string() })).optional(),
});

/** A task, as a server describes it. */
export type McpTask = z.output<typeof taskSchema>;

const anyResult = z.looseObject({});

const createdSchema = z.looseObject({ task: taskSchema.optional() });

/**
 * Rewrites an answer that is a task: the client's package takes such an answer for an invalid one, and hands on only results. Called with each
 * message before the package reads it.
 */
export const handOnTask = (message: object): void => {
  const result: unknown = 'result' in message ? message.result : undefined;
  if (typeof result !== 'object' || result === null) return;
  if (!('resultType' in result) || result.resultType !== 'task') return;
  Object.assign(message, {
    result: { resultType: 'complete', content: [], _meta: { [HANDED_ON]: result } },
  });
};

/** The answer of a server to a call. */
export type CallAnswer = { readonly result: CallToolResult } | { readonly created: McpTask };

/** Calls a tool: its result, or the task that the server makes of the call. */
export const callOrTask = async (
  client: Client,
  { definition, input, keepMs }: { definition: McpTool; input: JsonObject; keepMs: number },
  options: RequestOptions,
): Promise<CallAnswer> => {
  const { name } = definition;
  const params = { name, arguments: input };
  if (takesTasks(client, definition)) {
    // The server decides for how long it keeps the task.
    const task = Number.isFinite(keepMs) ? { ttl: keepMs } : {};
    const answer = await client.request(
      { method: 'tools/call', params: { ...params, task } },
      createdSchema,
      options,
    );
    return answer.task === undefined ? { result: await parseResult(answer) } : { created: answer.task };
  }
  const { outputSchema: _, ...toolDefinition } = definition;
  const result = await client.callTool(params, { ...options, toolDefinition });
  const handedOn = result._meta?.[HANDED_ON];
  return handedOn === undefined ? { result } : { created: parseTask(handedOn) };
};

/** Checks whether a server of 2025-11-25 takes a call as a task; one of 2026-07-28 decides itself. */
const takesTasks = (client: Client, { execution }: McpTool): boolean =>
  client.getProtocolEra() === 'legacy' &&
  client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined &&
  (execution?.taskSupport === 'optional' || execution?.taskSupport === 'required');

/** The state of a task now. */
export const getTask = (client: Client, taskId: string, options: RequestOptions): Promise<McpTask> =>
  client.request({ method: 'tasks/get', params: { taskId } }, taskSchema, options);

/** The result of a task of 2025-11-25. The request lasts until there is one; meanwhile the server asks what it needs. */
export const awaitResult = async (
  client: Client,
  taskId: string,
  options: RequestOptions,
): Promise<CallToolResult> =>
  parseResult(await client.request({ method: 'tasks/result', params: { taskId } }, anyResult, options));

/** Answers what a task of 2026-07-28 needs. */
export const updateTask = async (
  client: Client,
  taskId: string,
  inputResponses: JsonObject,
  options: RequestOptions,
): Promise<void> => {
  await client.request({ method: 'tasks/update', params: { taskId, inputResponses } }, anyResult, options);
};

/** Cancels a task. */
export const cancelTask = async (client: Client, taskId: string, options: RequestOptions): Promise<void> => {
  await client.request({ method: 'tasks/cancel', params: { taskId } }, anyResult, options);
};

/** Parses the result of a call. @throws {TroupeError} `mcp.protocol` */
export const parseResult = async (given: object): Promise<CallToolResult> => {
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const parsed = specTypeSchemas.CallToolResult['~standard'].validate(given);
  if (parsed.issues === undefined) return parsed.value;
  throw notFollowing(`its result is invalid: ${parsed.issues[0]?.message ?? 'unknown'}`);
};

const parseTask = (given: unknown): McpTask => {
  const parsed = taskSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw notFollowing(`its task is invalid: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
};

/** The error for a task that does not follow the protocol. */
export const notFollowing = (found: string): TroupeError =>
  new TroupeError('mcp.protocol', `Cannot follow a task as the server breaks the protocol: ${found}`, {
    retryable: 'no',
  });

/** The id of the task on whose behalf a server asks, if it says so. */
export const relatedTask = (params: object): string | undefined => {
  const meta: Json = toJson('_meta' in params ? params._meta : undefined);
  const related = isJsonObject(meta) ? meta[RELATED] : undefined;
  const id = isJsonObject(related) ? related['taskId'] : undefined;
  return typeof id === 'string' ? id : undefined;
};

/** Of JSON-RPC: a server answers by it that it does not know a task, or not any more; the other, that it knows no tasks. */
const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;

/** Checks whether a server said that it does not know a task. */
export const isUnknownTask = (thrown: unknown): boolean => {
  const code = answeredCode(thrown);
  return code === INVALID_PARAMS || code === METHOD_NOT_FOUND;
};

/** The code of JSON-RPC that a server answered with; undefined if it did not answer so. */
export const answeredCode = (thrown: unknown): number | undefined => {
  const cause = isTroupeError(thrown) ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : undefined;
};
