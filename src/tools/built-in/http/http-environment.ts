import type { HttpOps } from '../../../contracts/environments/operations.ts';
import type { HttpRules } from './http-rules.ts';

/**
 * HTTP to the public internet: an agent cannot be talked into reaching hosts behind the firewall.
 *
 * Every address that a name resolves to must be public, and the connection goes to a checked address, so a name that
 * changes a moment later has no effect. Every redirect is checked like the first URL; secrets are not sent to another
 * origin, and https never redirects to http. Proxies in environment variables are ignored.
 */
export const publicHttp = (rules: HttpRules = {}): HttpOps => ({
  request: async (request) => {
    // Node's network is loaded with the first request, as `troupe/tools` is for browsers too.
    const { requestPublicly } = await import('./public-request.ts');
    return requestPublicly(request, rules);
  },
});
