/** A path as file systems read it: without empty parts, `.`, and steps upwards. */
export const plainPath = (path: string): string => {
  const parts: string[] = [];
  for (const part of path.normalize('NFC').split(/[\\/]/))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
};

/** The spellings of the last text: each rule of a policy asks for those of the same argument. */
let last: { readonly text: string; readonly spellings: readonly string[] } | undefined;

/**
 * Texts that a tool may read as the same as this one: a path, a URL and a name have many spellings. In lower case, as file systems and hosts may not tell
 * the cases apart.
 */
export const spellingsOf = (text: string): readonly string[] => {
  if (last?.text !== text) last = { text, spellings: allSpellings(text) };
  return last.spellings;
};

const allSpellings = (text: string): readonly string[] => {
  const lower = text.normalize('NFC').toLowerCase().trim();
  return [...new Set([lower, ...pathsOf(lower), ...addressesOf(text)])];
};

/** The path below the root, and from the root of the file system where it begins there. */
const pathsOf = (text: string): readonly string[] => {
  if (!/[\\/]/.test(text)) return [];
  const end = /[\\/]\.?$/.test(text) ? '/' : '';
  const path = `${plainPath(text)}${end}`;
  return /^[\\/]/.test(text) ? [path, `/${path}`] : [path];
};

/** The address that a client would ask, without a name of a user, and with its escapes read. */
const addressesOf = (text: string): readonly string[] => {
  if (!/^\s*[a-z][\w+.-]*:/i.test(text) || !URL.canParse(text)) return [];
  const url = new URL(text);
  url.username = '';
  url.password = '';
  const host = url.hostname.replace(/\.$/, '');
  if (host !== '') url.hostname = host;
  const address = url.href.toLowerCase();
  return [address, readEscapes(address)];
};

const readEscapes = (address: string): string => {
  try {
    return decodeURIComponent(address).toLowerCase();
  } catch {
    return address;
  }
};
