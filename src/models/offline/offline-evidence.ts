import { canonical } from '../../base/json/canonical.ts';
import { isJsonObject, type Json } from '../../base/json/json.ts';
import { unitsOf, type Unit } from './offline-units.ts';

/** A sentence, list item or line of code that can be quoted. */
export interface Quote extends Unit {
  /** As the source printed it, without brackets; empty where it printed none. */
  readonly citation: string;
  /** The surrounding passage with its heading. */
  readonly around: string;
  /** Index of its passage; sentences of one passage share it. */
  readonly passage: number;
}

/** A stretch of text under one citation. */
export interface CitedText {
  readonly citation: string;
  /** The text on the line of a citation that starts a passage: its title. */
  readonly heading: string;
  readonly text: string;
}

/** `[path:3-9]` or `[path:3]`. */
const LINES = /\[([^[\]\n]{1,300}?:\d+(?:-\d+)?)\](?!\()/g;

/** `[notes.md]` or `[2]` after a space; not the text of a Markdown link, not an index. */
const LOOSE = /(?<=^|\s)\[([^[\]\s]+\.[a-z]{1,5}|\d{1,3})\](?!\()/gm;

/** Finds the citations in a text. Numbers and file names count only if no citation has line numbers. */
export const citationsIn = (
  text: string,
): { readonly citation: string; readonly at: number; readonly end: number }[] => {
  const strict = [...text.matchAll(LINES)];
  return (strict.length > 0 ? strict : [...text.matchAll(LOOSE)]).map((match) => ({
    citation: match[1] ?? '',
    at: match.index,
    end: match.index + match[0].length,
  }));
};

/**
 * Takes a text apart at its citations. A citation that opens a line is a heading over what follows; any other one
 * closes the sentence before it.
 */
export const citedTexts = (text: string): CitedText[] => {
  const parts: CitedText[] = [];
  let start = 0;
  let over = '';
  for (const { citation, at, end } of citationsIn(text)) {
    const between = text.slice(start, at);
    const opens = /(^|\n)[ \t>*-]*$/.test(text.slice(0, at));
    const last = parts.at(-1);
    if (between.trim() !== '')
      parts.push(over === '' ? trailing(opens ? '' : citation, between) : splitHeading(over, between));
    else if (!opens && over === '' && last !== undefined) {
      // Two citations after one sentence: it has both.
      parts[parts.length - 1] = { ...last, citation: `${last.citation}] [${citation}` };
    }
    if (opens) over = citation;
    start = end;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '') parts.push(over === '' ? trailing('', rest) : splitHeading(over, rest));
  // "3 passages were found:" before the first heading only announces what follows.
  return over === ''
    ? parts
    : parts.filter((part, index) => index > 0 || part.citation !== '' || !part.text.endsWith(':'));
};

const trailing = (citation: string, text: string): CitedText => ({
  citation,
  heading: '',
  text: text.trim(),
});

const splitHeading = (citation: string, text: string): CitedText => {
  const [, title = '', below = ''] = /^([^\n]*)\n([^]*)$/.exec(text) ?? [];
  const isTitle = below.trim() !== '' && !/[.!?:]$/.test(title.trim());
  return isTitle
    ? { citation, heading: title.trim(), text: below.trim() }
    : { citation, heading: '', text: text.trim() };
};

/** Everything in `text` that can be quoted, in order. */
export const quotesIn = (text: string, firstPassage = 0): Quote[] =>
  citedTexts(toReadable(text)).flatMap((cited, index) =>
    unitsOf(cited.text.replace(SPEAKER, '')).map((unit) => ({
      ...unit,
      citation: cited.citation,
      around: `${cited.heading} ${cited.text}`,
      passage: firstPassage + index,
    })),
  );

/** `researcher-1: ` before an agent's report. */
const SPEAKER =
  /^(?:[-*]\s+)?[`*]*(?:[a-z][a-z\d]*(?:[-_ ][a-z\d]+)*|[A-Z]\w*[-_ ]\d+)[`*]*:\s+(?=[\p{Lu}\d"“`])/u;

/** Renders JSON as text preceded by its citations; other text is unchanged. */
const toReadable = (text: string): string => {
  const value = jsonIn(text);
  if (Array.isArray(value)) return value.map((item: Json) => entry(item)).join('\n\n');
  return isJsonObject(value) ? entry(value) : text;
};

const entry = (value: Json): string => {
  if (!isJsonObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const list = Object.values(value).find((item) => Array.isArray(item) && item.some(isJsonObject));
  if (Array.isArray(list)) return list.map((item: Json) => entry(item)).join('\n\n');
  const source = ['citation', 'url', 'source', 'path', 'id']
    .map((key) => value[key])
    .find((id) => typeof id === 'string');
  const texts = Object.entries(value).filter(
    ([, item]) => typeof item === 'string' && item !== source && item.includes(' '),
  );
  const body =
    texts.length > 0 ? texts.map(([, item]) => plainText(item ?? null)).join('\n') : statement(value);
  return source === undefined ? body : `[${source}]\n${body}`;
};

/** The value of a text that is one JSON value; undefined for any other. */
export const jsonIn = (text: string): Json | undefined => {
  const plain = text.trim();
  if (!/^[[{]/.test(plain)) return undefined;
  try {
    const value: Json = JSON.parse(plain);
    return value;
  } catch {
    return undefined;
  }
};

/** Renders a value within a sentence: a text verbatim, anything else as JSON. */
export const plainText = (value: Json): string => (typeof value === 'string' ? value : canonical(value));

/** Renders a value in words: `temperature: 18, unit: celsius`. */
export const statement = (value: Json): string => {
  if (Array.isArray(value)) return value.map((item: Json) => statement(item)).join('; ');
  if (!isJsonObject(value)) return plainText(value);
  return Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined)
    .map(([key, item]) => `${key}: ${statement(item ?? null)}`)
    .join(', ');
};
