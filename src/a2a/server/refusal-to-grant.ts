import type { OpenRequest } from '../../contracts/people/request.ts';
import { forbiddenTo } from '../../runtime/people/person-words.ts';
import type { Caller } from '../../runtime/serve/serve-options.ts';

/** The reason why a request is not the caller's to grant, but another's; undefined if it is theirs. */
export const refusalToGrant = (request: OpenRequest, { who, roles, may }: Caller): string | undefined => {
  if (may?.includes('answer') === false) return `it needs another person: '${who}' may not answer`;
  const by = { name: who, ...(roles === undefined ? {} : { roles }) };
  return forbiddenTo(request, { isApproved: true, by });
};

/** The request that comes next: the first that is the caller's to grant, else the first. */
export const nextRequest = <Request extends OpenRequest>(
  requests: readonly Request[],
  refusalOf: (request: Request) => string | undefined,
): Request | undefined => requests.find((request) => refusalOf(request) === undefined) ?? requests[0];
