import { lookup as lookUp } from 'node:dns/promises';
import { isIP } from 'node:net';
import { timeLimit } from '../../../base/promises/time-limit.ts';
import type { HttpRequest, HttpResponse } from '../../../contracts/environments/operations.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { hostOf, portOf } from './host-of.ts';
import type { HttpRules } from './http-rules.ts';
import { exchange } from './http-exchange.ts';
import { isPublicAddress } from './public-address.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are sent on to another origin: any other may be a credential, whatever its name. */
const PUBLIC_HEADERS =
  /^(?:accept|accept-language|cache-control|content-language|content-type|if-modified-since|if-none-match|pragma|range|user-agent)$/i;
/** Headers about the transport. */
const TRAVEL_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|accept-encoding|proxy-.*)$/i;

/** Sends a request, and follows its redirects unless they are the answer, to public addresses only. */
export const requestPublicly = async (
  request: HttpRequest,
  rules: HttpRules,
  isFollowed = true,
): Promise<HttpResponse> => {
  const { maxRedirects = 5, timeoutMs = 15_000 } = rules;
  const timeout = timeLimit(timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
  let next: HttpRequest = { ...request, method: (request.method ?? 'GET').toUpperCase() };
  assertMethod(next, rules);
  const seen = new Set<string>();
  for (let hop = 0; ; hop += 1) {
    const response = await once(next, rules, signal);
    const target = response.headers['location'];
    if (!isFollowed || !REDIRECTS.has(response.status) || target === undefined) return response;
    if (hop >= maxRedirects) throw deniedError(next.url, `it redirects more than ${maxRedirects} times`);
    next = followRedirect(next, target, response.status);
    if (seen.has(next.url)) throw deniedError(next.url, 'its redirects go round in a circle');
    seen.add(next.url);
  }
};

const assertMethod = ({ url, method = 'GET' }: HttpRequest, rules: HttpRules): void => {
  const { methods = ['GET', 'HEAD'] } = rules;
  if (methods.includes(method)) return;
  const shown = method.slice(0, 20);
  const hint = ruleText({ ...rules, methods: [...methods, shown] });
  throw deniedError(url, `the method ${shown} is not allowed here: write ${hint}`);
};

/** The rules to write in place of those that refuse, which keep what these allow. */
const ruleText = ({ methods, hosts, trusted }: HttpRules): string => {
  const lists = Object.entries({ methods, hosts, trusted }).flatMap(([name, list]) =>
    list === undefined ? [] : [`${name}: ['${list.slice(0, 20).join("', '")}']`],
  );
  return `publicHttp({ ${lists.join(', ')} })`;
};

const trusting = (url: URL, rules: HttpRules): string =>
  ruleText({ ...rules, trusted: [...(rules.trusted ?? []).slice(0, 19), hostOf(url)] });

const once = async (request: HttpRequest, rules: HttpRules, signal: AbortSignal): Promise<HttpResponse> => {
  const url = checkedUrl(request.url, rules);
  const addresses = await checkedAddresses(url, rules, signal);
  try {
    return await exchange({
      url,
      addresses,
      method: request.method ?? 'GET',
      headers: headersOf(request),
      body: request.body,
      maxBytes: rules.maxBytes ?? 2_000_000,
      signal,
    });
  } catch (thrown) {
    if (thrown instanceof TroupeError) throw thrown;
    const code = signal.aborted && request.signal?.aborted !== true ? 'tool.timeout' : 'tool.failed';
    throw new TroupeError(code, `Cannot fetch ${showUrl(request.url)}: ${messageOf(thrown)}`, {
      retryable: 'maybe',
    });
  }
};

const checkedUrl = (given: string, rules: HttpRules): URL => {
  const { ports = [80, 443], hosts, trusted = [] } = rules;
  if (!URL.canParse(given)) throw deniedError(given, 'it is not a URL');
  // The parsed URL is checked: octal, hexadecimal and full-width digits are normalised by now.
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw deniedError(given, 'it is neither http nor https');
  if (url.username !== '' || url.password !== '')
    throw deniedError(given, 'it contains a user name or password');
  if (hosts?.some((host) => isWithin(url.hostname, new URL(`http://${host}`).hostname)) === false)
    throw deniedError(given, `its host is none of ${hosts.slice(0, 20).join(', ')}, and below none of them`);
  if (!ports.includes(portOf(url)) && !trusted.includes(hostOf(url)))
    throw deniedError(given, `the port ${portOf(url)} is not allowed here: write ${trusting(url, rules)}`);
  return url;
};

const isWithin = (hostname: string, host: string): boolean =>
  hostname === host || hostname.endsWith(`.${host}`);

/** Resolves the addresses to connect to; refuses unless every one of them is allowed. */
const checkedAddresses = async (
  url: URL,
  rules: HttpRules,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { lookup = systemLookup, trusted = [] } = rules;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isTrusted = trusted.includes(hostOf(url));
  let addresses: readonly string[];
  try {
    addresses = isIP(host) > 0 ? [host] : await unlessAborted(lookup(host), signal);
  } catch (thrown) {
    throw new TroupeError(
      'tool.failed',
      `Cannot find the host of ${showUrl(url.href)}: ${messageOf(thrown)}`,
    );
  }
  if (addresses.length === 0 || (!isTrusted && !addresses.every(isPublicAddress)))
    throw deniedError(
      url.href,
      `its address is not on the public internet: write ${trusting(url, rules)} if it may be reached`,
    );
  return addresses;
};

const systemLookup = async (host: string): Promise<readonly string[]> =>
  (await lookUp(host, { all: true, verbatim: true })).map(({ address }) => address);

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(new Error('it takes too long, or was cancelled'));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });

const followRedirect = (request: HttpRequest, target: string, status: number): HttpRequest => {
  if (!URL.canParse(target, request.url)) throw deniedError(target, 'a redirect leads to an invalid URL');
  const [from, to] = [new URL(request.url), new URL(target, request.url)];
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw deniedError(to.href, 'a redirect leads from https to http');
  const isKept = status === 307 || status === 308 || request.method === 'HEAD';
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).filter(
      ([name]) => from.origin === to.origin || PUBLIC_HEADERS.test(name),
    ),
  );
  return {
    ...request,
    url: to.href,
    headers,
    method: isKept ? request.method : 'GET',
    body: isKept ? request.body : undefined,
  };
};

const headersOf = ({ headers = {} }: HttpRequest): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !TRAVEL_HEADERS.test(name))),
  // A small answer may unpack to a huge one.
  'accept-encoding': 'identity',
});

const showUrl = (url: string): string => JSON.stringify(url.slice(0, 200));

const deniedError = (url: string, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot fetch ${showUrl(url)} as ${reason}`, { retryable: 'no' });
