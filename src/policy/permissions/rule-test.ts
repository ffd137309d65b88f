import type { ProposedCall } from '../../contracts/tools/safety.ts';
import { inputTest } from './argument-test.ts';
import { betweenTest } from './between.ts';
import type { OneOrMore, TextTest } from './glob.ts';
import { anyGlob, anyPathGlob, itemsOf } from './glob.ts';
import type { PolicyRule } from './rule.ts';

type CallTest = (call: ProposedCall) => boolean;

/** Compiles a rule to a test of calls, the cheapest conditions first. */
export const ruleTest = (rule: PolicyRule): CallTest => {
  const { effect, tool, agent, role, path, safety, tags, input, environment, after, between } = rule;
  // What an agent may not do, it may not have done by those that it engages.
  const isInherited = effect !== 'allow';
  const tests: CallTest[] = [];
  const add = <Given>(given: Given | undefined, testOf: (given: Given) => CallTest): void => {
    if (given !== undefined) tests.push(testOf(given));
  };
  add(tool, (globs) => onText(globs, (call) => call.tool));
  add(safety, (levels) => (call) => itemsOf(levels).includes(call.facts.safety));
  add(agent, (globs) => agentTest(anyGlob(globs), isInherited));
  add(role, (globs) => roleTest(anyGlob(globs), isInherited));
  add(path, (globs) => addressTest(anyPathGlob(globs), isInherited));
  add(tags, (globs) => tagTest(anyGlob(globs)));
  add(input, (fields) => {
    const passes = inputTest(fields, effect);
    return (call) => passes(call.input);
  });
  add(environment, (globs) => onText(globs, (call) => call.environment));
  add(between, (times) => {
    const holds = betweenTest(times);
    return (call) => holds(call.at);
  });
  add(after, (globs) => {
    const fits = anyGlob(globs);
    // What is allowed after a review is allowed to the agent that had the review, and to no reader of its messages.
    return effect === 'allow'
      ? (call) => call.earlier.some((made) => fits(made.tool))
      : (call) => call.origins.some(fits);
  });
  return (call) => tests.every((test) => test(call));
};

const onText = (globs: OneOrMore<string>, textOf: (call: ProposedCall) => string | undefined): CallTest => {
  const fits = anyGlob(globs);
  return (call) => {
    const text = textOf(call);
    return text !== undefined && fits(text);
  };
};

const agentTest =
  (fits: TextTest, isInherited: boolean): CallTest =>
  ({ agent, above }) =>
    fits(agent) || (isInherited && above.some(fits));

const tagTest =
  (fits: TextTest): CallTest =>
  ({ facts }) =>
    facts.tags.some(fits);

/** A member's part of an address is its role, with a number where there are several. */
const roleTest =
  (fits: TextTest, isInherited: boolean): CallTest =>
  ({ path }) => {
    const parts = path.split('/');
    const own = isInherited ? parts : parts.slice(-1);
    return own.some((part) => fits(part) || fits(part.replace(/-\d+$/, '')));
  };

const addressTest =
  (fits: TextTest, isInherited: boolean): CallTest =>
  ({ path }) => {
    if (fits(path)) return true;
    for (let end = path.lastIndexOf('/'); isInherited && end > 0; end = path.lastIndexOf('/', end - 1))
      if (fits(path.slice(0, end))) return true;
    return false;
  };
