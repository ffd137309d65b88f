import type { Clock } from '../../base/clock.ts';
import { printableJson } from '../../base/text/printable.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { isServerFailure, jsonReply, SAFE_HEADERS } from '../../runtime/serve/http/reply.ts';
import { sseStream } from '../../runtime/serve/streams/sse.ts';
import type { ServerPackage } from './load-server.ts';

/** An error of ours as one of the protocol; of a failure of the server's own clients receive no word. */
export const protocolError = (thrown: unknown, { errors }: ServerPackage): Error => {
  if (thrown instanceof errors.A2AError) return thrown;
  if (!isTroupeError(thrown) || isServerFailure(thrown))
    return new errors.A2AError('Cannot answer the request as the server failed');
  const { code, message } = thrown;
  switch (code) {
    case 'journal.unknown':
      return new errors.TaskNotFoundError(message);
    case 'run.ended':
    case 'engine.invalid':
      return new errors.UnsupportedOperationError(message);
    case 'content.refused':
      return new errors.ContentTypeNotSupportedError(message);
    default:
      return message.startsWith('Cannot') && FAULTS_OF_CLIENTS.test(code)
        ? new errors.RequestMalformedError(message)
        : new errors.A2AError(message);
  }
};

const FAULTS_OF_CLIENTS = /^(?:input|content|message|request|thread|task)\.|^run\.duplicate$/;

/** A response of JSON-RPC. */
export interface RpcResponse {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Sends a response, whose failures are within it. */
export const rpcReply = (response: RpcResponse): Response => jsonReply(response);

/** Responses as server-sent events. `release` is called first when the client is gone, so that what they come from ends. */
export const rpcTexts = (
  first: RpcResponse,
  rest: AsyncIterator<RpcResponse, void>,
  { onError, release }: { readonly onError: (thrown: unknown) => RpcResponse; readonly release: () => void },
): AsyncIterator<string, undefined> => {
  let isFirst = true;
  let isOver = false;
  const done = { value: undefined, done: true } as const;
  return {
    next: async () => {
      if (isOver) return done;
      try {
        const next = isFirst ? { value: first, done: false } : await rest.next();
        isFirst = false;
        if (next.done === true || next.value === undefined) return done;
        return { value: textOf(next.value), done: false };
      } catch (thrown) {
        isOver = true;
        return { value: textOf(onError(thrown)), done: false };
      }
    },
    return: async () => {
      isOver = true;
      release();
      await rest.return?.();
      return done;
    },
  };
};

const textOf = (response: RpcResponse): string => `data: ${printableJson(response)}\n\n`;

/** Streams texts of events. */
export const rpcStream = (texts: AsyncIterator<string, undefined>, clock: Clock): Response =>
  sseStream(texts, '', { clock, headers: SAFE_HEADERS });
