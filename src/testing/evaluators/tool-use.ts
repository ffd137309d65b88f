import { canonical } from '../../base/json/canonical.ts';
import { onDemand } from '../../base/on-demand.ts';
import { aText, listOf, optional, optionsSchema, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import type { Evaluator } from '../../contracts/tasks/evaluator.ts';
import type { RunCall } from './run-calls.ts';
import { callsOf } from './run-calls.ts';

/** Options of `evaluators.toolUse`. */
export interface ToolUseOptions {
  /** Tools that have to be called at least once, with success. */
  readonly used?: readonly string[] | undefined;
  /** Tools that must not be called. */
  readonly unused?: readonly string[] | undefined;
  /** The most calls, of all tools. */
  readonly most?: number | undefined;
  /** The most calls that fail or are denied. */
  readonly mostFailed?: number | undefined;
  /** The most calls that repeat an earlier one: the same tool with the same input, by the same agent. */
  readonly mostRepeated?: number | undefined;
}

/**
 * Passes for a run that used its tools as it should. The score is the share of the conditions that hold.
 *
 * @throws {TroupeError} `input.invalid` for invalid options.
 */
export const toolUse = (options: ToolUseOptions): Evaluator => {
  checkOptions(optionsOf(), options, { code: 'input.invalid', owner: 'the use of tools', verb: 'expect' });
  return {
    name: 'toolUse',
    evaluate: (examined) => {
      const conditions = conditionsOf(options, callsOf(examined));
      const broken = conditions.filter(({ holds }) => !holds);
      return {
        score: conditions.length === 0 ? 1 : 1 - broken.length / conditions.length,
        passed: broken.length === 0,
        ...(broken.length === 0 ? {} : { reason: broken.map(({ words }) => words).join('; ') }),
      };
    },
  };
};

interface Condition {
  readonly holds: boolean;
  /** The way in which it does not hold. */
  readonly words: string;
}

const conditionsOf = (
  { used = [], unused = [], most, mostFailed, mostRepeated }: ToolUseOptions,
  calls: readonly RunCall[],
): readonly Condition[] => {
  const of = (tool: string): readonly RunCall[] => calls.filter((call) => call.tool === tool);
  const atMost = (limit: number | undefined, found: number, what: string): readonly Condition[] =>
    limit === undefined ? [] : [{ holds: found <= limit, words: `${found} calls ${what}, at most ${limit}` }];
  return [
    ...used.map((tool) => ({
      holds: of(tool).some(({ ok }) => ok === true),
      words: of(tool).length === 0 ? `'${tool}' was not called` : `'${tool}' had no success`,
    })),
    ...unused.map((tool) => ({
      holds: of(tool).length === 0,
      words: `'${tool}' was called ${of(tool).length} times`,
    })),
    ...atMost(most, calls.length, 'in all'),
    ...atMost(mostFailed, calls.filter(({ ok }) => ok === false).length, 'failed or were denied'),
    ...atMost(mostRepeated, calls.length - new Set(calls.map(digestOf)).size, 'repeat an earlier one'),
  ];
};

const digestOf = ({ agent, tool, input }: RunCall): string => canonical([agent, tool, input]);

const optionsOf = onDemand(() =>
  optionsSchema<ToolUseOptions>({
    used: optional(listOf(aText(1), 'not a list of names of tools')),
    unused: optional(listOf(aText(1), 'not a list of names of tools')),
    most: optional(wholeNumber(0)),
    mostFailed: optional(wholeNumber(0)),
    mostRepeated: optional(wholeNumber(0)),
  }),
);
