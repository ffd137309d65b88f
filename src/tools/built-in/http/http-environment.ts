import {
  aFunction,
  aText,
  aTime,
  fulfilling,
  listOf,
  optional,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import type { HttpOps } from '../../../contracts/environments/operations.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import type { HttpRules } from './http-rules.ts';

/**
 * HTTP to the public internet: an agent cannot be talked into reaching hosts behind the firewall.
 *
 * Every address that a name resolves to must be public, and the connection goes to a checked address, so a name that
 * changes a moment later has no effect. Every redirect is checked like the first URL; secrets are not sent to another
 * origin, and https never redirects to http. Proxies in environment variables are ignored.
 *
 * @throws {TroupeError} `input.invalid` for rules that do not fit.
 */
export const publicHttp = (rules: HttpRules = {}): HttpOps => {
  check(rules);
  return {
    request: async (request) => {
      // Node's network is loaded with the first request, as `troupe/tools` is for browsers too.
      const { requestPublicly } = await import('./public-request.ts');
      return requestPublicly(request, rules);
    },
  };
};

/** A name alone: with a scheme, a port or a path no host would ever equal it. */
const aHost = () =>
  fulfilling(
    (given) => typeof given === 'string' && HOST.test(given) && URL.canParse(`http://${given}`),
    "not the name of a host: write 'example.com'",
  );

const HOST = /^(?:\[[\da-f:.]+\]|[^\s/:@?#\\*%[\]]+)$/i;

const check = optionsCheck<HttpRules>({ code: 'input.invalid', owner: 'the rules of publicHttp' }, () => ({
  methods: optional(listOf(aText(1), "not a list: write ['GET', 'POST']")),
  ports: optional(listOf(wholeNumber(1), 'not a list: write [80, 443]')),
  hosts: optional(listOf(aHost(), "not a list: write ['example.com']")),
  trusted: optional(listOf(aText(1), "not a list: write ['intranet.example:8080']")),
  maxRedirects: optional(wholeNumber(0)),
  maxBytes: optional(wholeNumber(0)),
  timeoutMs: optional(aTime()),
  lookup: optional(aFunction()),
}));
