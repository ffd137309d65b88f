import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { HttpResponse } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';

/** One request, with everything about it decided. */
export interface Exchange {
  readonly url: URL;
  /** The only addresses to connect to. */
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Sends one request to one of the given addresses and reads the response up to a limit. Follows no redirect. */
export const exchange = (plan: Exchange): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { url, addresses, method, headers, body, maxBytes, signal } = plan;
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(
      url,
      // No agent: a kept connection could be reused for another host.
      { method, headers, signal, agent: false, lookup: pinAddresses(addresses) },
      (response) => {
        const address = response.socket.remoteAddress ?? '';
        if (!addresses.includes(plainAddress(address)) && !addresses.includes(address)) {
          request.destroy();
          reject(new TroupeError('tool.denied', `Cannot fetch from ${url.host} as its address has changed`));
          return;
        }
        readBody(response, maxBytes).then(
          (read) =>
            resolve({
              url: url.href,
              status: response.statusCode ?? 0,
              headers: headersOf(response),
              ...read,
            }),
          reject,
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });

/** Resolves to the addresses that were checked, whatever the name resolves to by now. */
const pinAddresses =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = all;
    if (first === undefined) callback(new Error('there is no address'), '', 0);
    else if (options.all === true) callback(null, all);
    else callback(null, first.address, first.family);
  };

const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

const readBody = async (
  response: IncomingMessage,
  maxBytes: number,
): Promise<Pick<HttpResponse, 'text' | 'bytes' | 'isCut'>> => {
  const chunks: Buffer[] = [];
  let length = 0;
  let isCut = false;
  for await (const chunk of response) {
    const bytes: Buffer = Buffer.from(chunk);
    chunks.push(bytes.subarray(0, maxBytes - length));
    length += bytes.length;
    if (length <= maxBytes) continue;
    isCut = true;
    break;
  }
  const bytes = Buffer.concat(chunks);
  return { text: new TextDecoder().decode(bytes, { stream: isCut }), bytes, isCut };
};

/** Headers by name. Cookies are in lines, as they have commas of their own. */
const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, typeof value === 'string' ? value : value.join(name === 'set-cookie' ? '\n' : ', ')]],
    ),
  );
