import { requestOf } from '../../contracts/people/announced-request.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
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
      const request = requestOf(event, { askedAt, path, agent, ...(step === undefined ? {} : { step }) });
      return [...requests, { ...request, outcome: OPEN }];
    }
    case 'tool.approval-given':
      return requests.map((request) =>
        request.id === event.id && request.kind !== 'question'
          ? { ...request, approvedBy: [...(request.approvedBy ?? []), event.by] }
          : request,
      );
    case 'tool.approved': {
      const { id, input } = event;
      return settleRequests(requests, id, { state: 'approved', ...(input === undefined ? {} : { input }) });
    }
    case 'tool.denied': {
      const { id, reason } = event;
      return settleRequests(requests, id, { state: 'denied', ...(reason === undefined ? {} : { reason }) });
    }
    case 'person.answered':
      return settleRequests(requests, event.id, { state: 'answered', text: event.text });
    case 'request.withdrawn':
      return settleRequests(requests, event.id, { state: 'withdrawn', reason: event.reason });
    case 'run.ended':
      return requests.some(isOpen)
        ? requests.map((request) =>
            isOpen(request)
              ? { ...request, outcome: { state: 'withdrawn', reason: `the run has ${event.status}` } }
              : request,
          )
        : requests;
    default:
      return requests;
  }
};

const OPEN: RequestProgress = { state: 'open' };

const isOpen = ({ outcome }: ProgressRequest): boolean => outcome.state === 'open';

const settleRequests = (
  requests: readonly ProgressRequest[],
  id: string | undefined,
  outcome: RequestProgress,
): readonly ProgressRequest[] => {
  const index = requests.findLastIndex((request) => request.id === id && isOpen(request));
  const request = requests[index];
  return request === undefined ? requests : requests.with(index, { ...request, outcome });
};
