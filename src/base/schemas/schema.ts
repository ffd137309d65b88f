import type { AsJson } from '../json/json.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** Any Standard Schema: zod, valibot, arktype … (https://standardschema.dev). */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** The input type of the schema `S`; `Fallback` without a schema. */
export type InputOf<S, Fallback = string> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : Fallback;

/** The type of a value validated by the schema `S`; `Fallback` without a schema. */
export type OutputOf<S, Fallback = string> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : Fallback;

/**
 * The type of what is kept of a value validated by the schema `S`: its output, if JSON holds it; otherwise what its codecs
 * encode it to, or the JSON form of its output.
 */
export type KeptOf<S, Fallback = string> = S extends StandardSchemaV1
  ? Kept<StandardSchemaV1.InferInput<S>, StandardSchemaV1.InferOutput<S>>
  : Fallback;

type Kept<Input, Output> = [Output] extends [AsJson<Output>]
  ? Output
  : [Input] extends [AsJson<Input>]
    ? [AsJson<Output>] extends [Input]
      ? Input
      : Input | AsJson<Output>
    : AsJson<Output>;

/** One problem with a value: where (dotted path, empty for the value itself) and what. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

/** The result of validating a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** More problems than this are counted, not listed: a megabyte of wrong items must not become a megabyte of text. */
const MAX_ISSUES = 20;

/**
 * All problems in one text, for a model to mend: `a: expected number; b: required`.
 *
 * Never empty; more than twenty problems are counted rather than listed.
 */
export const issuesText = (issues: readonly SchemaIssue[]): string => {
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - listed.length;
  if (more > 0) listed.push(`and ${more} more`);
  return listed.join('; ') || 'no reason was given';
};
