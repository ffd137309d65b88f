import { canonical } from '../base/json/canonical.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { isTroupeError, messageOf, TroupeError } from '../contracts/errors/error.ts';
import { toJson } from '../base/json/json.ts';

/** Creates assertions that report a violation by an error of `code` about `subject`. */
export const lawChecks = (code: ErrorCode, subject: string) => {
  const reported = new WeakSet<object>();
  const broken = (what: string, found: unknown, expected: unknown): TroupeError => {
    const error = new TroupeError(
      code,
      `Cannot call the ${subject} sound as this does not hold: ${what}; found ${showValue(found)}, expected ${showValue(expected)}`,
    );
    reported.add(error);
    return error;
  };
  return {
    broken,
    /** Returns a violation unchanged, and converts any other error, which is unexpected, to one. */
    asBroken: (law: string, thrown: unknown): unknown =>
      typeof thrown === 'object' && thrown !== null && reported.has(thrown)
        ? thrown
        : broken(law, messageOf(thrown), 'no error'),
    /** Both are the same as JSON. */
    same: (what: string, found: unknown, expected: unknown): void => {
      if (canonical(toJson(found)) !== canonical(toJson(expected))) throw broken(what, found, expected);
    },
    /** Asserts that the attempt fails with that code; returns the error. */
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
const showValue = (value: unknown): string => {
  const text = JSON.stringify(toJson(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
};

const LONGEST = 2000;
