import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import type { FieldType, SignatureField, SignatureFields } from '../../contracts/agents/signature.ts';
import { fieldSchema } from './signature-schema.ts';

/**
 * Reads a signature: `question: string, context?: string -> answer: string, confidence: number = 0.5 "from 0 to 1"`.
 *
 * ```
 * signature = fields "->" fields
 * fields    = field { "," field }
 * field     = name [ "?" ] [ ":" type ] [ "=" literal ] [ '"' description '"' ]
 * type      = ( word | values | "(" values ")" | "list[" type "]" ) { "[]" }
 * values    = "'" value "'" { "|" "'" value "'" }
 * word      = string | number | integer | boolean | json | date      (also str, float, int, bool, dict)
 * ```
 *
 * @throws {TroupeError} `agent.invalid`, with a caret under the place.
 */
export const parseSignature = (text: string): SignatureFields => new Reader(text).signature();

/** Reads one side of a signature: `answer: string, confidence: number`. */
export const parseFieldList = (text: string): readonly SignatureField[] => new Reader(text).fieldList();

type Word = Exclude<FieldType['kind'], 'enum' | 'list'>;

const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  ['string', 'string'],
  ['str', 'string'],
  ['number', 'number'],
  ['float', 'number'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['json', 'json'],
  ['dict', 'json'],
  ['date', 'date'],
]);

/** Names that an object cannot hold safely. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Maximum depth of nested lists. */
const MAX_DEPTH = 8;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  signature(): SignatureFields {
    this.#space();
    if (this.#isDone) this.#fail('it is empty');
    if (this.#sees('->')) this.#fail('it has no inputs');
    const inputs = this.#fields();
    if (!this.#takes('->')) this.#fail(this.#isDone ? "it has no '->'" : "',' or '->' was expected");
    if (this.#isDone) this.#fail('it has no outputs');
    const outputs = this.#fields();
    if (this.#sees('->')) this.#fail("it has more than one '->'");
    if (!this.#isDone) this.#fail("',' was expected");
    return { inputs, outputs };
  }

  fieldList(): readonly SignatureField[] {
    this.#space();
    if (this.#isDone) this.#fail('it is empty');
    const fields = this.#fields();
    if (this.#sees('->')) this.#fail("a list of fields has no '->'");
    if (!this.#isDone) this.#fail("',' was expected");
    return fields;
  }

  #fields(): readonly SignatureField[] {
    const fields: SignatureField[] = [];
    do {
      const at = this.#at;
      const field = this.#field();
      if (fields.some(({ name }) => name === field.name))
        this.#fail(`the field '${field.name}' is there twice`, at);
      fields.push(field);
    } while (this.#takes(','));
    return fields;
  }

  #field(): SignatureField {
    const start = this.#at;
    const name = this.#match(/[A-Za-z_][A-Za-z0-9_]*/y);
    if (name === undefined) this.#fail('the name of a field was expected');
    if (RESERVED.has(name)) this.#fail(`'${name}' cannot be the name of a field`, start);
    const isOptional = this.#takes('?');
    const type: FieldType = this.#takes(':') ? this.#type(0) : { kind: 'string' };
    if (this.#sees('?')) this.#fail("the '?' stands after the name");
    const fallback = this.#takes('=') ? this.#literal(type) : undefined;
    const description = this.#sees('"') ? this.#description() : undefined;
    return {
      name,
      type,
      isOptional,
      ...(fallback === undefined ? {} : { fallback }),
      ...(description === undefined ? {} : { description }),
    };
  }

  #type(depth: number): FieldType {
    if (depth > MAX_DEPTH) this.#fail('lists are nested too deeply');
    let type: FieldType;
    if (this.#sees("'")) return { kind: 'enum', values: this.#values() };
    if (this.#takes('(')) {
      type = { kind: 'enum', values: this.#values() };
      if (!this.#takes(')')) this.#fail("')' was expected");
    } else {
      const start = this.#at;
      const word = this.#match(/[A-Za-z_]+/y);
      if (word === undefined) this.#fail('a type was expected');
      const kind = WORDS.get(word);
      if (/^list$/i.test(word) && this.#takes('[')) {
        type = { kind: 'list', of: this.#type(depth + 1) };
        if (!this.#takes(']')) this.#fail("']' was expected");
      } else if (kind === undefined) this.#fail(`there is no type '${word}'`, start);
      else type = { kind };
    }
    for (let lists = depth; this.#takes('[]'); lists += 1) {
      if (lists >= MAX_DEPTH) this.#fail('lists are nested too deeply');
      type = { kind: 'list', of: type };
    }
    return type;
  }

  #values(): readonly string[] {
    const values: string[] = [];
    do {
      const start = this.#at;
      const value = this.#match(/'([^'"\n]*)'/y)?.slice(1, -1);
      if (value === undefined) this.#fail('a value in single quotes was expected');
      if (values.includes(value)) this.#fail(`the value '${value}' is there twice`, start);
      values.push(value);
    } while (this.#takes('|'));
    return values;
  }

  #literal(type: FieldType): Json {
    const start = this.#at;
    const quoted = this.#match(/'([^'"\n]*)'/y);
    const plain =
      quoted === undefined
        ? this.#match(/-?(?:0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?|true|false|null|\[\]|\{\}/y)
        : undefined;
    if (quoted === undefined && plain === undefined)
      this.#fail('a number, true, false, null, [], {} or a text in single quotes was expected');
    const value: Json = quoted === undefined ? jsonOf(plain ?? 'null') : quoted.slice(1, -1);
    const checked = fieldSchema(type).safeParse(value);
    if (!checked.success)
      this.#fail(`the default does not fit its type: ${messageOf(checked.error.issues[0]?.message)}`, start);
    return value;
  }

  #description(): string {
    const start = this.#at;
    const text = this.#match(/"[^"\n]*"/y);
    if (text === undefined) this.#fail('the description is not closed', start);
    return text.slice(1, -1);
  }

  get #isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  #sees(token: string): boolean {
    return this.#text.startsWith(token, this.#at);
  }

  #takes(token: string): boolean {
    if (!this.#sees(token)) return false;
    this.#at += token.length;
    this.#space();
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    this.#space();
    return found;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #fail(reason: string, at = this.#at): never {
    throw new TroupeError(
      'agent.invalid',
      `Cannot read the signature as ${reason}:\n${pointAt(this.#text, at)}`,
      { details: { signature: this.#text, position: at } },
    );
  }
}

const jsonOf = (text: string): Json => {
  const value: Json = JSON.parse(text);
  return value;
};

/** The length of a long line that is quoted before and after the place. */
const SHOWN = 60;

/** The line with a caret under the place. */
const pointAt = (text: string, at: number): string => {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at);
  const from = Math.max(lineStart, at - SHOWN);
  const line = text.slice(from, Math.min(lineEnd < 0 ? text.length : lineEnd, at + SHOWN));
  return `  ${line.replaceAll('\t', ' ')}\n  ${' '.repeat(at - from)}^`;
};
