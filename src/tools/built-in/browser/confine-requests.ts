import { TroupeError } from '../../../contracts/errors/error.ts';
import { hostOf } from '../http/host-of.ts';
import { publicHttp } from '../http/http-environment.ts';
import type { HttpRules } from '../http/http-rules.ts';
import type { PageRequests } from './browser-driver.ts';

/** The methods of pages. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Makes the requests of pages, by the rules of `publicHttp`. A host of `trusted` answers its own pages alone: a page of the web must not reach
 * through the browser what it could not reach by itself.
 *
 * @throws {TroupeError} `input.invalid` for rules that do not fit.
 */
export const confineRequests = (given: Omit<HttpRules, 'methods' | 'maxRedirects'>): PageRequests => {
  const rules = { ...given, methods: METHODS };
  // It checks them.
  publicHttp(rules);
  return async (request, page) => {
    const url = new URL(request.url);
    if (page !== undefined && page !== url.origin && rules.trusted?.includes(hostOf(url)) === true)
      throw new TroupeError('tool.denied', `Cannot fetch from ${url.host} as a page of another origin asks`);
    // Node's network is loaded with the first request, as `troupe/tools` is for browsers too.
    const { requestPublicly } = await import('../http/public-request.ts');
    return requestPublicly(request, rules, false);
  };
};
