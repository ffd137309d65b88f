import { canonical } from '../../base/json/canonical.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import type { PersonAnswer } from './request-book.ts';

/** Parses a person's answer to a call: anything but a plain yes is a no. */
export const parseApproval = (said: unknown): Approval =>
  typeof said === 'string' ? { isApproved: false, reason: said } : { isApproved: said === true };

/** The reason why an answer does not fit a request; undefined if it does. */
export const misfitOf = ({ kind }: OpenRequest, said: PersonAnswer): string | undefined => {
  if (kind === 'question')
    return 'text' in said ? undefined : 'it is a question: it takes a text, not yes or no';
  if (!('isApproved' in said)) return 'it takes yes or no, not a text';
  return kind === 'ambiguous' && said.input !== undefined
    ? 'the call may have been done as it is: its arguments cannot be changed'
    : undefined;
};

/** The event that records an answer. */
export const saidEvent = (request: OpenRequest, said: PersonAnswer): EventBody => {
  const { id } = request;
  if (request.kind === 'question')
    return { type: 'person.answered', id, text: 'text' in said ? said.text : '' };
  const { callId, tool } = request;
  const { isApproved, reason, input } = 'isApproved' in said ? said : { isApproved: false };
  if (isApproved) {
    const edited = input === undefined ? {} : { input, hash: sha256(canonical(input)) };
    return { type: 'tool.approved', callId, tool, id, ...edited };
  }
  return { type: 'tool.denied', callId, tool, id, ...(reason === undefined ? {} : { reason }) };
};
