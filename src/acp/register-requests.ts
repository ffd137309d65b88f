import type * as sdk from '@agentclientprotocol/sdk';
import type { JsonObject } from '../base/json/json.ts';
import { messageOf } from '../contracts/errors/error.ts';
import { pathBelow } from './path-below.ts';
import { chooseAllowing, chooseRejecting, kindOf, permissionInput } from './permission.ts';
import type { Terminals } from './terminals.ts';

/** The calls that handlers of requests need of their session. */
export interface AskedSession {
  readonly cwd: string;
  readonly terminals: Terminals;
  update(sessionId: string, update: sdk.SessionUpdate): void;
  /** Hands a request on as a call; resolves with its response, or with `refused`. */
  demand<Response>(
    tool: string,
    input: JsonObject,
    signal: AbortSignal,
    refused?: Response,
  ): Promise<Response>;
}

/** Registers what is done with notifications and requests of a coding agent: whatever may need a judgement is handed on as a call. */
export const registerRequests = (
  app: sdk.ClientApp,
  { RequestError }: typeof sdk,
  session: AskedSession,
): sdk.ClientApp => {
  const { cwd: folder, terminals } = session;
  const below = (path: string): string => pathBelow(folder, path);
  const failed = (thrown: unknown): never => {
    throw RequestError.internalError(undefined, messageOf(thrown));
  };
  return app
    .onNotification('session/update', ({ params: { sessionId, update } }) => {
      session.update(sessionId, update);
    })
    .onRequest('session/request_permission', async ({ params, signal }) => {
      const { options, toolCall } = params;
      const input = permissionInput(params, below);
      const given: unknown = await session.demand<unknown>(`may_${kindOf(toolCall)}`, input, signal, REFUSED);
      if (given === REFUSED) return chooseRejecting(options);
      return chooseAllowing(options, typeof given === 'string' ? given : undefined);
    })
    .onRequest('fs/read_text_file', ({ params: { path, line, limit }, signal }) =>
      session
        .demand<sdk.ReadTextFileResponse>(
          'read',
          { path: below(path), ...numbersIn({ line, limit }) },
          signal,
        )
        .catch(failed),
    )
    .onRequest('fs/write_text_file', ({ params: { path, content }, signal }) =>
      session
        .demand<sdk.WriteTextFileResponse>('write', { path: below(path), text: content }, signal)
        .catch(failed),
    )
    .onRequest('terminal/create', ({ params, signal }) =>
      session.demand<sdk.CreateTerminalResponse>('run', commandIn(params, below), signal).catch(failed),
    )
    .onRequest('terminal/output', ({ params }) => terminals.output(params.terminalId))
    .onRequest('terminal/wait_for_exit', ({ params }) => terminals.exit(params.terminalId).catch(failed))
    .onRequest('terminal/kill', ({ params }) => terminals.kill(params.terminalId).catch(failed))
    .onRequest('terminal/release', ({ params }) => terminals.release(params.terminalId).catch(failed));
};

/** Stands for a refusal, which each request for permission has its own option for. */
const REFUSED = Symbol('refused');

const commandIn = (
  { command, args = [], cwd, env = [], outputByteLimit }: sdk.CreateTerminalRequest,
  below: (path: string) => string,
): JsonObject => ({
  command,
  args,
  cwd: typeof cwd === 'string' ? below(cwd) : '.',
  ...(env.length === 0 ? {} : { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }),
  ...numbersIn({ outputByteLimit }),
});

/** The numbers among optional fields. */
const numbersIn = (
  given: Readonly<Record<string, number | null | undefined>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  );
