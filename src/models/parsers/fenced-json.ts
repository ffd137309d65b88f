/** Returns the text that has to be JSON as a whole: the content of the only fence in a text, else all of it. */
export const fencedJson = (text: string): string => {
  const [fence, ...others] = text.matchAll(/^[ \t]*```(?:json)?[ \t]*\n([\s\S]*?)```/gm);
  return others.length === 0 ? (fence?.[1] ?? text) : text;
};
