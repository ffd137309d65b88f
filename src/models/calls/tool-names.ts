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
 * A legal name is kept. In others each illegal character becomes `_`, with eight digits of a hash if the result is
 * taken or too long; the same tools in the same order always get the same names, so that prompt caches hold.
 *
 * @example
 * const names = toolNames(['fs.read', 'fs_read']);
 * names.legal('fs.read') // => 'fs_read_ea0dcb19': the other tool has the plain name
 */
export const toolNames = (names: Iterable<string>): ToolNames => {
  const known = [...names];
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

  // Legal names are assigned first: a tool must not lose its name to a substitute.
  for (const name of known) if (LEGAL_NAME.test(name)) assign(name, name);
  for (const name of known) legal(name);
  return { legal, original: (name) => toOriginal.get(name) ?? name };
};

const LONGEST_NAME = 64;

const LEGAL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** FNV-1a, 32 bits: short, stable over processes, and not a secret. */
const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
};
