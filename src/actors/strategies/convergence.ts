import type { Critic, Review } from '../../contracts/agents/critic.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** Judges whether a candidate answer is good enough to stop. */
export interface Convergence {
  readonly name: string;
  check(candidate: Json, review: Review): Finding | Promise<Finding>;
}

/** The result of a judgement; the note tells the agent what is missing. */
export interface Finding {
  readonly isMet: boolean;
  readonly note: string;
}

/** A test of an answer: true, or a description of the problem. An exception is a failed test. */
export interface AnswerTest {
  readonly name: string;
  check(candidate: Json, review: Review): boolean | string | Promise<boolean | string>;
}

const testsPass = (...tests: readonly AnswerTest[]): Convergence => ({
  name: 'tests',
  check: async (candidate, review) => {
    const failed: string[] = [];
    for (const test of tests) {
      const said = await runTest(test, candidate, review);
      if (said !== true) failed.push(said === false ? test.name : `${test.name}: ${said}`);
    }
    return {
      isMet: failed.length === 0,
      note:
        failed.length === 0 ? '' : `${failed.length} of ${tests.length} tests failed: ${failed.join('; ')}`,
    };
  },
});

const runTest = async (test: AnswerTest, candidate: Json, review: Review): Promise<boolean | string> => {
  try {
    return await test.check(candidate, review);
  } catch (thrown) {
    return messageOf(thrown);
  }
};

const confidenceAtLeast = (
  threshold = 0.9,
  read: (candidate: Json) => number | undefined = confidenceOf,
): Convergence => ({
  name: 'confidence',
  check: (candidate) => {
    const found = read(candidate) ?? 0;
    return found >= threshold
      ? { isMet: true, note: '' }
      : {
          isMet: false,
          note: `The confidence is ${found}; at least ${threshold} is wanted. Check, and say how sure you are.`,
        };
  },
});

/** The confidence that an answer states, from 0 to 1. */
export const confidenceOf = (candidate: Json): number | undefined => {
  const [, percent] =
    typeof candidate === 'string' ? (/\bconfidence\b\W{1,4}([\d.]{1,8}\s?%?)/i.exec(candidate) ?? []) : [];
  const said = isJsonObject(candidate) ? candidate['confidence'] : percent;
  if (typeof said === 'number') return said;
  if (typeof said !== 'string') return undefined;
  const number = Number.parseFloat(said);
  if (Number.isNaN(number)) return undefined;
  return said.endsWith('%') ? number / 100 : number;
};

const allMet = (...of: readonly Convergence[]): Convergence => ({
  name: of.map(({ name }) => name).join(' and '),
  check: async (candidate, review) => {
    const findings = await findingsOf(of, candidate, review);
    return { isMet: findings.every(({ isMet }) => isMet), note: notes(findings) };
  },
});

const anyMet = (...of: readonly Convergence[]): Convergence => ({
  name: of.map(({ name }) => name).join(' or '),
  check: async (candidate, review) => {
    const findings = await findingsOf(of, candidate, review);
    return { isMet: findings.some(({ isMet }) => isMet), note: notes(findings) };
  },
});

const findingsOf = (
  of: readonly Convergence[],
  candidate: Json,
  review: Review,
): Promise<readonly Finding[]> => Promise.all(of.map(async (each) => each.check(candidate, review)));

const notes = (findings: readonly Finding[]): string =>
  findings
    .filter(({ isMet }) => !isMet)
    .map(({ note }) => note)
    .join('\n');

/** Tests that an answer has to meet for a strategy to stop: `multiCycle({ until: convergence.tests(compiles, isShort) })`. */
export const convergence = {
  /** Met if no test fails. All tests are run. */
  tests: testsPass,
  /**
   * Met if the answer's confidence is at least the threshold: its field `confidence`, or a line `Confidence: 0.9` in its text. Without one
   * the confidence is 0.
   */
  confidence: confidenceAtLeast,
  /** Met if all are. */
  all: allMet,
  /** Met if any is. */
  any: anyMet,
} as const;

/** A convergence as a critic: an answer that does not meet it is sent back with the note. */
export const converges = (convergence: Convergence): Critic => ({
  name: `converges: ${convergence.name}`,
  critique: async (review) => {
    if (review.candidate === undefined) return { verdict: 'accept' };
    const { isMet, note } = await convergence.check(review.candidate, review);
    return isMet ? { verdict: 'accept' } : { verdict: 'revise', note };
  },
});
