import { canonical } from '../contracts/canonical.ts';
import type { ErrorCode } from '../contracts/error.ts';
import { isTroupeError, messageOf, TroupeError } from '../contracts/error.ts';
import { toJson } from '../contracts/json.ts';

/** How a law says that it does not hold: by an error of `code` about `subject`. */
export const lawChecks = (code: ErrorCode, subject: string) => {
  const told = new WeakSet<object>();
  const broken = (what: string, found: unknown, expected: unknown): TroupeError => {
    const error = new TroupeError(
      code,
      `Cannot call the ${subject} sound as this does not hold: ${what}; found ${shown(found)}, expected ${shown(expected)}`,
    );
    told.add(error);
    return error;
  };
  return {
    broken,
    /** What was thrown by a law, as it is, or by what it tries where that should not throw. */
    asBroken: (law: string, thrown: unknown): unknown =>
      typeof thrown === 'object' && thrown !== null && told.has(thrown)
        ? thrown
        : broken(law, messageOf(thrown), 'no error'),
    /** Both are the same as JSON. */
    same: (what: string, found: unknown, expected: unknown): void => {
      if (canonical(toJson(found)) !== canonical(toJson(expected))) throw broken(what, found, expected);
    },
    /** The attempt fails with that code; gives the error. */
    fails: async (wanted: string, what: string, attempt: () => unknown): Promise<TroupeError> => {
      let found: unknown;
      try {
        found = await attempt();
      } catch (thrown) {
        if (isTroupeError(thrown) && thrown.code === wanted) return thrown;
        found = thrown;
      }
      throw broken(what, found, { code: wanted });
    },
  };
};

/** A value in a message, which has to stay readable. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(toJson(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
};

const LONGEST = 2000;
