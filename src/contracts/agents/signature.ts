import type { Json } from '../../base/json/json.ts';
import type { Schema } from '../../base/schemas/schema.ts';

/** A parsed field of a signature. */
export interface SignatureField {
  readonly name: string;
  readonly type: FieldType;
  /** May be omitted: `name?`. */
  readonly isOptional: boolean;
  /** Default value: `= 3`. */
  readonly fallback?: Json | undefined;
  /** Shown to the model: `"the words in quotes"`. */
  readonly description?: string | undefined;
}

/** The type of a field. A date is text as `2026-01-31`, or with a time. */
export type FieldType =
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'json' | 'date' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly of: FieldType };

/** The parsed signature: input fields and output fields. */
export interface SignatureFields {
  readonly inputs: readonly SignatureField[];
  readonly outputs: readonly SignatureField[];
}

/** A signature string compiled: two schemas, typed by the string itself. */
export interface Signature<Text extends string = string> extends SignatureFields {
  /** Printed in a canonical form. */
  readonly text: string;
  readonly input: SignatureInputSchema<Text>;
  readonly output: SignatureOutputSchema<Text>;
}

/** The input type: `{ question: string }` of `'question: string -> answer: string'`. */
export type SignatureInput<Text extends string> = Given<Side<Text, 'inputs'>>;

/** The output type: `{ answer: string }` of `'question: string -> answer: string'`. */
export type SignatureOutput<Text extends string> = Taken<Side<Text, 'outputs'>>;

/** The schema of what a signature takes. */
export type SignatureInputSchema<Text extends string> = Schema<
  Given<Side<Text, 'inputs'>>,
  Taken<Side<Text, 'inputs'>>
>;

/** The output schema of a signature. */
export type SignatureOutputSchema<Text extends string> = Schema<
  Given<Side<Text, 'outputs'>>,
  Taken<Side<Text, 'outputs'>>
>;

/** The schema of a list of fields without an arrow: `'answer: string, confidence: number'`. */
export type FieldListSchema<Text extends string> = Schema<Given<FieldsOf<Text>>, Taken<FieldsOf<Text>>>;

/** The string itself, or a sentence that says what is wrong with it: this makes a bad literal a compile error. */
export type ValidSignature<Text extends string> = string extends Text
  ? string
  : ReadSides<Text> extends { readonly error: infer Message }
    ? Message
    : Text;

/** As {@link ValidSignature}, for a list of fields without an arrow. */
export type ValidFieldList<Text extends string> = string extends Text
  ? string
  : ReadFields<Text> extends { readonly error: infer Message }
    ? Message
    : Text;

/** Type of an agent's `input` or `output`: a schema, a list of fields, or a whole signature, which describes both. */
export type Described = Schema | string | undefined;

/** The schema of an agent's input; a signature given as the output defines it too. */
export type InputSchemaOf<Input extends Described, Output extends Described> = Input extends string
  ? Input extends `${string}->${string}`
    ? SignatureInputSchema<Input>
    : FieldListSchema<Input>
  : Input extends Schema
    ? Input
    : Output extends `${string}->${string}`
      ? SignatureInputSchema<Output>
      : undefined;

/** The schema of an agent's output; a signature given as the input defines it too. */
export type OutputSchemaOf<Input extends Described, Output extends Described> = Output extends string
  ? Output extends `${string}->${string}`
    ? SignatureOutputSchema<Output>
    : FieldListSchema<Output>
  : Output extends Schema
    ? Output
    : Input extends `${string}->${string}`
      ? SignatureOutputSchema<Input>
      : undefined;

/** Any description but a string that cannot be parsed. */
export type ValidDescription<Given extends Described> = Given extends string
  ? Given extends `${string}->${string}`
    ? ValidSignature<Given>
    : ValidFieldList<Given>
  : unknown;

// From here on the compiler reads the string. A field is [name, type, mark], a list of them a union.

type Mark = 'required' | 'optional' | 'fallback';
type Field = readonly [name: string, type: unknown, mark: Mark];

/** Fields that are only known at run time. */
type AnyField = readonly [string, Json, 'required'];

type Side<Text extends string, Which extends 'inputs' | 'outputs'> = string extends Text
  ? AnyField
  : ReadSides<Text> extends { readonly [K in Which]: infer Fields extends Field }
    ? Fields
    : never;

type FieldsOf<Text extends string> = string extends Text
  ? AnyField
  : ReadFields<Text> extends { readonly inputs: infer Fields extends Field }
    ? Fields
    : never;

type Named<Fields extends Field, Marks extends Mark> = Extract<Fields, readonly [string, unknown, Marks]>;

/** On input, fields with a default may be omitted. */
type Given<Fields extends Field> = Flat<
  { [F in Named<Fields, 'required'> as F[0]]: F[1] } & {
    [F in Named<Fields, 'optional' | 'fallback'> as F[0]]?: F[1] | undefined;
  }
>;

/** Once checked, what has a fallback is there. */
type Taken<Fields extends Field> = Flat<
  { [F in Named<Fields, 'required' | 'fallback'> as F[0]]: F[1] } & {
    [F in Named<Fields, 'optional'> as F[0]]?: F[1] | undefined;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

type ReadSides<Text extends string> =
  Read<TrimStart<Plain<Text>>, never, never> extends infer Found
    ? Found extends { readonly inputs: unknown; readonly outputs: undefined }
      ? { readonly error: "Write an '->' between what goes in and what comes out" }
      : Found
    : never;

type ReadFields<Text extends string> =
  Read<TrimStart<Plain<Text>>, never, never> extends infer Found
    ? Found extends { readonly inputs: unknown; readonly outputs: infer Outputs }
      ? Outputs extends undefined
        ? Found
        : { readonly error: "A list of fields has no '->'" }
      : Found
    : never;

/** The string without its descriptions. */
type Plain<Text extends string> = Text extends `${infer Before}"${string}"${infer After}`
  ? Plain<`${Before} ${After}`>
  : Text;

type TrimStart<Text extends string> = Text extends `${' ' | '\n' | '\r' | '\t'}${infer Rest}`
  ? TrimStart<Rest>
  : Text;

type Cut<Text extends string, At extends string> = Text extends `${infer Before}${At}${string}`
  ? Before
  : Text;

/** Up to the first character that cannot be part of a name. */
type Word<Text extends string> = CutAll<
  Text,
  [',', ' ', '\n', '\r', '\t', '?', ':', '=', '[', ']', '-', '|', ')', '(', "'"]
>;

type CutAll<Text extends string, At extends readonly string[]> = At extends readonly [
  infer First extends string,
  ...infer More extends readonly string[],
]
  ? CutAll<Cut<Text, First>, More>
  : Text;

type Rest<Text extends string, Start extends string> = Text extends `${Start}${infer After}`
  ? TrimStart<After>
  : '';

/** Reads field after field; after an arrow what was found becomes the inputs. */
type Read<Text extends string, Inputs, Found> =
  Word<Text> extends infer Name extends string
    ? Name extends ''
      ? { readonly error: `Write the name of a field here: '${Text}'` }
      : ReadMark<Rest<Text, Name>> extends readonly [infer IsOptional, infer Type, infer After extends string]
        ? ReadFallback<After> extends readonly [infer HasFallback, infer Next extends string]
          ? Continue<
              Next,
              Inputs,
              | Found
              | readonly [
                  Name,
                  Type,
                  HasFallback extends true ? 'fallback' : IsOptional extends true ? 'optional' : 'required',
                ]
            >
          : never
        : ReadMark<Rest<Text, Name>>
    : never;

type Continue<Text extends string, Inputs, Found> = Text extends ''
  ? [Inputs] extends [never]
    ? { readonly inputs: Found; readonly outputs: undefined }
    : { readonly inputs: Inputs; readonly outputs: Found }
  : Text extends `,${infer After}`
    ? Read<TrimStart<After>, Inputs, Found>
    : Text extends `->${infer After}`
      ? [Inputs] extends [never]
        ? Read<TrimStart<After>, Found, never>
        : { readonly error: "One '->' is enough" }
      : { readonly error: `Write a comma before '${Text}'` };

type ReadMark<Text extends string> = Text extends `?${infer After}`
  ? ReadColon<TrimStart<After>, true>
  : ReadColon<Text, false>;

type ReadColon<Text extends string, IsOptional> = Text extends `:${infer After}`
  ? ReadType<TrimStart<After>> extends readonly [infer Type, infer Next]
    ? readonly [IsOptional, Type, Next]
    : ReadType<TrimStart<After>>
  : readonly [IsOptional, string, Text];

/** A type and what follows it. */
type ReadType<Text extends string> = Text extends `'${string}`
  ? ReadValues<Text, never>
  : Text extends `(${infer Values}`
    ? ReadValues<TrimStart<Values>, never> extends readonly [infer Type, `)${infer After}`]
      ? ReadLists<Type, TrimStart<After>>
      : { readonly error: `Close the bracket: '(${Values}'` }
    : Text extends `${'list' | 'List'}[${infer Item}`
      ? ReadType<TrimStart<Item>> extends readonly [infer Type, `]${infer After}`]
        ? ReadLists<Type[], TrimStart<After>>
        : { readonly error: `Close the bracket: 'list[${Item}'` }
      : Word<Text> extends infer Name extends keyof TypeNames
        ? ReadLists<TypeNames[Name], Rest<Text, Name>>
        : { readonly error: `There is no type '${Word<Text>}'` };

type ReadLists<Type, Text extends string> = Text extends `[]${infer After}`
  ? ReadLists<Type[], TrimStart<After>>
  : readonly [Type, Text];

type ReadValues<Text extends string, Values> = Text extends `'${infer Value}'${infer After}`
  ? TrimStart<After> extends `|${infer Next}`
    ? ReadValues<TrimStart<Next>, Values | Value>
    : readonly [Values | Value, TrimStart<After>]
  : { readonly error: `Write a value in single quotes here: '${Text}'` };

type ReadFallback<Text extends string> = Text extends `=${infer After}`
  ? TrimStart<After> extends `'${string}'${infer Next}`
    ? readonly [true, TrimStart<Next>]
    : readonly [true, SkipLiteral<TrimStart<After>>]
  : readonly [false, Text];

type SkipLiteral<Text extends string> =
  Cut<Cut<Cut<Cut<Text, ','>, '->'>, ' '>, '\n'> extends infer Literal extends string
    ? Rest<Text, Literal>
    : never;

interface TypeNames {
  string: string;
  str: string;
  number: number;
  float: number;
  integer: number;
  int: number;
  boolean: boolean;
  bool: boolean;
  json: Json;
  dict: Json;
  date: string;
}
