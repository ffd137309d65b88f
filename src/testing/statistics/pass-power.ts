import { TroupeError } from '../../contracts/errors/error.ts';

/**
 * The probability that k tries in a row succeed, from c successes in n tries: C(c, k) / C(n, k), the
 * unbiased estimate of τ-bench (Yao and others, 2024).
 *
 * @example
 * passPower(3, 2, 2) // => 1 / 3
 *
 * @throws `agent.invalid` unless 0 ≤ c ≤ n and 1 ≤ k ≤ n, all whole.
 */
export const passPower = (tries: number, successes: number, inARow: number): number => {
  const isWhole = [tries, successes, inARow].every(Number.isInteger);
  if (!isWhole || successes < 0 || successes > tries || inARow < 1 || inARow > tries)
    throw new TroupeError(
      'agent.invalid',
      `Cannot tell pass^${inARow} of ${successes} successes in ${tries} tries: k has to be 1 to n, c 0 to n`,
    );
  let chance = 1;
  for (let index = 0; index < inARow; index += 1) chance *= Math.max(0, successes - index) / (tries - index);
  return chance;
};
