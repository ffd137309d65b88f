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
const isError = (thrown: unknown): thrown is Error => {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
};

/** Checks whether the error that `data` was made of is known. */
export const hasThrown = (data: ErrorData | ErrorCause): boolean => thrownBy.has(data);

/** Passes what is known of the error behind `from`, and behind its causes, on to a copy of it. */
export const passThrown = <Data extends ErrorData | ErrorCause>(from: Data, to: Data): Data => {
  const thrown = thrownBy.get(from);
  if (thrown !== undefined) thrownBy.set(to, thrown);
  if (from.cause !== undefined && to.cause !== undefined && from.cause !== to.cause)
    passThrown(from.cause, to.cause);
  return to;
};

/**
 * The stack of an error that is made of `data`: the frames of the one that was thrown, below the message of the data,
 * from which secrets are gone. Without a thrown error it is name and message.
 */
export const stackFor = (data: ErrorData | ErrorCause, name: string): string =>
  [`${name}: ${data.message}`, ...framesOf(thrownBy.get(data))].join('\n');

/** A line of a stack: of V8, or of the other engines. */
const FRAME = /^(?:\s+at .+|[^\s@]*@.+:\d+:\d+)$/;

/** The frames alone: a message may be of many lines, and hold secrets. */
const framesOf = (thrown: Error | undefined): readonly string[] => {
  try {
    const { stack = '', message = '' } = thrown ?? {};
    const after = message === '' ? -1 : stack.indexOf(message);
    const lines = stack.slice(after < 0 ? 0 : after + message.length).split('\n');
    return lines.slice(lines.findLastIndex((line) => !FRAME.test(line)) + 1);
  } catch {
    return [];
  }
};
