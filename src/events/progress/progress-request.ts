import { requestOf } from '../../contracts/people/announced-request.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';

/** The outcome of a request to a person. */
export type RequestProgress =
  | { readonly state: 'open' }
  /** Approved; with `input`, for these arguments. */
  | { readonly state: 'approved'; readonly input?: Json | undefined }
  | { readonly state: 'denied'; readonly reason?: string | undefined }
  | { readonly state: 'answered'; readonly text: string }
  /** No longer awaited. */
  | { readonly state: 'withdrawn'; readonly reason: string };

/** A request to a person, and its outcome. */
export type ProgressRequest = OpenRequest & { readonly outcome: RequestProgress };

/** Applies an event to the requests of a run, oldest first; the same array if nothing changes. */
export const foldRequests = (
  requests: readonly ProgressRequest[],
  event: LiveEvent,
): readonly ProgressRequest[] => {
  switch (event.type) {
    case 'tool.approval-requested':
    case 'tool.ambiguous':
    case 'person.asked': {
      if (requests.some(({ id }) => id === event.id)) return requests;
      const { at: askedAt, path, agent, step } = event;
      return [...requests, { ...requestOf(event, { askedAt, path, agent, step }), outcome: OPEN }];
    }
    case 'tool.approval-given':
      return requests.map((request) =>
        request.id === event.id && request.kind !== 'question'
          ? { ...request, approvedBy: [...(request.approvedBy ?? []), event.by] }
          : request,
      );
    case 'tool.approved':
      return settleRequests(requests, event, { state: 'approved', input: event.input });
    case 'tool.denied':
      return settleRequests(requests, event, { state: 'denied', reason: event.reason });
    case 'person.answered':
      return settleRequests(requests, event, { state: 'answered', text: event.text });
    case 'request.withdrawn':
      return settleRequests(requests, event, { state: 'withdrawn', reason: event.reason });
    case 'run.ended':
      return settleRequests(requests, undefined, {
        state: 'withdrawn',
        reason: `the run has ${event.status}`,
      });
    default:
      return requests;
  }
};

const OPEN: RequestProgress = { state: 'open' };

/** Checks whether a request still waits. */
export const isOpen = ({ outcome }: ProgressRequest): boolean => outcome.state === 'open';

/** Settles the open request that an event is about; without one, all of them. */
const settleRequests = (
  requests: readonly ProgressRequest[],
  about: { readonly id?: string | undefined } | undefined,
  outcome: RequestProgress,
): readonly ProgressRequest[] => {
  const isSettled = (request: ProgressRequest): boolean =>
    isOpen(request) && (about === undefined || request.id === about.id);
  if (!requests.some(isSettled)) return requests;
  return requests.map((request) =>
    isSettled(request) ? { ...request, outcome: withoutUndefined(outcome) } : request,
  );
};
