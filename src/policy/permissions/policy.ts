import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import { refusedOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { keepOrigins } from '../origins/keep-origins.ts';
import { idleRules } from './idle-rules.ts';
import { judgeBy } from './judge.ts';
import type { Property } from '../../contracts/properties/property.ts';
import { guardBy } from '../properties/run-guard.ts';
import type { Policy, PolicyOptions } from './policy-options.ts';
import { checkPolicy } from './policy-schema.ts';
import type { PolicyRule, RuleFunction } from './rule.ts';

/**
 * Makes a policy, which judges every tool call of a run, those of members and children included, before it is made.
 *
 * The first of these decides: a rule that denies; the mode `plan`; the checks of files; rules that ask, the terms of all of which must be met; the other
 * modes; a rule that allows; last, what only reads is allowed, and anything else is asked about. It fails closed: a function that throws,
 * never settles or returns no verdict denies the call, and so does a request where nobody is there to answer. What a tool asks for by its own
 * `approval` is asked in any case.
 *
 * @example
 * const careful = policy({
 *   mode: 'accept_edits',
 *   rules: [
 *     { name: 'no-wiping', effect: 'deny', tool: 'wipe' },
 *     { name: 'payments', effect: 'ask', tool: 'pay', by: 'lead' },
 *   ],
 *   files: { readFirst: true, protect: ['.git/**', '**\/.env*'] },
 * });
 * await clerk.run('Tidy up.', { safety: careful });
 * const same = policy(JSON.parse(JSON.stringify(careful)));
 *
 * @throws {TroupeError} `policy.invalid` for unknown and invalid options, and for rules that can never decide, each by its name.
 */
export const policy = (options: PolicyOptions = {}): Policy => {
  checkPolicy(options);
  const { mode = 'default', lead = 'team_lead', otherwise, properties = [] } = options;
  // Copied: what its owner changes later would change what was checked.
  const files = options.files && freezeJson(structuredClone(options.files));
  const rules = (options.rules ?? []).map((rule) =>
    typeof rule === 'function' ? rule : freezeJson(structuredClone(rule)),
  );
  const data = rules.filter((rule): rule is PolicyRule => typeof rule !== 'function');
  const functions = rules.filter((rule): rule is RuleFunction => typeof rule === 'function');
  const problems = [...idleRules(data), ...namesTwice(properties)];
  if (problems.length > 0) throw refusedOptions(problems, { code: 'policy.invalid', owner: 'the policy' });
  const judge = judgeBy({ mode, lead, rules: data, functions, files, otherwise });
  const toJSON = (): PolicyOptions => {
    const code = functions[0] ?? properties[0];
    if (code === undefined) return withoutUndefined({ mode, lead, rules, files, otherwise });
    const what =
      functions.length > 0 ? `rule '${code.name}' is a function` : `property '${code.name}' is code`;
    throw new TroupeError(
      'policy.invalid',
      `Cannot write the policy as data as its ${what}: write one as data, or give it where the policy is made`,
    );
  };
  // A function may read anything of a call.
  const asksForOrigins =
    functions.length > 0 || data.some(({ effect, after }) => after !== undefined && effect !== 'allow');
  const keeping = asksForOrigins ? { keepOrigins } : {};
  const guarding = properties.length === 0 ? {} : { guard: guardBy(properties) };
  return Object.freeze(
    Object.assign(judge, {
      mode,
      rules,
      properties: Object.freeze([...properties]),
      toJSON,
      ...keeping,
      ...guarding,
    }),
  );
};

/** The names of properties that are given twice: nobody who reads a denial would know which it was. */
const namesTwice = (properties: readonly Property[]): readonly string[] => {
  const names = properties.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? []
    : [`two of its properties are named '${twice}': give one another name, by \`named\``];
};
