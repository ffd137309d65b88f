import { stem } from '../../base/text/stem.ts';
import { numbersIn, wordsOf } from './offline-text.ts';

/** A text from which each value is taken only once. */
export interface Pool {
  readonly text: string;
  /** Used values: a second parameter needs another one. */
  readonly used: Set<string>;
  /** Names of all parameters: where one starts, the value of another ends. */
  readonly siblings: readonly string[];
}

/** Splits a property's name into words. */
export const keyWords = (key: string): string[] =>
  [...new Set(wordsOf(key))].filter(
    (word, _, all) => all.length === 1 || word !== key.toLowerCase() || !/[_A-Z]/.test(key),
  );

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns a pattern for a property's name as written in a sentence. */
const patternOfName = (key: string): string => keyWords(key).map(escape).join('[ _-]?');

const take = (pool: Pool, value: string | undefined): string | undefined => {
  const plain = value?.trim();
  if (plain === undefined || plain === '' || pool.used.has(plain)) return undefined;
  pool.used.add(plain);
  return plain;
};

const QUOTED = `"([^"]+)"|“([^“”]+)”|(?<!\\w)'([^']+)'(?!\\w)|«([^«»]+)»|\`([^\`]+)\``;

/**
 * Extracts the value given under the property's own name: `subject: Hello`, `the title is "Launch"`, `titled 'Launch'`.
 */
export const labelledValue = (key: string, pool: Pool): string | undefined => {
  const name = patternOfName(key);
  if (name === '') return undefined;
  const quoted = new RegExp(`\\b${name}(?:d|ed|s)?\\b[^"“'«\`\\n.]{0,20}?(?:${QUOTED})`, 'i').exec(pool.text);
  const inQuotes = quoted?.slice(1).find((group) => group !== undefined);
  if (inQuotes !== undefined) return take(pool, inQuotes);
  const others = pool.siblings
    .filter((other) => other !== key)
    .map(patternOfName)
    .filter((other) => other !== '');
  const stop =
    others.length === 0
      ? ''
      : `|,?\\s+(?:and\\s+)?(?:the\\s+|a\\s+)?(?:${others.join('|')})\\b\\s*(?::|=|is\\b)`;
  const after = new RegExp(
    `\\b${name}\\b\\s*(?::|=|\\bis\\b|\\bset to\\b)\\s*(.+?)(?=\\n|$|;${stop})`,
    'i',
  ).exec(pool.text)?.[1];
  return take(pool, after?.replace(/[.,]$/, ''));
};

/** Takes the next unused quoted text. */
export const quotedValue = (pool: Pool): string | undefined => {
  for (const match of pool.text.matchAll(new RegExp(QUOTED, 'g'))) {
    const taken = take(
      pool,
      match.slice(1).find((group) => group !== undefined),
    );
    if (taken !== undefined) return taken;
  }
  return undefined;
};

/** Takes the next text that matches a pattern (its first group, if it has one) and that `accepts` admits. */
export const matchingValue = (
  pool: Pool,
  pattern: RegExp,
  accepts: (value: string) => boolean = () => true,
): string | undefined => {
  const global = new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`);
  for (const match of pool.text.matchAll(global)) {
    const value = match[1] ?? match[0];
    if (!accepts(value)) continue;
    const taken = take(pool, value);
    if (taken !== undefined) return taken;
  }
  return undefined;
};

export const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;
export const URI = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s"'<>)\]]*[^\s"'<>)\].,;:?!]/i;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i;
const TIME = /\b(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\b/;

/** A value in one of JSON Schema's formats; undefined for a format that is not known or not there. */
export const formattedValue = (
  format: string,
  pool: Pool,
  contexts: readonly string[],
): string | undefined => {
  switch (format) {
    case 'email':
    case 'idn-email':
      return matchingValue(pool, EMAIL);
    case 'uri':
    case 'url':
    case 'iri':
      return matchingValue(pool, URI);
    case 'uuid':
      return matchingValue(pool, UUID);
    case 'date':
      return dateIn(pool.text, contexts);
    case 'time': {
      const time = TIME.exec(pool.text)?.[0];
      return time === undefined ? undefined : fullTime(time);
    }
    case 'date-time': {
      const whole = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/.exec(pool.text)?.[0];
      if (whole !== undefined)
        return /(?:Z|[+-]\d\d:\d\d)$/.test(whole) ? whole : `${whole.length === 16 ? `${whole}:00` : whole}Z`;
      const date = dateIn(pool.text, contexts);
      return date === undefined ? undefined : `${date}T${fullTime(TIME.exec(pool.text)?.[0] ?? '00:00')}Z`;
    }
    case 'ipv4':
      return matchingValue(pool, /\b(?:\d{1,3}\.){3}\d{1,3}\b/);
    default:
      return undefined;
  }
};

const fullTime = (time: string): string => {
  const [hours = '0', minutes = '00', seconds = '00'] = time.split(':');
  return `${hours.padStart(2, '0')}:${minutes}:${seconds}`;
};

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const MONTH = MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join('|');

/**
 * Extracts a date as `2026-03-12`. "Tomorrow" and the like are relative to the date that the prompt states; without one
 * they are ignored, as this model has no clock.
 */
export const dateIn = (text: string, contexts: readonly string[]): string | undefined => {
  const plain = /\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0];
  if (plain !== undefined) return plain;
  const today = contexts
    .map((context) => /\b(?:today|current date|date|now)\b[^\n\d]{0,20}(\d{4}-\d\d-\d\d)/i.exec(context)?.[1])
    .find((date) => date !== undefined);
  const dayFirst = new RegExp(
    `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})\\.?,? ?(\\d{4})?\\b`,
    'i',
  ).exec(text);
  const monthFirst = new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b,?(?: (\\d{4}))?`, 'i').exec(
    text,
  );
  const [day, month, year] =
    dayFirst === null ? [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]] : dayFirst.slice(1);
  if (day !== undefined && month !== undefined) {
    const number = MONTHS.findIndex((name) => name.startsWith(month.slice(0, 3).toLowerCase())) + 1;
    const inYear = year ?? today?.slice(0, 4);
    return inYear === undefined
      ? undefined
      : `${inYear}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
  }
  return today === undefined ? undefined : relativeDate(text, today);
};

const relativeDate = (text: string, today: string): string | undefined => {
  const from = Date.parse(`${today}T00:00:00Z`);
  const plus = (days: number): string => new Date(from + days * 86_400_000).toISOString().slice(0, 10);
  if (/\bday after tomorrow\b/i.test(text)) return plus(2);
  if (/\btomorrow\b/i.test(text)) return plus(1);
  if (/\byesterday\b/i.test(text)) return plus(-1);
  if (/\b(?:today|tonight)\b/i.test(text)) return today;
  const ahead = /\bin (\w+) (day|week)s?\b/i.exec(text);
  const count = ahead === null ? undefined : numbersIn(ahead[1] ?? '')[0]?.value;
  if (count !== undefined) return plus(count * (ahead?.[2]?.toLowerCase() === 'week' ? 7 : 1));
  const day = DAYS.findIndex((name) => new RegExp(`\\b${name}\\b`, 'i').test(text));
  if (day < 0) return undefined;
  const away = (day - new Date(from).getUTCDay() + 7) % 7;
  return plus(away === 0 ? 7 : away);
};

const CURRENCIES: Readonly<Record<string, string>> = {
  USD: 'us dollars?|dollars?|\\$',
  EUR: 'euros?|€',
  GBP: 'british pounds?|pounds?|sterling|£',
  JPY: '(?:japanese )?yen|¥',
  CHF: 'swiss francs?|francs?',
  INR: '(?:indian )?rupees?|₹',
  CNY: '(?:chinese )?yuan|renminbi',
  SEK: 'swedish kron[ao]r?',
  CAD: 'canadian dollars?',
  AUD: 'australian dollars?',
};

/** Returns the currency codes in a text, in order. */
export const currenciesIn = (text: string): string[] => {
  const found = [...text.matchAll(/\b[A-Z]{3}\b/g)].map((match) => ({
    code: match[0],
    at: match.index,
    length: 3,
  }));
  for (const [code, names] of Object.entries(CURRENCIES)) {
    for (const match of text.matchAll(new RegExp(`(?<!\\w)(?:${names})(?!\\w)|[$€£¥₹](?=\\d)`, 'gi'))) {
      if (new RegExp(`^(?:${names})$`, 'i').test(match[0]))
        found.push({ code, at: match.index, length: match[0].length });
    }
  }
  // The longer name wins where two overlap: "canadian dollars".
  return found
    .filter(
      (one) =>
        !found.some(
          (other) =>
            other !== one &&
            other.length > one.length &&
            one.at >= other.at &&
            one.at < other.at + other.length,
        ),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ code }) => code);
};

/** Prepositions that lead to a value, by what the property is called. */
const CUES: readonly (readonly [keys: string, prepositions: string])[] = [
  ['city location place town country region area venue', 'in|at|for|near|of|to'],
  ['room zone site', 'in|of|for|at'],
  ['from origin source start departure', 'from'],
  ['to destination target recipient receiver', 'to|into'],
  ['with attendees participants guests people members', 'with|between|for|inviting'],
  ['name person user assignee customer owner contact', 'named|called|for|to|by'],
  ['date day when deadline due', 'on|by|at|due'],
  ['time hour', 'at|around|by'],
  ['topic subject about theme', 'about|regarding|on|concerning'],
  ['title name label', 'called|titled|named|entitled'],
  [
    'body message text content note',
    'saying|that says|telling (?:them|him|her)(?: that)?|stating|which says|with the (?:text|message|body)',
  ],
  ['language locale', 'in|into|to'],
  ['unit units', 'in'],
];

const STOPS =
  'in|on|at|for|from|to|into|with|by|and|about|saying|that|as|called|titled|named|due|regarding|using|between|inviting|which|then|of';

/**
 * Extracts the text after the preposition that belongs to such a property: `city` in "the weather in New York on
 * Monday".
 */
export const cuedValue = (key: string, pool: Pool): string | undefined => {
  const words = keyWords(key).map((word) => stem(word));
  for (const [keys, prepositions] of CUES) {
    if (!keys.split(' ').some((name) => words.includes(stem(name)))) continue;
    const isTail = prepositions.startsWith('saying');
    const until = isTail ? '(?=\\s*$|\\n)' : `(?=\\s+(?:${STOPS})\\b|[,;?!]|\\.(?:\\s|$)|\\n|$)`;
    const taken = matchingValue(
      pool,
      new RegExp(`\\b(?:${prepositions})\\s+(?:the\\s+)?(?!(?:${STOPS})\\b)([^,;?!\\n]+?)${until}`, 'i'),
      (value) => !/^(?:me|you|us|it|this|that|a|an)$|^\d+$/i.test(value.trim()),
    );
    if (taken !== undefined) return taken.replace(/^["'“]|["'”.]$/g, '');
  }
  return undefined;
};

/** A name in capitals that does not merely open the sentence. */
export const properName = (pool: Pool): string | undefined =>
  matchingValue(pool, /(?<=[\p{Ll}\p{N},;:'"(] ?\s?)(\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*)/u);

/** Extracts the object of an instruction: "design review" in "Schedule a design review on Monday". */
export const objectPhrase = (pool: Pool): string | undefined => {
  const found =
    /^(?:please\s|can you\s|could you\s)?\p{L}+\s(?:me\s)?(?:an?\s|the\s|my\s|our\s)?(.+?)(?=\s(?:in|on|at|for|from|to|with|by|about|called|titled|named|due)\b|[,.;?!\n]|$)/iu.exec(
      pool.text.trim().replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' ')),
    );
  return take(pool, found?.[1]);
};
