import { isJsonObject, type Json } from '../contracts/json.ts';
import { plainText } from './offline-canonical.ts';
import { flat, sentencesOf } from './offline-text.ts';

/** A sentence, list item or line of code that can be quoted. */
export interface Quote {
  readonly text: string;
  /** As the source printed it, without brackets; empty where it printed none. */
  readonly citation: string;
  /** Everything that stands with it: the passage with its heading. */
  readonly around: string;
  /** Which passage of all it is from; sentences of one passage share it. */
  readonly passage: number;
}

/** A stretch of text under one citation. */
export interface CitedText {
  readonly citation: string;
  readonly text: string;
}

/** `[path:3-9]` or `[path:3]`. */
const LINES = /\[([^[\]\n]{1,300}?:\d+(?:-\d+)?)\](?!\()/g;

/** `[notes.md]` or `[2]` after a space; not the text of a Markdown link, not an index. */
const LOOSE = /(?<=^|\s)\[([^[\]\s]+\.[a-z]{1,5}|\d{1,3})\](?!\()/gm;

/** The citations of a text, where they stand. Numbers and file names count only where nothing cites lines. */
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
  let heading = '';
  for (const { citation, at, end } of citationsIn(text)) {
    const between = text.slice(start, at).trim();
    const opens = /(^|\n)[ \t>*-]*$/.test(text.slice(0, at));
    const last = parts.at(-1);
    if (between !== '')
      parts.push({ citation: heading === '' && !opens ? citation : heading, text: between });
    else if (!opens && heading === '' && last !== undefined) {
      // Two citations after one sentence: it has both.
      parts[parts.length - 1] = { ...last, citation: `${last.citation}] [${citation}` };
    }
    if (opens) heading = citation;
    start = end;
  }
  const rest = text.slice(start).trim();
  if (rest !== '') parts.push({ citation: heading, text: rest });
  // "3 passages were found:" before the first heading only announces what follows.
  return heading === ''
    ? parts
    : parts.filter((part, index) => index > 0 || part.citation !== '' || !part.text.endsWith(':'));
};

/** Everything in `text` that can be quoted, in order. */
export const quotesIn = (text: string, firstPassage = 0): Quote[] =>
  citedTexts(readable(text)).flatMap((cited, index) =>
    unitsOf(cited.text.replace(SPEAKER, '')).map((unit) => ({
      text: unit,
      citation: cited.citation,
      around: cited.text,
      passage: firstPassage + index,
    })),
  );

/** `researcher-1: ` before what an agent said. */
const SPEAKER =
  /^(?:[-*]\s+)?[`*]*(?:[a-z][a-z\d]*(?:[-_ ][a-z\d]+)*|[A-Z]\w*[-_ ]\d+)[`*]*:\s+(?=[\p{Lu}\d"“`])/u;

/** JSON as text with its citations before it; other text as it is. */
const readable = (text: string): string => {
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

/** A plain value in words: `temperature: 18, unit: celsius`. */
export const statement = (value: Json): string => {
  if (Array.isArray(value)) return value.map((item: Json) => statement(item)).join('; ');
  if (!isJsonObject(value)) return plainText(value);
  return Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined)
    .map(([key, item]) => `${key}: ${statement(item ?? null)}`)
    .join(', ');
};

/** Sentences of prose, items of lists, lines of code: what stands by itself. */
export const unitsOf = (text: string): string[] => {
  const units: string[] = [];
  let prose: string[] = [];
  let isFenced = false;
  const flush = (): void => {
    if (prose.length > 0) units.push(...sentencesOf(prose.join(' ')).map(flat));
    prose = [];
  };
  for (const raw of text.split('\n')) {
    const line = raw.replace(/^\s*(?:\/\*\*?|\*\/|\*(?=\s|$)|\/\/+|>+)\s?/, '').replace(/\s*\*\/\s*$/, '');
    if (/^\s*(```|~~~)/.test(line)) {
      flush();
      isFenced = !isFenced;
    } else if (line.trim() === '' || /^\s*([=-]{3,}|\|[\s|:-]+\|)\s*$/.test(line)) flush();
    else if (/^\s*#{1,6}\s/.test(line)) {
      flush();
      units.push(flat(line.replace(/^\s*#+\s*/, '')));
    } else if (isFenced || isCode(raw)) {
      flush();
      units.push(flat(line));
    } else if (/^\s*([-*+•]|\d+[.)]|\||@\w)\s*/.test(line)) {
      flush();
      prose.push(line.replace(/^\s*([-*+•]|\d+[.)])\s+/, ''));
    } else prose.push(line);
  }
  flush();
  return units.filter((unit) => /[\p{L}\p{N}]/u.test(unit));
};

const isCode = (line: string): boolean =>
  !/^\s*(\*|\/\/|\/\*|>)/.test(line) &&
  (/[;{}]\s*(\/\/.*)?$|=>|^\s*[\w$.]+\(.*\)\s*,?$/.test(line) ||
    /^\s*(import|export|const|let|var|function|return|if|for|class|interface|type)\s[^.]*[=({]/.test(line));
