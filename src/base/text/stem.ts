/**
 * Strips the commonest English endings of a word, so that "retries", "retried" and "retrying" match; others are
 * unchanged.
 *
 * @example
 * stem('retrying') === stem('retries') // => true
 */
export const stem = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/i(es|ed)$/, 'y')
    .replace(/([^sui])s$/, '$1');
  const bare = withoutParticiple(singular.replace(/^(\w{3,})ations?$/, '$1'))
    .replace(/^(\w{4,}?)(?:al)?ly$/, '$1')
    .replace(/^(\w{4,})er$/, '$1')
    .replace(/([bdfgmnprt])\1$/, '$1');
  return bare.length > 3 ? bare.replace(/e$/, '') : bare;
};

/** Strips the ending of "retrying" and "retried", but not of "sing" and "bed". */
const withoutParticiple = (word: string): string => {
  const [, root] = /^([a-z]+)(?:ing|ed)$/.exec(word) ?? [];
  const isRoot = root !== undefined && (/[aeiouy]\w\w/.test(root) || /\w\w[aeiouy]\w$/.test(root));
  return isRoot ? root : word;
};
