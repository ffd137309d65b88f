import { tryRead } from '../../base/try-read.ts';
import type { ErrorCause, ErrorData } from './error-data.ts';

/**
 * The errors behind their data, in the process that saw them thrown: data goes into journals and events, which a stack
 * does not belong in, but a rejection shows whose line threw. Nothing is read of an error until somebody rejects with it.
 */
const thrownBy = new WeakMap<ErrorData | ErrorCause, Error>();

/** Notes the error that `data` was made of. Returns the data. */
export const noteThrown = <Data extends ErrorData | ErrorCause>(data: Data, thrown: unknown): Data => {
  if (isError(thrown)) thrownBy.set(data, thrown);
  return data;
};

/** Checks a thrown value, which may be a Proxy that throws when it is looked at. */
const isError = (thrown: unknown): thrown is Error => tryRead(() => thrown instanceof Error, false);

/** Passes what is known of the error behind `from`, and behind its causes, on to a copy of it. */
export const passThrown = <Data extends ErrorData | ErrorCause>(from: Data, to: Data): Data => {
  const thrown = thrownBy.get(from);
  if (thrown !== undefined) thrownBy.set(to, thrown);
  if (from.cause !== undefined && to.cause !== undefined && from.cause !== to.cause)
    passThrown(from.cause, to.cause);
  return to;
};

/**
 * Gives an error that is made of `data`, and its causes, the frames of those that were thrown, below the messages of the data, from which
 * secrets are gone.
 */
export const withFrames = <Made extends Error>(error: Made, data: ErrorData | ErrorCause): Made => {
  const thrown = thrownBy.get(data);
  if (thrown !== undefined) error.stack = [`${error.name}: ${data.message}`, ...framesOf(thrown)].join('\n');
  if (error.cause instanceof Error && data.cause !== undefined) withFrames(error.cause, data.cause);
  return error;
};

/** A line of a stack: of V8, or of the other engines. */
const FRAME = /^(?:\s+at .+|[^\s@]*@.+:\d+:\d+)$/;

/** The frames alone: a message may be of many lines, and hold secrets. */
const framesOf = (thrown: Error): readonly string[] =>
  tryRead(() => {
    const { stack = '', message } = thrown;
    const after = message === '' ? -1 : stack.indexOf(message);
    const lines = stack.slice(after < 0 ? 0 : after + message.length).split('\n');
    return lines.slice(lines.findLastIndex((line) => !FRAME.test(line)) + 1);
  }, []);
