import type * as cedarWasm from '@cedar-policy/cedar-wasm/nodejs';
import type {
  AuthorizationAnswer,
  CheckParseAnswer,
  DetailedError,
  Policy,
  PolicySet,
  StatefulAuthorizationCall,
  ValidationAnswer,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';
import { refusedOptions } from '../../contracts/errors/check-options.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';

/**
 * The parts of Cedar's package that are used, by what they take: schemas and entities are JSON of an app, of which its own types say the form that Cedar
 * itself has yet to check, and answers for.
 */
export interface Cedar extends Pick<
  typeof cedarWasm,
  'policySetTextToParts' | 'policyToJson' | 'preparsePolicySet'
> {
  preparseSchema(name: string, schema: unknown): CheckParseAnswer;
  checkParseEntities(call: {
    readonly entities: readonly object[];
    readonly schema?: unknown;
  }): CheckParseAnswer;
  validate(call: { readonly schema: unknown; readonly policies: PolicySet }): ValidationAnswer;
  statefulIsAuthorized(call: CedarQuestion): AuthorizationAnswer;
}

/** A question to Cedar, with entities of the app among its own. */
export type CedarQuestion = Omit<StatefulAuthorizationCall, 'entities'> & {
  readonly entities: readonly object[];
};

/** The sources of a rule by Cedar. */
export interface CedarSources {
  readonly policies: string;
  readonly schema: string | JsonObject | undefined;
  readonly entities: readonly JsonObject[];
}

/** Names under which Cedar holds what it has parsed. */
export interface ParsedPolicies {
  readonly preparsedPolicySetId: string;
  readonly preparsedSchemaName?: string;
}

/**
 * Has Cedar parse and validate policies, schema and entities, once.
 *
 * @throws {TroupeError} `policy.invalid` with what Cedar found.
 */
export const parsePolicies = (cedar: Cedar, { policies, schema, entities }: CedarSources): ParsedPolicies => {
  const staticPolicies = namedPolicies(cedar, policies);
  // Equal sources are held once, as Cedar never releases what it has parsed.
  const id = `troupe-${sha256(JSON.stringify([staticPolicies, schema ?? null]))}`;
  if (schema !== undefined) assertParsed('schema', cedar.preparseSchema(id, schema));
  assertParsed('policies', cedar.preparsePolicySet(id, { staticPolicies }));
  assertParsed(
    'entities',
    cedar.checkParseEntities({ entities, ...(schema === undefined ? {} : { schema }) }),
  );
  if (schema === undefined) return { preparsedPolicySetId: id };
  const found = cedar.validate({ schema, policies: { staticPolicies } });
  const problems = found.type === 'failure' ? found.errors : found.validationErrors.map(({ error }) => error);
  if (problems.length > 0) throw invalidCedar('policies', problems);
  return { preparsedPolicySetId: id, preparsedSchemaName: id };
};

/** The policies by their names: the annotation `@id`, or `policy` with their number from 0. */
const namedPolicies = (cedar: Cedar, text: string): Record<string, Policy> => {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure') throw invalidCedar('policies', parts.errors);
  if (parts.policy_templates.length > 0)
    throw refusalOf('its `policies` hold a template, with ?principal or ?resource: write policies');
  if (parts.policies.length === 0) throw refusalOf('its `policies` hold none: nothing would ever be allowed');
  // Cedar lists them in the order of their names, which is that of texts: policy10 is before policy2.
  const names = parts.policies.map((_, index) => `policy${index}`).toSorted();
  const named: Record<string, Policy> = {};
  for (const [index, policy] of parts.policies.entries()) {
    const read = cedar.policyToJson(policy);
    if (read.type === 'failure') throw invalidCedar('policies', read.errors);
    const name = read.json.annotations?.['id'] ?? names[index] ?? '';
    if (Object.hasOwn(named, name)) throw refusalOf(`several of its \`policies\` have the name '${name}'`);
    Object.defineProperty(named, name, { value: policy, enumerable: true });
  }
  return named;
};

const assertParsed = (option: 'policies' | 'schema' | 'entities', answer: CheckParseAnswer): void => {
  if (answer.type === 'failure') throw invalidCedar(option, answer.errors);
};

const invalidCedar = (option: string, errors: readonly DetailedError[]): TroupeError =>
  refusalOf(...errors.map((error) => `Cedar refuses its \`${option}\`: ${cedarWords(error)}`));

const refusalOf = (...problems: readonly string[]): TroupeError =>
  refusedOptions(problems, { code: 'policy.invalid', owner: 'the rule of Cedar' });

/** An error of Cedar, with its advice and its place. */
export const cedarWords = ({ message, help, sourceLocations = [] }: DetailedError): string => {
  const [place] = sourceLocations;
  return [
    message,
    ...(place === undefined ? [] : [`(at character ${place.start})`]),
    ...(place?.label ? [`: ${place.label}`] : []),
    ...(help === null ? [] : [`; ${help}`]),
  ].join(' ');
};
