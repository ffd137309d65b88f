import { isThenable } from '../../base/promises/thenable.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { bothTerms, termsOf } from '../../contracts/people/approval-terms.ts';
import type { ApprovalTerms } from '../../contracts/people/approval-terms.ts';
import { parseVerdict } from '../../contracts/tools/parse-verdict.ts';
import type { ProposedCall, SafetyStrategy, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { FileChecks } from './file-checks.ts';
import { anyGlob } from './glob.ts';
import { fileTest, isEdit } from './file-checks.ts';
import type { PolicyOptions } from './policy-options.ts';
import type { PolicyRule, RuleFunction } from './rule.ts';
import { ruleTest } from './rule-test.ts';

/** The rules and checks of a policy. */
export interface Judgement {
  readonly mode: NonNullable<PolicyOptions['mode']>;
  readonly lead: string;
  readonly rules: readonly PolicyRule[];
  readonly functions: readonly RuleFunction[];
  readonly files: FileChecks | undefined;
  readonly otherwise: PolicyOptions['otherwise'];
}

type Test = (call: ProposedCall) => boolean;

/**
 * Makes the strategy of a policy. The first of these decides: a rule that denies, the mode `plan`, the checks of files, rules that ask, the other
 * modes, a rule that allows, `otherwise`; last, what only reads is allowed, and anything else is asked about.
 */
export const judgeBy = ({ mode, lead, rules, functions, files, otherwise }: Judgement): SafetyStrategy => {
  const compiled = rules.map((rule): Compiled => ({ rule, test: ruleTest(rule), reason: reasonOf(rule) }));
  const ofEffect = (effect: PolicyRule['effect']) => compiled.filter(({ rule }) => rule.effect === effect);
  const [denying, asking, allowing] = [ofEffect('deny'), ofEffect('ask'), ofEffect('allow')];
  const checkFiles = files === undefined ? undefined : fileTest(files);

  const settle = (call: ProposedCall, said: readonly SafetyVerdict[]): SafetyVerdict => {
    const isRead = call.facts.safety === 'read';
    const denied = said.find(({ verdict }) => verdict === 'deny');
    if (denied !== undefined) return denied;
    if (mode === 'plan' && !isRead)
      return { verdict: 'deny', rule: 'mode plan', reason: 'this run only plans' };
    // Before any rule asks, or a yes would have done what the checks deny: one more rule would make the policy laxer.
    const misplaced = checkFiles?.(call);
    if (misplaced !== undefined) return misplaced;
    const terms = [
      ...termsOfRules(asking, call),
      ...said.flatMap((each) => (each.verdict === 'ask' ? [termsOf(each)] : [])),
    ];
    if (terms.length > 0) return { verdict: 'ask', ...terms.reduce(bothTerms) };
    if (mode === 'team_lead_approval_required' && !isRead)
      return { verdict: 'ask', rule: 'mode team_lead_approval_required', by: lead };
    if (mode === 'bypass' && !isRead) return { verdict: 'allow', rule: 'mode bypass' };
    if (mode === 'accept_edits' && isEdit(call)) return { verdict: 'allow', rule: 'mode accept_edits' };
    const allowed = allowing.find(({ test }) => test(call));
    if (allowed !== undefined) return { verdict: 'allow', rule: allowed.rule.name };
    const granted = said.find(({ verdict }) => verdict === 'allow');
    if (granted !== undefined) return granted;
    if (otherwise === 'deny')
      return { verdict: 'deny', rule: 'otherwise', reason: 'no rule of the policy allows it' };
    return isRead ? { verdict: 'allow' } : { verdict: 'ask', rule: `mode ${mode}` };
  };

  return (call) => {
    const denied = denying.find(({ test }) => test(call));
    if (denied !== undefined) {
      const { name } = denied.rule;
      return { verdict: 'deny', rule: name, reason: denied.reason(call) ?? `the rule '${name}' denies it` };
    }
    if (functions.length === 0) return settle(call, []);
    const said = functions.map((rule) => verdictOf(rule, call));
    const isLate = said.some((each) => isThenable(each));
    return isLate
      ? Promise.all(said.map((each) => Promise.resolve(each))).then((settled) => settle(call, settled.flat()))
      : settle(
          call,
          said.flatMap((each) => (isThenable(each) ? [] : each)),
        );
  };
};

interface Compiled {
  readonly rule: PolicyRule;
  readonly test: Test;
  readonly reason: (call: ProposedCall) => string | undefined;
}

/** The reason of a rule: its own, else the origins for which it matches, which a person would have to find in the log. */
const reasonOf = ({ reason, after }: PolicyRule): Compiled['reason'] => {
  if (reason !== undefined || after === undefined) return () => reason;
  const fits = anyGlob(after);
  return ({ agent, origins }) => `'${agent}' has read what came from ${origins.filter(fits).join(', ')}`;
};

const termsOfRules = (asking: readonly Compiled[], call: ProposedCall): readonly ApprovalTerms[] =>
  asking
    .filter(({ test }) => test(call))
    .map(({ rule: { name, ...rule }, reason }) => ({
      ...termsOf({ ...rule, reason: reason(call) }),
      rule: name,
    }));

/** The verdict of a function, if it has one. What it throws, and what is no verdict, denies the call where the policy is consulted. */
const verdictOf = (
  rule: RuleFunction,
  call: ProposedCall,
): readonly SafetyVerdict[] | Promise<readonly SafetyVerdict[]> => {
  const name = rule.name === '' ? 'a function' : rule.name;
  const failed = (thrown: unknown): never => {
    throw new Error(`the rule '${name}' failed: ${messageOf(thrown)}`, { cause: thrown });
  };
  const read = (said: unknown): readonly SafetyVerdict[] =>
    said === undefined ? [] : [{ rule: name, ...parseVerdict(said) }];
  try {
    const said = rule(call);
    return isThenable(said) ? Promise.resolve(said).then(read).catch(failed) : read(said);
  } catch (thrown) {
    return failed(thrown);
  }
};
