import { isTroupeError, messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';

/** The protocol's code for an agent that wants to be authenticated first. */
const AUTH_REQUIRED = -32_000;

/** The protocol's codes for messages that the other side could not read. */
const BROKEN: ReadonlySet<unknown> = new Set([-32_700, -32_600, -32_601, -32_602]);

/**
 * The typed error for what a coding agent answered with, with the methods that it offers to authenticate by.
 *
 * `acp.auth` if it wants to be authenticated, `acp.protocol` if it does not know the request, else `acp.failed`.
 */
export const errorOfAgent = (thrown: unknown, what: string, methods: readonly string[] = []): TroupeError => {
  if (isTroupeError(thrown)) return thrown;
  const code = codeOf(thrown);
  const said = messageOf(thrown);
  if (code === AUTH_REQUIRED) {
    const offered = methods.length === 0 ? 'it names no method' : `it offers ${methods.join(', ')}`;
    return failed(
      'acp.auth',
      `Cannot ${what} as it has to be authenticated: log in by its own program, pass its key by \`env\`, or name an \`authMethod\` (${offered}): ${said}`,
      thrown,
    );
  }
  if (BROKEN.has(code))
    return failed('acp.protocol', `Cannot ${what} as it refuses the request: ${said}`, thrown);
  return failed('acp.failed', `Cannot ${what} as it failed: ${said}`, thrown);
};

const failed = (code: ErrorCode, message: string, cause: unknown): TroupeError =>
  new TroupeError(code, message, { cause });

const codeOf = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
