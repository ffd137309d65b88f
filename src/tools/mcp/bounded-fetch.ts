import { boundMessages } from '../../base/bound-messages.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { oneLine } from '../../base/text/printable.ts';
import { MAX_MESSAGE_BYTES } from './stdio-transport.ts';

/** Characters of a page that an error quotes. */
const QUOTED = 200;

/**
 * Wraps a `fetch` for a server that may misbehave: a page of HTML is an error that quotes it, and a message without end is broken off.
 *
 * A stream of events may last as long as it likes; only a single line of it is bounded.
 */
export const boundedFetch =
  (server: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /\bhtml\b/i.test(type)) throw await htmlError(server, response);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = type.includes('event-stream');
    const bounded = boundMessages({ most: MAX_MESSAGE_BYTES, isStream, tooLong: () => longError(server) });
    const body = response.body.pipeThrough(bounded);
    const wrapped = new Response(body, { status, statusText, headers });
    // The client looks at it to tell a redirect.
    Object.defineProperty(wrapped, 'url', { value: response.url });
    return wrapped;
  };

const longError = (server: string): TroupeError =>
  new TroupeError(
    'mcp.protocol',
    `Cannot read from the MCP server '${server}' as a message is longer than ${MAX_MESSAGE_BYTES} bytes`,
  );

const htmlError = async (server: string, response: Response): Promise<TroupeError> => {
  const reader = response.body?.getReader();
  const chunk = await reader?.read();
  await reader?.cancel();
  const text = new TextDecoder().decode(chunk?.value?.slice(0, QUOTED * 4));
  return new TroupeError(
    'mcp.protocol',
    `Cannot read from the MCP server '${server}' as it sent a page of HTML in place of JSON: ${JSON.stringify(oneLine(text, QUOTED))}. Its address may be wrong`,
    { status: response.status },
  );
};
