import type { Secrets } from '../../policy/redaction.ts';

/** How many characters at the end of a text could be the beginning of a secret: they wait until more is known. */
export const heldBack = (secrets: Secrets): ((text: string) => number) => {
  const values = Object.values(secrets).filter((value) => value.length > 1);
  const longest = Math.max(0, ...values.map(({ length }) => length));
  return (text) => {
    for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
      const end = text.slice(-length);
      if (values.some((value) => value.length > length && value.startsWith(end))) return length;
    }
    return 0;
  };
};
