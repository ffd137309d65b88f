import { isJsonObject, type Json, type JsonSchema } from '../../base/json/json.ts';
import { trimEndOf } from '../../base/text/trim-end.ts';
import { listedAlternative, pickFrom } from './offline-choices.ts';
import { fitCount, workIn } from './offline-parts.ts';
import { branchOf, listOf, propertiesOf, resolveSchema, typesOf } from './offline-schema.ts';
import { flat, shorten } from './offline-text.ts';
import {
  expressionIn,
  labelledValue,
  numberFrom,
  quotedValue,
  searchWords,
  type Found,
  type Material,
} from './offline-values.ts';

/** A value, with the number of its parts found in the prompt, and of required ones not found. */
export interface Filled {
  readonly value: Json | undefined;
  readonly found: number;
  readonly missing: number;
}

const nothing: Filled = { value: undefined, found: 0, missing: 0 };

/** Builds a value valid for `schema` from the material; `key` is the name of the property. */
export const fill = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired = true,
): Filled => {
  const plain = branchOf(resolveSchema(schema, root), root);
  const made = fillPlain(plain, key, material, root, isRequired);
  if (made.value !== undefined) return made;
  if ('default' in plain) return { value: isRequired ? plain['default'] : undefined, found: 0, missing: 0 };
  if (!isRequired) return nothing;
  if (typesOf(plain).includes('null')) return { value: null, found: 0, missing: 0 };
  return { value: fallback(plain, key, material, root), found: 0, missing: 1 };
};

/** The same for a schema without references and alternatives; without a value if the material has none. */
const fillPlain = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired: boolean,
): Filled => {
  if ('const' in schema) return { value: schema['const'], found: 0, missing: 0 };
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return asFilled(pickFrom(choices, key, material));
  const [type] = typesOf(schema).filter((each) => each !== 'null');
  switch (type) {
    case 'object':
      return fillObject(schema, key, material, root);
    case 'array':
      return fillArray(schema, key, material, root, isRequired);
    case 'integer':
    case 'number':
      return asFilled(fillNumber(schema, key, material, isRequired));
    case 'boolean':
      return fillBoolean(schema, material, isRequired);
    case 'null':
      return { value: null, found: 0, missing: 0 };
    default:
      return asFilled(fillString(schema, key, material, isRequired));
  }
};

const asFilled = (value: Json | undefined): Filled => ({
  value,
  found: value === undefined ? 0 : 1,
  missing: 0,
});

const fillObject = (schema: JsonSchema, key: string, material: Material, root: JsonSchema): Filled => {
  const properties = propertiesOf(schema);
  const required = listOf(schema['required']);
  const names = Object.keys(properties);
  const pool = { ...material.pool, siblings: names.length > 0 ? names : [key] };
  const values: [string, Json][] = [];
  let found = 0;
  let missing = 0;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const filled = fill(property, name, { ...material, pool }, root, required.includes(name));
    found += filled.found;
    missing += filled.missing;
    if (filled.value !== undefined) values.push([name, filled.value]);
  }
  return { value: Object.fromEntries(values), found, missing };
};

const fillArray = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired: boolean,
): Filled => {
  const items = isJsonObject(schema['items']) ? branchOf(resolveSchema(schema['items'], root), root) : {};
  const least = numberOf(schema['minItems'], 0);
  const most = numberOf(schema['maxItems'], Infinity);
  const texts = textsOfItems(items, key, material, least);
  if (texts !== undefined) {
    const value = fitCount(texts, least, most).map(
      (part, turn) => fill(items, key, narrowTo(material, part, turn), root).value ?? null,
    );
    return { value, found: value.length, missing: 0 };
  }
  const wanted = material.found === undefined ? 20 : Math.max(1, material.found.quotes.length);
  const values: Json[] = [];
  while (values.length < Math.min(most, wanted)) {
    // An item is as optional as the list: it is there only if the text names it.
    const { value } = fillPlain(items, key, { ...material, turn: values.length }, root, false);
    if (value === undefined || (values.includes(value) && schema['uniqueItems'] !== false)) break;
    values.push(value);
  }
  if (values.length < least) {
    if (material.purpose === 'call' && !isRequired) return nothing;
    const missing = values.length === 0 ? 1 : 0;
    while (values.length < least) values.push(fallback(items, key, material, root));
    return { value: values, found: 0, missing };
  }
  return values.length === 0 && (!isRequired || 'default' in schema)
    ? nothing
    : { value: values, found: values.length, missing: 0 };
};

/** Returns the texts that become an item each: findings, or the parts of the request; undefined for single values. */
const textsOfItems = (
  items: JsonSchema,
  key: string,
  { found, purpose, question }: Material,
  least: number,
): string[] | undefined => {
  const [type] = typesOf(items);
  if (type === 'object') {
    if (found === undefined) return workIn(question);
    if (statesFindings(items)) return found.quotes.map(({ text }) => text);
    // What has been answered needs no more work.
    return least === 0 ? [] : workIn(question);
  }
  const isPlan = purpose === 'answer' && found === undefined && TASKS.test(key);
  return isPlan && type === 'string' && !('enum' in items) ? workIn(question) : undefined;
};

/** Checks whether the items of a list state findings, rather than tasks. */
const statesFindings = (items: JsonSchema): boolean =>
  Object.keys(propertiesOf(items)).some((name) =>
    /text|statement|fact|quote|claim|finding|sentence|source|citation/i.test(name),
  );

/** Narrows the material to one part of the request, or to one finding. */
const narrowTo = (material: Material, part: string, turn: number): Material => {
  const { found, pool } = material;
  const quote = found?.quotes.find(({ text }) => text === part);
  return {
    ...material,
    turn,
    question: part,
    pool: { ...pool, text: part, used: new Set() },
    found: quote === undefined ? found : { text: part, quotes: [quote], coverage: found?.coverage ?? 0 },
  };
};

const numberOf = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** Returns the confidence for a property such as `confidence`, else a number of the answer or the request. */
const fillNumber = (
  schema: JsonSchema,
  key: string,
  { pool, found }: Material,
  isRequired: boolean,
): number | undefined => {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const least = Math.max(numberOf(schema['minimum'], -Infinity), numberOf(exclusiveMinimum, -Infinity));
  const most = Math.min(numberOf(schema['maximum'], Infinity), numberOf(exclusiveMaximum, Infinity));
  if (found !== undefined && /confiden|certain|probab|coverage|score/i.test(key)) {
    const share = Math.round(found.coverage * 100) / 100;
    const scaled = most > 1 && most !== Infinity ? Math.round(share * most) : share;
    return Math.min(Math.max(scaled, least), most);
  }
  const step = schema['type'] === 'integer' ? 1 : numberOf(schema['multipleOf'], 0);
  const fits = (value: number): boolean =>
    value <= most &&
    value >= least &&
    value !== exclusiveMaximum &&
    value !== exclusiveMinimum &&
    (step === 0 || Number.isInteger(value / step));
  // Line numbers of a citation are no numbers of the answer.
  const text = found === undefined ? pool.text : found.text.replace(/\[[^[\]]*\]/g, '');
  return numberFrom(key, { ...pool, text }, fits, isRequired);
};

/** An answer is true if anything was found; what is required of a call and has no default is false. */
const fillBoolean = (schema: JsonSchema, { found }: Material, isRequired: boolean): Filled => {
  if (found !== undefined) return asFilled(found.coverage > 0);
  return isRequired && !('default' in schema) ? { value: false, found: 0, missing: 0 } : nothing;
};

const CITES = /citation|source|reference|url|link|evidence/i;
const ANSWERS =
  /answer|text|summary|result|conclusion|response|report|content|message|explanation|reason|note|body|output|statement|claim|fact|finding|quote|point|sentence/i;
const TASKS =
  /^(?:sub)?(?:task|question|query|request|prompt|goal|instruction|step|part|todo|topic|problem|input|work|assignment|title|description)s?$/i;
const SEARCHES = /^(?:search_?)?(?:query|q|queries|keywords?|terms?|search|pattern|search_?term)$/i;

/** Returns the text that suits a property best, in its bounds; undefined if the material has none. */
const fillString = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): string | undefined => {
  // A text that is in the prompt by chance need not have the form.
  if ('pattern' in schema || ('format' in schema && schema['format'] !== 'regex')) return undefined;
  const value =
    material.purpose === 'answer'
      ? answerString(key, material, isRequired, typesOf(schema).includes('null'))
      : callString(key, material, isRequired);
  const cut = value?.slice(0, numberOf(schema['maxLength'], Infinity));
  return cut === undefined || cut.length < numberOf(schema['minLength'], 0) ? undefined : cut;
};

const answerString = (
  key: string,
  material: Material,
  isRequired: boolean,
  isNullable: boolean,
): string | undefined => {
  const { found, pool, question, turn } = material;
  if (found !== undefined) {
    if (CITES.test(key)) return unusedCitation(found, pool.used);
    if (/^(?:question|query|task)$/i.test(key)) return question;
    if (/title|heading|subject/i.test(key)) return shorten(trimEndOf(flat(question), '?.!'), 80);
    // A list of answers takes the quotes one by one, a single answer all of them.
    if (ANSWERS.test(key))
      return /s$/i.test(key)
        ? (found.quotes[turn]?.text ?? (turn === 0 ? found.text : undefined))
        : found.text;
  }
  // A nullable answer stays empty until there is one.
  if (isNullable && ANSWERS.test(key)) return undefined;
  const given = listedAlternative(key, material) ?? labelledValue(key, pool);
  if (given !== undefined) return given;
  if (TASKS.test(key)) return question;
  return isRequired ? (found?.text ?? quotedValue(pool)) : undefined;
};

const unusedCitation = ({ quotes }: Found, used: Set<string>): string | undefined => {
  const citation = quotes.map((quote) => quote.citation).find((each) => each !== '' && !used.has(each));
  if (citation !== undefined) used.add(citation);
  return citation;
};

const callString = (key: string, { pool, question }: Material, isRequired: boolean): string | undefined => {
  if (SEARCHES.test(key)) return labelledValue(key, pool) ?? searchWords(question);
  if (/expression|formula|calculation|equation/i.test(key)) return expressionIn(pool.text);
  const given = labelledValue(key, pool) ?? (isRequired ? quotedValue(pool) : undefined);
  if (given !== undefined || !isRequired) return given;
  return TASKS.test(key) || /^(?:text|message|content|body)$/i.test(key) ? question : undefined;
};

/** Builds a value that at least satisfies the schema, if the prompt contains none. */
const fallback = (schema: JsonSchema, key: string, material: Material, root: JsonSchema): Json => {
  const [choice] = 'const' in schema ? [schema['const']] : listOf(schema['enum']);
  if (choice !== undefined) return choice;
  const [example] = listOf(schema['examples']);
  if (example !== undefined) return example;
  switch (typesOf(schema).find((each) => each !== 'null')) {
    case 'object':
      return fillObject(schema, key, material, root).value ?? {};
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return leastNumber(schema);
    case 'boolean':
      return false;
    default:
      return fallbackText(schema, material);
  }
};

const leastNumber = (schema: JsonSchema): number => {
  const least = numberOf(schema['minimum'], numberOf(schema['exclusiveMinimum'], -1) + 1);
  const most = numberOf(schema['maximum'], Infinity);
  return Math.min(Math.max(0, least), most);
};

const FORMATS: Readonly<Record<string, string>> = {
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00',
  email: 'unknown@example.com',
  uri: 'about:blank',
  url: 'about:blank',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '0.0.0.0',
};

const fallbackText = (schema: JsonSchema, material: Material): string => {
  const format = schema['format'];
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format];
  if (material.purpose === 'call') return '';
  const text = material.found?.text ?? material.question;
  const most = numberOf(schema['maxLength'], Infinity);
  return text.slice(0, most).padEnd(Math.min(numberOf(schema['minLength'], 0), 10_000), '.');
};
