/**
 * The exact test of McNemar (1947) for pairs that pass or fail: the two-sided probability that of the pairs that differ at least as many go
 * one way, if either way were as likely. It is 1 for none.
 *
 * @example
 * mcNemar(1, 9) // => 0.0215: of ten cases that differ nine are better
 */
export const mcNemar = (better: number, worse: number): number => {
  const all = better + worse;
  const fewer = Math.min(better, worse);
  // In logarithms: a thousand factors of one half are none in a double.
  let logTerm = all * Math.log(0.5);
  let tail = Math.exp(logTerm);
  for (let count = 1; count <= fewer; count += 1) {
    logTerm += Math.log((all - count + 1) / count);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
};
