import type { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Json } from '../../base/json/json.ts';
import { readJson } from '../../runtime/serve/http/read-json.ts';
import type { Caller } from '../../runtime/serve/serve-options.ts';
import type { Serving } from '../../runtime/serve/serving.ts';
import type { BINDING } from '../wire.ts';
import { VERSION_HEADER } from '../wire.ts';
import type { Ending } from './end-with.ts';
import type { ServerPackage } from './load-server.ts';

/** A call of an agent, by whatever binding it comes. */
export interface AgentCall {
  readonly request: Request;
  readonly caller: Caller;
  readonly serving: Serving;
  readonly loaded: ServerPackage;
  readonly card: AgentCard;
  readonly operations: A2ARequestHandler;
  readonly ending: Ending;
  /** Converts what was thrown to an error of the protocol; a failure of the server is reported to its operator. */
  readonly toError: (thrown: unknown) => Error;
}

/** Reads the body of a call. @throws {TroupeError} `server.refused` */
export const bodyOf = ({ request, serving: { limits, clock } }: AgentCall): Promise<Json> =>
  readJson(request, { bodyBytes: limits.bodyBytes, bodyMs: limits.bodyMs, clock });

/**
 * The context of a call whose version is spoken by its binding. The tenant follows from who calls, never from what a client says.
 *
 * @throws `VersionNotSupportedError`, `RequestMalformedError`
 */
export const contextOf = (
  { request, caller, card, loaded }: AgentCall,
  binding: (typeof BINDING)[keyof typeof BINDING],
  tenant: unknown,
): ServerCallContext => {
  const requestedVersion = request.headers.get(VERSION_HEADER) ?? undefined;
  const context = new loaded.ServerCallContext(requestedVersion === undefined ? {} : { requestedVersion });
  loaded.validateVersion(context.requestedVersion, card, binding);
  if (tenant === undefined || tenant === '' || tenant === caller.tenant) return context;
  throw new loaded.errors.RequestMalformedError('Cannot answer for that tenant as the caller is not of it');
};
