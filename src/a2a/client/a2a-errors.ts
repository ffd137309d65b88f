import { oneLine } from '../../base/text/printable.ts';
import type { ErrorCode, Retryable } from '../../contracts/errors/error-data.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';

/** Characters that are quoted of what another party says. */
const QUOTED = 500;

interface Kind {
  readonly code: ErrorCode;
  readonly retryable: Retryable;
  readonly reason: string;
}

const REFUSED: Kind = { code: 'message.refused', retryable: 'no', reason: 'it refuses' };
const UNKNOWN_TASK: Kind = { code: 'tool.failed', retryable: 'no', reason: 'it does not know the task' };
const FAILED: Kind = { code: 'tool.failed', retryable: 'maybe', reason: 'it failed' };
const LOST: Kind = { code: 'message.undelivered', retryable: 'yes', reason: 'it cannot be reached' };
const INVALID: Kind = {
  code: 'message.invalid',
  retryable: 'no',
  reason: 'what it sent does not follow the protocol',
};

/** Names of the protocol's errors. */
const KINDS: Readonly<Record<string, Kind>> = {
  TaskNotFoundError: UNKNOWN_TASK,
  TaskNotCancelableError: REFUSED,
  UnsupportedOperationError: REFUSED,
  ContentTypeNotSupportedError: REFUSED,
  RequestMalformedError: REFUSED,
  ExtensionSupportRequiredError: REFUSED,
  VersionNotSupportedError: { ...REFUSED, reason: 'it does not speak this version of the protocol' },
  InvalidAgentResponseError: INVALID,
  A2AError: FAILED,
};

/**
 * Converts what was thrown on the way to another agent to an error of troupe; one of troupe's own is returned unchanged.
 *
 * @param doing The end of "Cannot …": `send the task to 'researcher'`.
 */
export const remoteError = (thrown: unknown, doing: string): TroupeError => {
  const own = firstCause(thrown, (each) => isTroupeError(each));
  if (own !== undefined) return own;
  const { code, retryable, reason } = kindOf(thrown);
  return new TroupeError(code, `Cannot ${doing} as ${reason}: ${oneLine(wordsOf(thrown), QUOTED)}`, {
    retryable,
    cause: thrown,
  });
};

/** True for an error that says that the other party has no such operation. */
export const isUnsupported = (thrown: unknown): boolean => {
  const named = firstCause(thrown, isError);
  if (named === undefined) return false;
  const code: unknown = 'envelopeCode' in named ? named.envelopeCode : undefined;
  return named.name.endsWith('UnsupportedOperationError') || code === METHOD_NOT_FOUND;
};

/** True for an error that says that the other party does not know a task. */
export const isUnknownTask = (thrown: unknown): boolean =>
  firstCause(thrown, (each): each is Error => isError(each) && nameOf(each) === 'TaskNotFoundError') !==
  undefined;

/** Of JSON-RPC 2.0, "Error object". */
const METHOD_NOT_FOUND = -32_601;

const kindOf = (thrown: unknown): Kind => {
  for (const error of causesOf(thrown)) {
    const known = isError(error) ? KINDS[nameOf(error)] : undefined;
    if (known !== undefined) return known;
    // What `fetch` rejects with; of a stream that broke off, `terminated`.
    if (error instanceof TypeError || (isError(error) && 'code' in error && NETWORK.test(String(error.code))))
      return LOST;
  }
  return INVALID;
};

const NETWORK = /^(?:E[A-Z]+|UND_ERR_\w+)$/;

/** Its name, without the transport that the package adds in front. */
const nameOf = ({ name }: Error): string =>
  name.replace(/^(?:JsonRpc|Rest)/, '').replace('TransportError', 'A2AError');

/** A failed request says little; its last cause says why. */
const wordsOf = (thrown: unknown): string => {
  const words = causesOf(thrown).filter(isError).map(messageOf);
  const [first = messageOf(thrown)] = words;
  const last = words.at(-1);
  return last === undefined || last === '' || first.includes(last) ? first : `${first}: ${last}`;
};

const MAX_CAUSES = 5;

const causesOf = (thrown: unknown): readonly unknown[] => {
  const causes: unknown[] = [];
  for (
    let error = thrown;
    error !== undefined && causes.length < MAX_CAUSES;
    error = isError(error) ? error.cause : undefined
  )
    causes.push(error);
  return causes;
};

const firstCause = <Found>(thrown: unknown, isOne: (each: unknown) => each is Found): Found | undefined =>
  causesOf(thrown).find(isOne);

const isError = (value: unknown): value is Error => value instanceof Error;
