import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Marks the error of a request whose stream ended; by its identity, which no server can send. */
const STREAM_ENDED = Object.freeze({ reason: 'stream ended' });

/** For errors of the transport's own, in JSON-RPC. */
const CONNECTION_CLOSED = -32_000;

/**
 * Fails each request whose stream ends for good before its answer: the client's package reports the end of the stream, and would wait for
 * the answer all the same.
 */
export const failLostAnswers = (transport: StreamableHTTPClientTransport): void => {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        // One that was answered is unknown by now, and the error ignored.
        for (const id of requestIds(message)) transport.onmessage?.(lostAnswer(id));
      },
    });
};

/** Checks whether an error is that of a request whose stream ended. */
export const isLostAnswer = (thrown: unknown): boolean =>
  thrown instanceof Error && 'data' in thrown && thrown.data === STREAM_ENDED;

const requestIds = (message: JSONRPCMessage | readonly JSONRPCMessage[]): readonly (string | number)[] =>
  [message].flat().flatMap((each) => ('method' in each && 'id' in each ? [each.id] : []));

const lostAnswer = (id: string | number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: CONNECTION_CLOSED,
    message: 'the stream of its answer ended before the answer',
    data: STREAM_ENDED,
  },
});
