import { createHash, timingSafeEqual } from 'node:crypto';

/** What is known of a request before anything is done for it. */
export interface Asked {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** What the browser says of the page that asks: `same-origin`, `none` where a person typed the address. */
  readonly site: string | undefined;
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
  /** Of the address. */
  readonly token: string | undefined;
}

/** What this server is known by. */
export interface Known {
  readonly port: number;
  readonly token: string;
}

/** The cookie of a server; cookies know no ports, so its name does. */
export const cookieName = ({ port }: Pick<Known, 'port'>): string => `troupe_${port}`;

/**
 * Why nothing is done for a request; undefined where something is. Pure.
 *
 * - By the host that it names: a name that somebody else's DNS made point here is not ours.
 * - By the page that sends it: none but our own.
 * - By its token: in the cookie, in the address, or as a bearer's.
 */
export const refusalOf = (asked: Asked, known: Known): string | undefined => {
  const hosts = [`127.0.0.1:${known.port}`, `localhost:${known.port}`];
  if (asked.host === undefined || !hosts.includes(asked.host.toLowerCase()))
    return 'it asks for another host';
  if (asked.origin !== undefined && !hosts.some((host) => asked.origin === `http://${host}`))
    return 'it comes from another page';
  const isNamed = isToken(asked.token, known) || isToken(bearerOf(asked.authorization), known);
  if (isNamed) return undefined;
  // Who knows the token may come from anywhere; a cookie comes along whoever asks.
  if (asked.site !== undefined && asked.site !== 'same-origin' && asked.site !== 'none')
    return 'it comes from another page';
  return isToken(cookieOf(asked.cookie, cookieName(known)), known) ? undefined : 'it has not the token';
};

/** Takes as long for one that is nearly right as for any other. */
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
