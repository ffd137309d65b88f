import type { JsonObject } from '../../base/json/json.ts';
import { aFunction, aText, fulfilling, isObject, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import type { ProposedCall, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { RuleFunction } from '../permissions/rule.ts';
import type { Cedar, CedarQuestion } from './cedar-policies.ts';
import { cedarWords, parsePolicies } from './cedar-policies.ts';
import { cedarRequest } from './cedar-request.ts';
import type { FurtherFacts } from './described-call.ts';
import { describeCall } from './described-call.ts';

/** Options of {@link cedar}. */
export interface CedarOptions {
  /** Policies in Cedar's language, without templates. The record names one by its annotation `@id`, else `policy0`, `policy1` … */
  readonly policies: string;
  /** A schema in Cedar's language, or as JSON: policies are validated when the rule is made, and each request. Default: none. */
  readonly schema?: string | JsonObject | undefined;
  /** Entities as JSON, for attributes and groups of agents, roles and tools. Default: none. */
  readonly entities?: readonly JsonObject[] | undefined;
  /** Further facts of a call, such as the tenant in the run's `context`: they are `context.also`. Default: none. */
  readonly also?: FurtherFacts | undefined;
}

const check = optionsCheck<CedarOptions>({ code: 'policy.invalid', owner: 'the rule of Cedar' }, () => ({
  policies: aText(1),
  schema: optional(
    fulfilling(
      (given) => (typeof given === 'string' ? given !== '' : isObject(given) && !Array.isArray(given)),
      'neither a text nor an object',
    ),
  ),
  entities: optional(
    fulfilling(
      (given) => Array.isArray(given) && given.every(isObject),
      'not a list of entities: write [{ uid, attrs, parents }]',
    ),
  ),
  also: optional(aFunction()),
}));

/**
 * Makes a rule by which Cedar decides, in the process; needs the package `@cedar-policy/cedar-wasm`, and Node.
 *
 * A call is a request: `principal` is `Agent::"clerk"`, within its `Role` and the agents above it; `action` is `Action::"pay"`, with the toolset
 * `Action::"files.write"`; `resource` is `Tool::"pay"` with `safety`, `category` and `tags`, within its `Toolset`; `context` has `input`, `path`, `after`
 * (origins of what the agent has read), `time`, and `environment` and `also` where there are any. Numbers that are not whole are decimals, and null is absent.
 *
 * As Cedar has it, a call is denied that no policy permits, or that one forbids. It fails closed: where evaluating any policy fails, too, as a
 * `forbid` that was passed over would allow. Test with `has` what may be absent.
 *
 * @example
 * const rule = await cedar({
 *   policies: `
 *     @id("small-payments") permit (principal in Agent::"desk", action == Action::"pay", resource)
 *       when { context.input has euros && context.input.euros < 1000 };
 *     @id("no-mail-after-web") forbid (principal, action == Action::"send", resource)
 *       when { context.after.contains("web.read") };
 *   `,
 * });
 * await clerk.run('Pay it.', { safety: policy({ rules: [rule] }) });
 *
 * @throws {TroupeError} `policy.invalid` for options, policies, a schema and entities that do not hold, with what Cedar says;
 * `policy.package-missing` where the package is not installed.
 */
export const cedar = async (options: CedarOptions): Promise<RuleFunction> => {
  const { policies, schema, entities = [], also } = structuredData(check(options));
  const engine = await loadCedar();
  const parsed = parsePolicies(engine, { policies, schema, entities });
  const rule = (call: ProposedCall): SafetyVerdict => {
    try {
      return judgeCall(engine, { ...parsed, ...cedarRequest(describeCall(call, also), entities) });
    } catch (thrown) {
      return { verdict: 'deny', rule: 'cedar', reason: `Cedar cannot judge it: ${messageOf(thrown)}` };
    }
  };
  return Object.defineProperty(rule, 'name', { value: 'cedar' });
};

/** Copied: what its owner changes later would change what was checked. */
const structuredData = ({ also, ...data }: CedarOptions): CedarOptions => ({
  ...structuredClone(data),
  also,
});

const loadCedar = (): Promise<Cedar> =>
  loadPackage(
    '@cedar-policy/cedar-wasm',
    () => import('@cedar-policy/cedar-wasm/nodejs').catch(rethrow),
    'policy.package-missing',
  );

const judgeCall = (engine: Cedar, question: CedarQuestion): SafetyVerdict => {
  const answer = engine.statefulIsAuthorized({
    ...question,
    validateRequest: question.preparsedSchemaName !== undefined,
  });
  if (answer.type === 'failure') return denial('cedar', answer.errors.map(cedarWords).join('; '));
  const { decision, diagnostics } = answer.response;
  const [failed] = diagnostics.errors;
  if (failed !== undefined)
    return denial(failed.policyId, `the policy '${failed.policyId}' failed: ${cedarWords(failed.error)}`);
  const [decided] = diagnostics.reason.toSorted();
  if (decision === 'allow') return { verdict: 'allow', rule: decided ?? 'cedar' };
  return decided === undefined
    ? denial('cedar', 'no policy of Cedar permits it')
    : denial(decided, `the policy '${decided}' forbids it`);
};

const denial = (rule: string, reason: string): SafetyVerdict => ({ verdict: 'deny', rule, reason });
