import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { isSameJson } from '../../base/json/same-json.ts';
import { onDemand } from '../../base/on-demand.ts';
import {
  aBoolean,
  anything,
  aText,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  formOr,
} from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { WantedCall } from '../../contracts/tasks/eval-case.ts';
import type { Evaluator } from '../../contracts/tasks/evaluator.ts';
import type { RunCall } from './run-calls.ts';
import { callsOf } from './run-calls.ts';

/** Options of `evaluators.trajectory`. */
export interface TrajectoryOptions {
  /** The expected calls: names of tools, or calls with what their input has to contain. Default: `calls` of the case. */
  readonly calls?: readonly (string | WantedCall)[] | undefined;
  /** The order of the expected calls: `given` (default), or `any`. */
  readonly order?: 'given' | 'any' | undefined;
  /** False: no other call than the expected ones. Default true. */
  readonly extras?: boolean | undefined;
}

/**
 * Passes for a run that made the expected calls. The score is the share of them that was found, of all that were made where no others are
 * allowed: precision and recall together.
 *
 * @throws {TroupeError} `input.invalid` for invalid options.
 */
export const trajectory = (options: TrajectoryOptions = {}): Evaluator => {
  checkOptions(optionsOf(), options, { code: 'input.invalid', owner: 'a trajectory', verb: 'expect' });
  const { order = 'given', extras = true } = options;
  return {
    name: 'trajectory',
    evaluate: (examined) => {
      const made = callsOf(examined);
      const wanted = (options.calls ?? examined.case?.calls)?.map(asCall);
      if (wanted === undefined)
        throw new TroupeError(
          'input.invalid',
          'Cannot compare the calls of the run as none are expected: give the case `calls`, or write evaluators.trajectory({ calls: [ … ] })',
        );
      const found = order === 'given' ? longestInOrder(wanted, made) : pairs(wanted, made);
      const missing = wanted.filter((_, index) => !found.has(index));
      const used = new Set(found.values());
      const others = extras ? [] : made.filter((_, index) => !used.has(index));
      const all = wanted.length + others.length;
      return {
        score: all === 0 ? 1 : found.size / all,
        passed: missing.length === 0 && others.length === 0,
        reason: [
          `${found.size} of ${wanted.length} expected calls`,
          ...(missing.length === 0 ? [] : [`missing ${missing.map(wordsOf).join(', ')}`]),
          ...(others.length === 0 ? [] : [`not expected ${others.map(wordsOf).join(', ')}`]),
        ].join('; '),
      };
    },
  };
};

const optionsOf = onDemand(() =>
  optionsSchema<TrajectoryOptions>({
    calls: optional(
      listOf(
        formOr(
          (given) => typeof given === 'string',
          aText(1),
          optionsSchema<WantedCall>({ tool: aText(1), input: anything(), by: optional(aText(1)) }),
        ),
        "not a list of calls: write ['search', { tool: 'pay', input: { amount: 3 } }]",
      ),
    ),
    order: optional(oneOf(['given', 'any'])),
    extras: optional(aBoolean()),
  }),
);

const asCall = (wanted: string | WantedCall): WantedCall =>
  typeof wanted === 'string' ? { tool: wanted } : wanted;

const wordsOf = ({ tool, input }: WantedCall | RunCall): string =>
  input === undefined ? tool : `${tool}(${JSON.stringify(input).slice(0, 80)})`;

const fitsCall = ({ tool, input, by }: WantedCall, made: RunCall): boolean =>
  tool === made.tool &&
  (by === undefined || by === made.agent) &&
  (input === undefined || contains(made.input, input));

/** Objects may have more than is expected of them, at any depth; lists and all else have to be the same. */
const contains = (found: Json | undefined, wanted: Json): boolean =>
  isJsonObject(wanted) && isJsonObject(found)
    ? Object.entries(wanted).every(([key, value]) => value === undefined || contains(found[key], value))
    : isSameJson(found, wanted);

/** The longest part of the expected calls that was made in this order, as pairs of indices: a longest common subsequence. */
const longestInOrder = (
  wanted: readonly WantedCall[],
  made: readonly RunCall[],
): ReadonlyMap<number, number> => {
  const lengths = Array.from({ length: wanted.length + 1 }, () => new Uint32Array(made.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const isPair = (row: number, column: number): boolean => {
    const [one, other] = [wanted[row], made[column]];
    return one !== undefined && other !== undefined && fitsCall(one, other);
  };
  for (let row = wanted.length - 1; row >= 0; row -= 1) {
    const line = lengths[row];
    for (let column = made.length - 1; line !== undefined && column >= 0; column -= 1)
      line[column] = isPair(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  }
  const found = new Map<number, number>();
  for (let row = 0, column = 0; row < wanted.length && column < made.length;)
    if (isPair(row, column)) found.set(row++, column++);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  return found;
};

/** As many pairs as there can be in any order: augmenting paths (Kuhn 1955), as one call may fit several that are expected. */
const pairs = (wanted: readonly WantedCall[], made: readonly RunCall[]): ReadonlyMap<number, number> => {
  const owners = new Map<number, number>();
  const place = (index: number, seen: Set<number>): boolean => {
    const call = wanted[index];
    return made.some((other, column) => {
      if (call === undefined || seen.has(column) || !fitsCall(call, other)) return false;
      seen.add(column);
      const owner = owners.get(column);
      if (owner !== undefined && !place(owner, seen)) return false;
      owners.set(column, index);
      return true;
    });
  };
  wanted.forEach((_, index) => place(index, new Set()));
  return new Map([...owners].map(([column, index]) => [index, column]));
};
