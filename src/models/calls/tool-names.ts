/** Maps between our tool names and those that a provider accepts. */
export interface ToolNames {
  /** Returns the name to send. */
  legal(name: string): string;
  /** Returns our name for a received one; an unknown name is unchanged. */
  original(legal: string): string;
}

/**
 * Maps names, which may contain dots, slashes, blanks or more, to ones that providers accept (letters, digits, `_` and
 * `-`, at most 64 of them: the stricter of the two vendors).
 *
 * Each illegal character becomes `_`, with eight digits of a hash if the result is too long, or that of a tool before it. The names of tools
 * do not depend on those after them, so that prompt caches hold when deferred tools are found.
 *
 * @example
 * const names = toolNames(['fs.read', 'fs_read']);
 * names.legal('fs_read') // => 'fs_read_8f5d0ce7': the first tool has the plain name
 */
export const toolNames = (names: Iterable<string>): ToolNames => {
  const toLegal = new Map<string, string>();
  const toOriginal = new Map<string, string>();

  const assign = (name: string, legal: string): string => {
    toLegal.set(name, legal);
    toOriginal.set(legal, name);
    return legal;
  };
  const legal = (name: string): string => {
    const found = toLegal.get(name);
    if (found !== undefined) return found;
    const plain = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
    const isFree = plain !== '' && plain.length <= LONGEST_NAME && !toOriginal.has(plain);
    if (isFree) return assign(name, plain);
    const start = plain.slice(0, LONGEST_NAME - 9);
    let stand = `${start}_${hash(name)}`;
    for (let again = 2; toOriginal.has(stand); again += 1) stand = `${start}_${hash(`${again} ${name}`)}`;
    return assign(name, stand);
  };

  for (const name of names) legal(name);
  return { legal, original: (name) => toOriginal.get(name) ?? name };
};

const LONGEST_NAME = 64;

/** FNV-1a, 32 bits: short, stable over processes, and not a secret. */
const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
};
