import { trimEndOf } from '../../base/text/trim-end.ts';
import type { JsonSchema } from '../../base/json/json.ts';
import { linearPattern } from '../../base/text/linear-pattern.ts';
import { plainText } from './offline-canonical.ts';
import { bestAlternative } from './offline-choices.ts';
import type { Material } from './offline-material.ts';
import { alternativesFor } from './offline-reading.ts';
import { typesOf } from './offline-schema.ts';
import { contentWords, flat, shorten, wordsOf } from './offline-text.ts';
import {
  cuedValue,
  currenciesIn,
  dateIn,
  EMAIL,
  formattedValue,
  labelledValue,
  matchingValue,
  objectPhrase,
  properName,
  quotedValue,
  URI,
} from './offline-values.ts';

const CITES = /citation|source|reference|url|link|evidence/i;
const ANSWERS =
  /answer|text|summary|result|conclusion|response|report|content|message|explanation|reason|note|body|output|statement|claim|fact|finding|quote|point|sentence/i;
const TASKS =
  /^(?:sub)?(?:task|question|query|request|prompt|goal|instruction|step|part|todo|topic|problem|input|work|assignment|title|description)s?$/i;
/** Checks whether a property stands for a task or a question. */
export const isTask = (key: string): boolean => TASKS.test(key);

const SEARCHES = /^(?:search_?)?(?:query|q|queries|keywords?|terms?|search|pattern|search_?term)$/i;

/** Picks the text that suits a property best; undefined if the material has none. */
export const fillString = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): string | undefined => {
  const value = stringFor(schema, key, material, isRequired);
  if (value === undefined) return undefined;
  const most = lengthOf(schema, 'maxLength', Infinity);
  const least = lengthOf(schema, 'minLength', 0);
  const cut = value.length > most ? value.slice(0, most) : value;
  return cut.length < least ? undefined : cut;
};

const stringFor = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): string | undefined => {
  const { pool, contexts } = material;
  if (typeof schema['format'] === 'string') {
    const formatted = formattedValue(schema['format'], pool, contexts);
    if (formatted !== undefined || schema['format'] !== 'regex') return formatted;
  }
  if (typeof schema['pattern'] === 'string') return patternValue(schema['pattern'], material);
  return material.purpose === 'answer'
    ? answerString(key, material, isRequired, typesOf(schema).includes('null'))
    : callString(schema, key, material, isRequired);
};

const patternValue = (pattern: string, { pool }: Material): string | undefined => {
  const whole = linearPattern(pattern);
  const part = linearPattern(pattern.replace(/^\^/, '(?<![\\w-])').replace(/\$$/, '(?![\\w-])'));
  const found = part?.find(pool.text);
  if (found === undefined || found === '' || whole?.test(found) !== true || pool.used.has(found))
    return undefined;
  pool.used.add(found);
  return found;
};

const answerString = (
  key: string,
  material: Material,
  isRequired: boolean,
  isNullable: boolean,
): string | undefined => {
  const { found, pool, contexts, question } = material;
  if (found !== undefined) {
    if (CITES.test(key)) {
      const citation = found.quotes
        .map((quote) => quote.citation)
        .find((each) => each !== '' && !pool.used.has(each));
      if (citation !== undefined) pool.used.add(citation);
      return citation;
    }
    if (/^(?:question|query|task)$/i.test(key)) return question;
    if (/title|heading|subject/i.test(key)) return shorten(trimEndOf(flat(question), '?.!'), 80);
    if (ANSWERS.test(key)) {
      if (!/s$/i.test(key) || material.turn === 0) return nextOf(found, key, material);
      return found.quotes[material.turn]?.text;
    }
  }
  // A nullable answer stays empty until there is one.
  if (isNullable && ANSWERS.test(key)) return undefined;
  const alternatives = alternativesFor(key, contexts);
  if (alternatives.length > 0) return bestAlternative(alternatives, material);
  const own = labelledValue(key, pool);
  if (own !== undefined) return own;
  if (TASKS.test(key)) return question;
  const cued = cuedValue(key, pool);
  if (cued !== undefined || !isRequired) return cued;
  return found?.text ?? quotedValue(pool) ?? properName(pool);
};

/** A list of answers takes its quotes one by one, a single answer all of them. */
const nextOf = (
  found: NonNullable<Material['found']>,
  key: string,
  material: Material,
): string | undefined =>
  /s$/i.test(key) && found.quotes.length > 0 ? found.quotes[material.turn]?.text : found.text;

const callString = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): string | undefined => {
  const { pool, question, contexts } = material;
  const about = `${material.topic} ${key} ${plainText(schema['description'] ?? '')} ${pool.siblings.join(' ')}`;
  if (SEARCHES.test(key)) return labelledValue(key, pool) ?? searchWords(question);
  if (/expression|formula|calculation|equation/i.test(key)) return expressionIn(pool.text);
  if (/currenc/i.test(about) && /from|to|source|target|currency|base|quote/i.test(key)) {
    const codes = currenciesIn(pool.text).filter((code) => !pool.used.has(code));
    const [code] = codes;
    if (code !== undefined) pool.used.add(code);
    return code;
  }
  if (/e?mail|recipient|attendee|participant|invitee|guest|^to$|^cc$|^bcc$/i.test(key)) {
    const email = matchingValue(pool, EMAIL);
    if (email !== undefined) return email;
  }
  if (/url|uri|link|website/i.test(key)) return matchingValue(pool, URI);
  if (/date|^day$|deadline/i.test(key)) {
    const date = dateIn(pool.text, contexts);
    if (date !== undefined) return date;
  }
  const own = labelledValue(key, pool) ?? cuedValue(key, pool);
  if (own !== undefined) return own;
  if (!isRequired) return undefined;
  const quoted = quotedValue(pool);
  if (quoted !== undefined) return quoted;
  if (/city|place|location|country|town|person|customer|company/i.test(key)) return properName(pool);
  if (/^(?:title|name|subject|item|label|product|event|summary)$/i.test(key)) return objectPhrase(pool);
  if (TASKS.test(key) || /^(?:text|input|message|content|prompt|body)$/i.test(key)) return question;
  const [only] = pool.siblings;
  return pool.siblings.length === 1 && only === key ? (properName(pool) ?? objectPhrase(pool)) : undefined;
};

/** Returns the search terms of a question: its content words, in their order and spelling. */
export const searchWords = (question: string): string => {
  const telling = new Set(contentWords(question));
  const words = question.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$.@/-]*(?<![./-])/gu) ?? [];
  const kept = words.filter((word) => wordsOf(word).some((part) => telling.has(part)));
  return [...new Set(kept)].join(' ') || flat(question);
};

/** Extracts an arithmetic expression: "(2 + 3) * 4"; undefined if there is none. */
export const expressionIn = (text: string): string | undefined => {
  const plain = text
    .replace(/[×x](?=\s*\d)/g, '*')
    .replace(/÷/g, '/')
    .replace(/\bplus\b/gi, '+')
    .replace(/\bminus\b/gi, '-')
    .replace(/\b(?:times|multiplied by)\b/gi, '*')
    .replace(/\bdivided by\b/gi, '/')
    .replace(/(\d),(?=\d{3}\b)/g, '$1');
  const found = plain
    .match(/[\d(][\d\s.+\-*/^%()]*/g)
    ?.map((each) => each.replace(/(?<=[\d)])[^\d)]*$/, ''))
    .filter((each) => /^[^].*[\d)]$/s.test(each))
    .sort((a, b) => b.length - a.length)[0];
  return found;
};

const lengthOf = (schema: JsonSchema, key: string, otherwise: number): number => {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
};
