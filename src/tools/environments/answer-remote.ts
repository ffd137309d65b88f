import * as z from 'zod';
import { fromBase64, toBase64 } from '../../base/bytes.ts';
import type { Environment, EnvironmentAction } from '../../contracts/environments/environment.ts';
import type { HttpOps, OpsHolder } from '../../contracts/environments/operations.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { taskSchema } from '../../contracts/tasks/task.ts';
import { opsOf, groupsOf } from './requiring.ts';
import { remoteRequests } from './remote-values.ts';

/**
 * Answers one request to an environment, as JSON. Never rejects.
 *
 * Independent of HTTP: it is given the last part of the URL and the body.
 */
export const answerRemote = async (
  environment: Environment,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<RemoteAnswer> => {
  try {
    const value = await answerMethod(environment, method, params, signal);
    return { ok: true, ...(value === undefined ? {} : { value: toJson(value) }) };
  } catch (thrown) {
    return refuseRemote(thrown);
  }
};

/** An answer as it goes over the wire. */
export type RemoteAnswer =
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** An error as it goes over the wire. */
export const refuseRemote = (thrown: unknown): RemoteAnswer => {
  const { code, message } = errorData(thrown, 'tool.failed');
  return { ok: false, error: { code, message } };
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
      return { groups: groupsOf(environment.ops), commands: environment.ops.processes?.commands };
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
      return answerHttp(opsOf(holder, 'http'), params, signal);
    default:
      throw new TypeError(`Cannot answer '${method.slice(0, 100)}' as there is no such method`);
  }
};

/** Bytes go over the wire in base64. */
const answerHttp = async (http: HttpOps, params: unknown, signal: AbortSignal | undefined) => {
  const { body, ...request } = remoteRequests.http.parse(params);
  const sent = typeof body === 'object' ? fromBase64(body.base64) : body;
  const { bytes, ...response } = await http.request({ ...request, body: sent, signal });
  return { ...response, ...(bytes === undefined ? {} : { bytes: toBase64(bytes) }) };
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
