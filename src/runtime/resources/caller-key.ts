import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** Names the party for which a run works, by the run's `context`: a tenant. Undefined: one party for all such runs together. */
export type KeyBy = (context: unknown) => string | undefined;

/** The parties that {@link KeyBy} names, told from those runs that it names none for. */
export const callerKey = (
  by: KeyBy | undefined,
  context: unknown,
  owner: string,
  code: ErrorCode = 'resource.invalid',
): string => {
  if (by === undefined) return UNNAMED;
  const key = keyOf(by, context, owner, code);
  if (key === undefined) return UNNAMED;
  if (typeof key === 'string') return `=${key}`;
  throw new TroupeError(
    code,
    `Cannot enter ${owner} as its \`by\` returned no text: found ${foundText(key)}, return a tenant, or undefined`,
  );
};

/** No text that {@link KeyBy} returns makes this key. */
const UNNAMED = '';

/** The party that a key names. */
export const tenantOf = (key: string): string | undefined => (key === UNNAMED ? undefined : key.slice(1));

const keyOf = (by: KeyBy, context: unknown, owner: string, code: ErrorCode): unknown => {
  try {
    return by(context);
  } catch (cause) {
    throw new TroupeError(code, `Cannot enter ${owner} as its \`by\` threw`, { cause });
  }
};
