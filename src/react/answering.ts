import type { ErrorData } from '../contracts/errors/error-data.ts';
import { errorData, TroupeError } from '../contracts/errors/error.ts';

/** An answer to a request: of what kind, and to which; a reply without an id is to the oldest question. */
export interface Answering {
  readonly type: 'approve' | 'deny' | 'answer' | 'reply';
  readonly id?: unknown;
}

/** The part of a request by which an answer finds it. */
export interface Asked {
  readonly id: string;
  readonly kind: string;
}

/** Checks whether an answer is to a request: a reply to a question, any other to a call. */
export const isAbout = (answer: Answering, { id, kind }: Asked): boolean =>
  answer.id === id && (kind === 'question') === (answer.type === 'reply');

/** The reason why a request cannot be answered. */
export const refusalOf = ({ type, id }: Answering, isOpen: boolean): ErrorData => {
  const message = isOpen
    ? `Cannot ${type} the request '${String(id)}' as what was given does not fit it`
    : `Cannot ${type} as ${id === undefined ? 'no question is open' : `no such request is open: ${JSON.stringify(id) ?? typeof id}`}`;
  const code = isOpen ? 'tool.input-invalid' : 'request.unknown';
  return errorData(new TroupeError(code, message), code);
};

/** The reason why a run that is under way is not sent what is no text. */
export const noTextFor = (name: string): ErrorData => {
  const message = `Cannot send '${name}' what is no text while its run is under way`;
  return errorData(new TroupeError('message.invalid', message), 'message.invalid');
};
