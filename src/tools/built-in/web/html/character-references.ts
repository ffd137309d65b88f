/** Names of U+00A0 to U+00FF, in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** Names of U+0391 to U+03A9 and U+03B1 to U+03C9; `-` where there is none. */
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega';

const OTHERS: readonly (readonly [string, string])[] = [
  [
    'quot amp lt gt apos lsqb rsqb num excl dollar percnt lpar rpar ast plus comma period sol colon semi equals',
    `"&<>'[]#!$%()*+,./:;=`,
  ],
  ['quest commat lowbar grave lcub verbar rcub bsol Tab NewLine', '?@_`{|}\\\t\n'],
  [
    'OElig oelig Scaron scaron Yuml fnof circ tilde ensp emsp thinsp ndash mdash',
    'ŒœŠšŸƒˆ˜\u2002\u2003\u2009–—',
  ],
  [
    'lsquo rsquo sbquo ldquo rdquo bdquo dagger Dagger bull hellip permil prime Prime lsaquo rsaquo euro',
    '‘’‚“”„†‡•…‰′″‹›€',
  ],
  [
    'trade larr uarr rarr darr harr rArr lArr hArr forall part exist empty isin ni prod sum minus radic infin',
    '™←↑→↓↔⇒⇐⇔∀∂∃∅∈∋∏∑−√∞',
  ],
  [
    'and or cap cup int asymp ne equiv le ge sub sup sube supe check cross star phone copysr',
    '∧∨∩∪∫≈≠≡≤≥⊂⊃⊆⊇✓✗☆☎℗',
  ],
];

const inOrder = (names: string, from: number): readonly (readonly [string, string])[] =>
  names.split(' ').map((name, index) => [name, String.fromCodePoint(from + index)] as const);

const NAMED: ReadonlyMap<string, string> = new Map([
  ...inOrder(LATIN, 0xa0),
  ...inOrder(GREEK, 0x391),
  ...inOrder(GREEK.toLowerCase().replace('-', 'sigmaf'), 0x3b1),
  ...OTHERS.flatMap(([names, characters]) =>
    names.split(' ').map((name, index) => [name, characters.charAt(index)] as const),
  ),
]);

const REFERENCE = /&(?:#[xX]([\da-fA-F]{1,6})|#(\d{1,7})|([a-zA-Z][a-zA-Z\d]{0,9}));/g;

/**
 * Replaces character references (`&amp;`, `&#8364;`, `&#x20ac;`) by their characters; an unknown name stays as it is written.
 *
 * @example
 * decodeReferences('caf&eacute; &amp; bar') // => 'café & bar'
 */
export const decodeReferences = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) =>
        name === undefined
          ? characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
          : (NAMED.get(name) ?? whole),
      )
    : text;

/** No character is a surrogate, or past the last one. */
const characterOf = (code: number): string => {
  const isOne = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isOne ? windowsCharacters(String.fromCodePoint(code)) : '\uFFFD';
};

/** Characters of Windows from 128 on; a space where it has none. */
const WINDOWS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Replaces control characters from 128 to 159 by what pages mean by them, which not every decoder of Node does. */
export const windowsCharacters = (text: string): string =>
  text.replaceAll(/[\u0080-\u009F]/g, (each) => WINDOWS.charAt(each.charCodeAt(0) - 0x80).trim());
