import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { textOf } from '../calls/tool-result.ts';
import { jsonSchemaIssues } from '../schemas/json-schema-check.ts';

/** Times that a person is asked for one field. */
const MAX_TRIES = 3;

/** Fields that one request may have. */
const MAX_FIELDS = 20;

const REFUSAL = /^(decline|no thanks|refuse|cancel)\.?$/i;
const YES = /^(y|yes|true|ok|done)\.?$/i;
const NO = /^(n|no|false)\.?$/i;

/**
 * Asks a person for the input that a server wants, by one question for each field, and names the server. The answer `decline` refuses; if
 * nobody can answer, the request counts as cancelled.
 */
export const elicit = async (
  params: ElicitRequest['params'],
  server: string,
  ask: (question: string) => Promise<string>,
): Promise<ElicitResult> => {
  const wish = `The MCP server '${server}' asks: ${oneLine(params.message, 1_000)}`;
  try {
    if (params.mode === 'url')
      return await consent(`${wish} It wants you to open ${oneLine(params.url, 1_000)} (answer 'done')`, ask);
    return await fillForm(wish, toJson(params.requestedSchema), ask);
  } catch {
    return { action: 'cancel' };
  }
};

const consent = async (wish: string, ask: (question: string) => Promise<string>): Promise<ElicitResult> => {
  const said = (await ask(`${wish}, or 'decline'.`)).trim();
  return { action: YES.test(said) ? 'accept' : 'decline' };
};

const fillForm = async (
  wish: string,
  schema: Json,
  ask: (question: string) => Promise<string>,
): Promise<ElicitResult> => {
  const fields = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(fields).slice(0, MAX_FIELDS);
  if (names.length === 0) return { ...(await consent(`${wish} Answer 'yes'`, ask)), content: {} };
  const content: Record<string, FieldValue> = {};
  for (const name of names) {
    const field = fields[name];
    const answer = await askField(
      { wish, name, field: isJsonObject(field) ? field : {}, isRequired: required.includes(name) },
      ask,
    );
    if (answer === 'declined') return { action: 'decline' };
    if (answer !== undefined) content[name] = answer.value;
  }
  return { action: 'accept', content };
};

/** The values that a form may have. */
type FieldValue = string | number | boolean | string[];

interface Field {
  readonly wish: string;
  readonly name: string;
  readonly field: JsonObject;
  readonly isRequired: boolean;
}

/** The answer to one field; undefined if it is left out. */
const askField = async (
  { wish, name, field, isRequired }: Field,
  ask: (question: string) => Promise<string>,
): Promise<{ readonly value: FieldValue } | 'declined' | undefined> => {
  let problem = '';
  const preset = defaultOf(field);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const end = `Answer 'decline' to refuse${nothingMeans(preset, isRequired)}.`;
    const said = (await ask(`${wish} ${problem}${describeField(name, field)} ${end}`)).trim();
    if (REFUSAL.test(said)) return 'declined';
    if (said === '' && preset !== undefined) return { value: preset };
    if (said === '' && !isRequired) return undefined;
    const value = fieldValue(said, field);
    const issues = jsonSchemaIssues(field, toJson(value));
    if (issues.length === 0) return { value };
    problem = `(${issuesText(issues.map(({ message }) => ({ path: '', message })))}) `;
  }
  throw new Error('no valid answer');
};

/** The end of a question that may be left without an answer. */
const nothingMeans = (preset: FieldValue | undefined, isRequired: boolean): string => {
  if (preset !== undefined) return `, or nothing for ${oneLine(JSON.stringify(preset), 300)}`;
  return isRequired ? '' : ', or nothing to leave it out';
};

/** The value of a field that nobody fills in, if the server gives one that it would take. */
const defaultOf = (field: JsonObject): FieldValue | undefined => {
  const { default: given } = field;
  return given !== undefined && isFieldValue(given) && jsonSchemaIssues(field, given).length === 0
    ? given
    : undefined;
};

const isFieldValue = (value: Json): value is FieldValue =>
  Array.isArray(value)
    ? value.every((each) => typeof each === 'string')
    : ['string', 'number', 'boolean'].includes(typeof value);

const describeField = (name: string, field: JsonObject): string => {
  const title = typeof field['title'] === 'string' ? field['title'] : name;
  const description = typeof field['description'] === 'string' ? `: ${field['description']}` : '';
  const choices = choicesOf(field).map(({ value, title: shown }) =>
    shown === value ? value : `${value} (${shown})`,
  );
  const among = choices.length === 0 ? '' : `One of: ${choices.join(', ')}.`;
  return `${oneLine(`${title}${description}`, 500)}.${among === '' ? '' : ` ${oneLine(among, 500)}`}`;
};

/** A value that a field may have, and the words for it. */
interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The values that a field may have, in each of the forms that servers write them. */
const choicesOf = (field: JsonObject): readonly Choice[] => {
  const items = field['items'];
  const { enum: listed, enumNames, oneOf, anyOf } = isJsonObject(items) ? items : field;
  const written = [listed, oneOf, anyOf].find(Array.isArray) ?? [];
  const titles = Array.isArray(enumNames) ? enumNames : [];
  return written.map((each, index) => {
    const value = textOf(isJsonObject(each) ? each['const'] : each);
    return { value, title: textOf((isJsonObject(each) ? each['title'] : titles[index]) ?? value) };
  });
};

const fieldValue = (said: string, field: JsonObject): FieldValue => {
  const { type } = field;
  if (type === 'boolean') return YES.test(said) ? true : NO.test(said) ? false : said;
  if ((type === 'number' || type === 'integer') && said !== '' && Number.isFinite(Number(said)))
    return Number(said);
  const choices = choicesOf(field);
  return type === 'array'
    ? said.split(',').map((each) => pickValue(each.trim(), choices))
    : pickValue(said, choices);
};

/** The value of a choice that was named by its title. */
const pickValue = (said: string, choices: readonly Choice[]): string =>
  choices.some(({ value }) => value === said)
    ? said
    : (choices.find(({ title }) => title.toLowerCase() === said.toLowerCase())?.value ?? said);
