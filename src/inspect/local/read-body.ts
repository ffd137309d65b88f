import type { IncomingMessage } from 'node:http';

/** More than this nobody has to say to a run, in bytes. */
const MOST = 256 * 1024;

/** The body of a request as text; undefined for one that is too long, or was broken off. */
export const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  if (Number(request.headers['content-length'] ?? 0) > MOST) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > MOST) return undefined;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString('utf8');
};
