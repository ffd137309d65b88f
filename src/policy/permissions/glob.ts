/** A test of a text. */
export type TextTest = (text: string) => boolean;

/** One, or a list of such. */
export type OneOrMore<Item> = Item | readonly Item[];

/** The items of a list, or the only one. */
export const itemsOf = <Item extends string>(given: OneOrMore<Item>): readonly Item[] =>
  typeof given === 'string' ? [given] : given;

/** A test by globs, of which one must match the whole text: `*` stands for any characters, `?` for one. */
export const anyGlob = (globs: OneOrMore<string>): TextTest => anyOf(globs, globTest);

/** A test of addresses by globs: `*` stays within a part, `**` stands for any number of parts. */
export const anyPathGlob = (globs: OneOrMore<string>): TextTest => anyOf(globs, pathTest);

const anyOf = (globs: OneOrMore<string>, testOf: (glob: string) => TextTest): TextTest => {
  const [only, ...more] = itemsOf(globs).map(testOf);
  if (only === undefined) return () => false;
  return more.length === 0 ? only : (text) => only(text) || more.some((test) => test(text));
};

const globTest = (glob: string): TextTest => {
  const plain = glob.slice(0, glob.search(/[*?]|$/));
  const rest = glob.slice(plain.length);
  if (rest === '') return (text) => text === glob;
  if (rest === '*') return (text) => text.startsWith(plain);
  if (!rest.includes('?')) return starTest(glob.split('*'));
  const signs = Array.from(rest, (sign): Sign<string> =>
    sign === '*' ? 'any number' : (found) => sign === '?' || sign === found,
  );
  // Most texts differ before the first sign.
  return (text) => text.startsWith(plain) && matchAll(signs, Array.from(text.slice(plain.length)));
};

/** A test of what stands between stars, by searches for it from left to right: no text is taken apart. */
const starTest = ([first = '', ...more]: readonly string[]): TextTest => {
  const last = more.at(-1) ?? '';
  const inner = more.slice(0, -1).filter((piece) => piece !== '');
  return (text) => {
    const end = text.length - last.length;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of inner) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= end;
  };
};

const pathTest = (glob: string): TextTest => {
  const signs = glob.split('/').map((part): Sign<string> => (part === '**' ? 'any number' : globTest(part)));
  return (text) => matchAll(signs, text.split('/'));
};

type Sign<Found> = 'any number' | ((found: Found) => boolean);

/** Matches all that is found. It returns to the last `any number` only: so its work is at most the product of both lengths, for any glob. */
const matchAll = <Found>(signs: readonly Sign<Found>[], found: readonly Found[]): boolean => {
  let sign = 0;
  let lastAny = -1;
  let resumeAt = 0;
  for (let at = 0; at < found.length;) {
    const wanted = signs[sign];
    if (wanted === 'any number') {
      lastAny = sign;
      resumeAt = at;
      sign += 1;
    } else if (wanted?.(found[at] as Found) === true) {
      at += 1;
      sign += 1;
    } else if (lastAny >= 0) {
      resumeAt += 1;
      at = resumeAt;
      sign = lastAny + 1;
    } else return false;
  }
  return signs.slice(sign).every((rest) => rest === 'any number');
};
