import * as z from 'zod';
import type { Environment } from '../../contracts/environments/environment.ts';
import type {
  EnvironmentOps,
  FileOps,
  HttpOps,
  ProcessOps,
} from '../../contracts/environments/operations.ts';
import type { EnvironmentStep } from '../../contracts/environments/environment-step.ts';
import { errorCodes } from '../../contracts/errors/error-data.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { remoteValues } from './remote-values.ts';

/** Address and options of a remote environment. */
export interface RemoteEnvironmentOptions {
  /** Default `remote`. */
  readonly name?: string | undefined;
  /** Every method is a POST to `<url>/<method>`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Larger answers are refused, in characters. */
const MAX_ANSWER = 10_000_000;

const replySchema = z.union([
  z.object({ ok: z.literal(true), value: z.json().optional() }),
  z.object({
    ok: z.literal(false),
    error: z.object({ code: z.enum(errorCodes).catch('tool.failed'), message: z.string() }),
  }),
]);

/**
 * A remote environment, reached by JSON over HTTP; `answerRemote` is the server side.
 *
 * It declares its operations at `setup`. Every response is validated before use.
 *
 * @example
 * agent({ name: 'builder', environment: remoteEnvironment({ url: 'https://box.example/env' }), tools: [fileTools()] });
 */
export const remoteEnvironment = (options: RemoteEnvironmentOptions): Environment => {
  const name = options.name ?? 'remote';
  const call = caller(options, name);
  let ops: EnvironmentOps = {};
  return {
    name,
    spec: { type: 'remote', url: options.url },
    get ops() {
      return ops;
    },
    setup: async ({ runId, path, task, signal }) => {
      const params = { runId, path, task: toJson(task ?? null) };
      const { groups } = remoteValues.setup.parse(await call('setup', params, signal));
      ops = {
        ...(groups.includes('files') ? { files: remoteFiles(call) } : {}),
        ...(groups.includes('processes') ? { processes: remoteProcesses(call) } : {}),
        ...(groups.includes('http') ? { http: remoteHttp(call) } : {}),
      };
    },
    healthCheck: async () => remoteValues.health.parse(await call('healthCheck', {})),
    reset: async (task) => (await call('reset', { task: toJson(task ?? null) })) ?? undefined,
    observe: async () => (await call('observe', {})) ?? undefined,
    step: async (action): Promise<EnvironmentStep> =>
      remoteValues.step.parse(await call('step', { action: toJson(action) })),
    isTerminal: async () => remoteValues.terminal.parse(await call('isTerminal', {})),
    close: async () => {
      await call('close', {});
    },
    teardown: async () => {
      await call('teardown', {});
    },
  };
};

type Call = (
  method: string,
  params: { readonly [key: string]: Json | undefined },
  signal?: AbortSignal,
) => Promise<Json>;

const caller = (options: RemoteEnvironmentOptions, name: string): Call => {
  const { url, headers, timeoutMs = 60_000, fetch = globalThis.fetch } = options;
  return async (method, params, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${url.replace(/\/$/, '')}/${method}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(params),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      // The headers are meant for this server alone.
      redirect: 'error',
    });
    const text = await response.text();
    const parsed = text.length > MAX_ANSWER ? undefined : replySchema.safeParse(readJson(text));
    if (parsed?.success !== true)
      throw new TroupeError(
        'tool.failed',
        `Cannot use the response of the environment '${name}' to '${method}' as it is invalid: status ${response.status}, ${text.length} characters`,
        { status: response.status },
      );
    if (!parsed.data.ok) throw new TroupeError(parsed.data.error.code, parsed.data.error.message);
    return parsed.data.value ?? null;
  };
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    return messageOf(thrown);
  }
};

const remoteFiles = (call: Call): FileOps => ({
  read: async (path, { maxBytes } = {}) =>
    remoteValues.text.parse(await call('files.read', { path, maxBytes })),
  write: async (path, text) => remoteValues.written.parse(await call('files.write', { path, text })),
  list: async (path) => remoteValues.entries.parse(await call('files.list', { path })),
  stat: async (path) => remoteValues.facts.parse(await call('files.stat', { path })) ?? undefined,
  remove: async (path) => z.boolean().parse(await call('files.remove', { path })),
});

const remoteProcesses = (call: Call): ProcessOps => ({
  commands: undefined,
  run: async (command, args, { cwd, input, timeoutMs, signal } = {}) =>
    remoteValues.process.parse(await call('processes.run', { command, args, cwd, input, timeoutMs }, signal)),
});

const remoteHttp = (call: Call): HttpOps => ({
  request: async ({ signal, url, method, headers, body }) => {
    if (body !== undefined && typeof body !== 'string')
      throw new TroupeError(
        'tool.failed',
        `Cannot send ${body.byteLength} bytes as the HTTP of a remote environment takes texts only`,
        { retryable: 'no' },
      );
    return remoteValues.response.parse(await call('http.request', { url, method, headers, body }, signal));
  },
});
