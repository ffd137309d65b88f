import * as z from 'zod';
import { fromBase64, toBase64 } from '../../base/bytes.ts';
import {
  aFunction,
  aSecret,
  aText,
  byName,
  fulfilling,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Environment, EnvironmentScope } from '../../contracts/environments/environment.ts';
import type {
  EnvironmentOps,
  FileOps,
  HttpOps,
  ProcessOps,
} from '../../contracts/environments/operations.ts';
import type { EnvironmentStep } from '../../contracts/environments/environment-step.ts';
import { toJson } from '../../base/json/json.ts';
import type { RemoteCall } from './remote-call.ts';
import { remoteCaller } from './remote-call.ts';
import { remoteValues } from './remote-values.ts';
import { SharedUse } from './shared-use.ts';

/** Address and options of a remote environment. */
export interface RemoteEnvironmentOptions {
  /** Default `remote`. */
  readonly name?: string | undefined;
  /** Every method is a POST to `<url>/<method>`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default and maximum time limit of a command, and that of every other request, in ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the setup, in ms, in which the server may have to start a machine. Default 180,000. */
  readonly setupMs?: number | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const isAddress = (given: unknown): boolean =>
  typeof given === 'string' && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);

const check = optionsCheck<RemoteEnvironmentOptions>(
  { code: 'agent.invalid', owner: 'a remote environment' },
  () => ({
    name: optional(aText(1)),
    url: fulfilling(isAddress, 'not an address of http or https'),
    headers: optional(byName(aSecret())),
    timeoutMs: optional(wholeNumber(1)),
    setupMs: optional(wholeNumber(1)),
    fetch: optional(aFunction()),
  }),
);

/** Time that the server may take beyond that of a command, for its answer, in ms. */
const GRACE_MS = 10_000;

/**
 * A remote environment, reached by JSON over HTTP; `serveEnvironment` is the server side.
 *
 * It declares its operations at `setup`. The server is not trusted: its answers are bounded, in time, too, and checked before
 * use, redirects are refused. Time limits of commands are the server's to keep, and a request that is cancelled is broken off.
 *
 * Agents that are given the same environment share one session while their runs overlap: give a function for one each.
 *
 * @example
 * agent({
 *   name: 'builder',
 *   environment: () => remoteEnvironment({ url: 'https://box.example/env', headers: { authorization: `Bearer ${token}` } }),
 *   tools: [fileTools()],
 * });
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit.
 */
export const remoteEnvironment = (options: RemoteEnvironmentOptions): Environment => {
  const { name = 'remote', timeoutMs = 60_000, setupMs = 180_000 } = check(options);
  const ask = remoteCaller({ ...options, name });
  const begin = async ({ runId, path, task }: EnvironmentScope, signal: AbortSignal) => {
    const params = { runId, path, task: toJson(task ?? null) };
    return ask('setup', params, remoteValues.setup, { signal, timeoutMs: setupMs });
  };
  const shared = new SharedUse<z.infer<typeof remoteValues.setup>>(
    `the environment '${name}'`,
    async ({ session }) => {
      await ask('teardown', { session }, z.unknown(), { timeoutMs: setupMs });
    },
  );
  const call: RemoteCall = (method, params, schema, limits = {}) =>
    ask(method, { ...params, session: shared.current().session }, schema, { timeoutMs, ...limits });
  let ops: EnvironmentOps = {};
  return {
    name,
    spec: { type: 'remote', url: options.url },
    get ops() {
      return ops;
    },
    setup: async (scope) => {
      await shared.enter((signal) => begin(scope, signal), scope.signal);
      const { groups, commands } = shared.current();
      ops = {
        ...(groups.includes('files') ? { files: remoteFiles(call) } : {}),
        ...(groups.includes('processes') ? { processes: remoteProcesses(call, commands, timeoutMs) } : {}),
        ...(groups.includes('http') ? { http: remoteHttp(call) } : {}),
      };
    },
    healthCheck: () => call('healthCheck', {}, remoteValues.health),
    reset: async (task) => (await call('reset', { task: toJson(task ?? null) }, z.json())) ?? undefined,
    observe: async () => (await call('observe', {}, z.json())) ?? undefined,
    step: (action): Promise<EnvironmentStep> => call('step', { action: toJson(action) }, remoteValues.step),
    isTerminal: () => call('isTerminal', {}, remoteValues.terminal),
    close: async () => {
      if (shared.isStarted) await call('close', {}, z.unknown());
    },
    teardown: () => shared.leave(),
  };
};

const remoteFiles = (call: RemoteCall): FileOps => ({
  read: (path, { maxBytes } = {}) => call('files.read', { path, maxBytes }, remoteValues.text),
  write: (path, text) => call('files.write', { path, text }, remoteValues.written),
  list: (path) => call('files.list', { path }, remoteValues.entries),
  stat: async (path) => (await call('files.stat', { path }, remoteValues.facts)) ?? undefined,
  remove: (path) => call('files.remove', { path }, z.boolean()),
});

const remoteProcesses = (
  call: RemoteCall,
  commands: readonly string[] | undefined,
  most: number,
): ProcessOps => ({
  commands,
  run: (command, args, { cwd, input, timeoutMs: wanted = most, signal } = {}) => {
    const timeoutMs = Math.min(wanted, most);
    const params = { command, args, cwd, input, timeoutMs };
    return call('processes.run', params, remoteValues.process, { signal, timeoutMs: timeoutMs + GRACE_MS });
  },
});

const remoteHttp = (call: RemoteCall): HttpOps => ({
  request: async ({ signal, url, method, headers, body }) => {
    const sent = body instanceof Uint8Array ? { base64: toBase64(body) } : body;
    const params = { url, method, headers, body: sent };
    const { bytes, ...response } = await call('http.request', params, remoteValues.response, { signal });
    return bytes === undefined ? response : { ...response, bytes: fromBase64(bytes) };
  },
});
