import type { IncomingMessage } from 'node:http';

/** Maximum size of a command, in bytes. */
const MOST = 256 * 1024;

/** Reads the body of a request as text; undefined if it is too long, or was interrupted. */
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

/** Maximum nesting of a command. */
const DEEPEST = 100;

/** Checks whether a JSON text is nested too deep to be read. */
export const isDeep = (text: string): boolean => {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (isQuoted) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
};
