import { canonical } from '../../base/json/canonical.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import {
  needsNames,
  refusalOfApproval,
  unmetTerms,
  withApprover,
} from '../../contracts/people/approval-terms.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Approval } from '../../machines/tool-call/tool-call-context.ts';
import type { PersonAnswer } from './request-book.ts';

/** Parses a person's answer to a call: anything but a plain yes is a no. */
export const parseApproval = (said: unknown, by?: Approver): Approval => ({
  ...(typeof said === 'string' ? { isApproved: false, reason: said } : { isApproved: said === true }),
  ...(by === undefined ? {} : { by }),
});

/** The reason why an answer does not fit a request; undefined if it does. */
export const misfitOf = (request: OpenRequest, said: PersonAnswer): string | undefined => {
  if (request.kind === 'question')
    return 'text' in said ? undefined : 'it is a question: it takes a text, not yes or no';
  if (!('isApproved' in said)) return 'it takes yes or no, not a text';
  if (said.input === undefined) return undefined;
  if (request.kind === 'ambiguous')
    return 'the call may have been done as it is: its arguments cannot be changed';
  return (request.approvals ?? 1) > 1 || (request.also !== undefined && needsNames(request))
    ? 'several people approve it as it is: its arguments cannot be changed'
    : undefined;
};

/** The reason why the person who answers may not approve the call; undefined if they may. Anybody may deny. */
export const forbiddenTo = (request: OpenRequest, said: PersonAnswer): string | undefined =>
  request.kind === 'question' || !('isApproved' in said) || !said.isApproved
    ? undefined
    : refusalOfApproval(request, request.approvedBy ?? [], said.by);

/** The person whose approval is one of several that a call still waits for; undefined if the answer decides. */
export const oneOfSeveral = (request: OpenRequest, said: PersonAnswer): Approver | undefined => {
  if (request.kind === 'question' || !('isApproved' in said) || !said.isApproved) return undefined;
  if (said.by === undefined || !needsNames(request)) return undefined;
  return unmetTerms(request, withApprover(request.approvedBy ?? [], said.by)).length > 0
    ? said.by
    : undefined;
};

/** The number of answers that a request still takes. */
export const answersWanted = (request: OpenRequest): number =>
  request.kind === 'question'
    ? 1
    : unmetTerms(request, []).reduce((sum, { approvals = 1 }) => sum + approvals, 0) -
      (request.approvedBy ?? []).length;

/** The event that records an answer. */
export const saidEvent = (request: OpenRequest, said: PersonAnswer): EventBody => {
  const { id } = request;
  if (request.kind === 'question')
    return { type: 'person.answered', id, text: 'text' in said ? said.text : '' };
  const { callId, tool } = request;
  const { isApproved, reason, input, by } = 'isApproved' in said ? said : { isApproved: false };
  const who = by === undefined ? {} : { by };
  if (isApproved) {
    const edited = input === undefined ? {} : { input, hash: sha256(canonical(input)) };
    return { type: 'tool.approved', callId, tool, id, ...edited, ...who };
  }
  return { type: 'tool.denied', callId, tool, id, ...(reason === undefined ? {} : { reason }), ...who };
};
