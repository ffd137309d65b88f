/** Checks whether every sentence of a text says that something was not found. */
export const saysNotFound = (text: string): boolean =>
  text
    .split(/(?<=[.!?…])\s+/)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .every((sentence) => NOT_FOUND.test(sentence));

const NOT_FOUND =
  /\b(?:could not|cannot|couldn['’]t|can['’]t|did not|was not able to|were not) (?:be )?(?:find|found|answer|answered)\b|\b(?:documents|findings|passages)\b.{0,40}\b(?:do not|don['’]t) (?:say|answer|mention|tell|state|contain|cover)\b/i;
