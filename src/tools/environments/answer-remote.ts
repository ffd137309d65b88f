import * as z from 'zod';
import type { Environment, EnvironmentAction } from '../../contracts/environments/environment.ts';
import type { OpsHolder } from '../../contracts/environments/operations.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { taskSchema } from '../../contracts/tasks/task.ts';
import { opsOf, groupsOf } from './requiring.ts';
import { remoteRequests } from './remote-values.ts';

/**
 * The server side of a remote environment: answers one request, as JSON. Never rejects.
 *
 * Independent of HTTP: the server passes the last part of the URL and the body, and sends back the result.
 *
 * @example
 * http.createServer(async (request, response) => {
 *   const answer = await answerRemote(environment, request.url?.split('/').at(-1) ?? '', await json(request));
 *   response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
 * });
 */
export const answerRemote = async (
  environment: Environment,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<Json> => {
  try {
    const value = await answerMethod(environment, method, params, signal);
    return { ok: true, ...(value === undefined ? {} : { value: toJson(value) }) };
  } catch (thrown) {
    const { code, message } = errorData(thrown, 'tool.failed');
    return { ok: false, error: { code, message } };
  }
};

const taskOf = (params: unknown) =>
  z.nullish(taskSchema).parse(isJsonObject(params) ? params['task'] : undefined) ?? undefined;

const answerMethod = async (
  environment: Environment,
  method: string,
  params: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> => {
  const holder: OpsHolder = { ops: environment.ops };
  switch (method) {
    case 'setup': {
      const { runId, path } = z.object({ runId: z.string(), path: z.string() }).parse(params);
      const task = taskOf(params);
      await environment.setup?.({ runId, path, task, signal });
      return { groups: groupsOf(environment.ops) };
    }
    case 'healthCheck':
      return (await environment.healthCheck?.()) ?? { ok: true };
    case 'reset':
      return environment.reset?.(taskOf(params));
    case 'observe':
      return environment.observe?.();
    case 'step':
      return (await environment.step?.(actionOf(params))) ?? {};
    case 'isTerminal':
      return (await environment.isTerminal?.()) ?? false;
    case 'close':
      return environment.close?.();
    case 'teardown':
      return environment.teardown?.();
    case 'files.read': {
      const { path, maxBytes } = remoteRequests.read.parse(params);
      return opsOf(holder, 'files').read(path, { maxBytes });
    }
    case 'files.write': {
      const { path, text } = remoteRequests.write.parse(params);
      return opsOf(holder, 'files').write(path, text);
    }
    case 'files.list':
      return opsOf(holder, 'files').list(remoteRequests.path.parse(params).path);
    case 'files.stat':
      return opsOf(holder, 'files').stat(remoteRequests.path.parse(params).path);
    case 'files.remove':
      return opsOf(holder, 'files').remove(remoteRequests.path.parse(params).path);
    case 'processes.run': {
      const { command, args, ...rest } = remoteRequests.run.parse(params);
      return opsOf(holder, 'processes').run(command, args, { ...rest, signal });
    }
    case 'http.request':
      return opsOf(holder, 'http').request({ ...remoteRequests.http.parse(params), signal });
    default:
      throw new TypeError(`Cannot answer '${method.slice(0, 100)}' as there is no such method`);
  }
};

/** Parses an action from the wire: its outer shape is validated, its content is up to the environment. */
const actionOf = (params: unknown): EnvironmentAction => {
  const isResult = (value: unknown): value is EnvironmentAction['result'] =>
    isJsonObject(value) && typeof value['ok'] === 'boolean' && typeof value['text'] === 'string';
  const { action } = z
    .object({
      action: z.object({
        callId: z.string(),
        tool: z.string(),
        input: z.json(),
        result: z.custom<EnvironmentAction['result']>(isResult),
      }),
    })
    .parse(params);
  return action;
};
