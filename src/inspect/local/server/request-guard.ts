import { createHash, timingSafeEqual } from 'node:crypto';

/** Facts about a request for the access check. */
export interface Asked {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The browser's `Sec-Fetch-Site`: `same-origin`, or `none` if a person typed the address. */
  readonly site: string | undefined;
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
  /** Of the address. */
  readonly token: string | undefined;
}

/** Facts about this server for the access check. */
export interface Known {
  readonly port: number;
  readonly token: string;
}

/** Returns the name of the server's cookie; it contains the port, as cookies are shared between ports. */
export const cookieName = ({ port }: Pick<Known, 'port'>): string => `troupe_${port}`;

/**
 * Returns the reason for refusing a request; undefined to allow it. Pure.
 * - Host: a foreign name resolving to this address (DNS rebinding) is refused.
 * - Origin: only our own page is allowed.
 * - Token: in the cookie, in the address, or as a bearer token.
 */
export const refusalOf = (asked: Asked, known: Known): string | undefined => {
  const hosts = [`127.0.0.1:${known.port}`, `localhost:${known.port}`];
  if (asked.host === undefined || !hosts.includes(asked.host.toLowerCase()))
    return 'it asks for another host';
  if (asked.origin !== undefined && !hosts.some((host) => asked.origin === `http://${host}`))
    return 'it comes from another page';
  const isNamed = isToken(asked.token, known) || isToken(bearerOf(asked.authorization), known);
  if (isNamed) return undefined;
  // An explicit token may come from any page; a cookie is sent automatically, so its page must be ours.
  if (asked.site !== undefined && asked.site !== 'same-origin' && asked.site !== 'none')
    return 'it comes from another page';
  return isToken(cookieOf(asked.cookie, cookieName(known)), known) ? undefined : 'it lacks the token';
};

/** Compares in constant time. */
const isToken = (given: string | undefined, { token }: Known): boolean =>
  given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];

const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);
