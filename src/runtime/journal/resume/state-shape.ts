import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { requireJson } from '../../../base/json/odd-value.ts';
import { oneLine } from '../../../base/text/printable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';

/** The states of an agent by which another is judged: an agent's type of state is inferred from the one that it is defined with. */
export interface KnownStates {
  readonly agent: string;
  readonly defined: Json;
  /** The state that the agent had at the point. */
  readonly recorded: Json;
}

/**
 * Parses a state by those that its agent is known to have: each of their keys, and of each the kind of value. A key that one of them lacks may be
 * absent, and what is null in one of them may be anything.
 *
 * @throws {TroupeError} `input.invalid` with the place and what is wrong there.
 */
export const parseState = (given: unknown, { agent, defined, recorded }: KnownStates): Json => {
  const refuse = (problem: string): TroupeError =>
    new TroupeError('input.invalid', `Cannot change the state of '${agent}' as ${problem}`);
  const state = requireJson(given, 'state', refuse);
  const misfit = misfitOf(state, [defined, recorded], 'state');
  if (misfit !== undefined) throw refuse(misfit);
  if (!isJsonObject(state) || !isJsonObject(defined) || !isJsonObject(recorded)) return state;
  for (const key of Object.keys(defined)) {
    if (!Object.hasOwn(recorded, key)) continue;
    if (!Object.hasOwn(state, key))
      throw refuse(
        `it lacks '${oneLine(key, 60)}': give ${Object.keys(defined)
          .map((each) => oneLine(each, 60))
          .join(', ')}`,
      );
    const wrong = misfitOf(
      own(state, key),
      [own(defined, key), own(recorded, key)],
      `state.${oneLine(key, 60)}`,
    );
    if (wrong !== undefined) throw refuse(wrong);
  }
  return state;
};

const own = (state: { readonly [key: string]: Json | undefined }, key: string): Json =>
  Object.hasOwn(state, key) ? (state[key] ?? null) : null;

const misfitOf = (value: Json, known: readonly Json[], at: string): string | undefined => {
  const kinds = new Set(known.map(kindOf));
  if (kinds.has('null') || kinds.has(kindOf(value))) return undefined;
  return `${at} has to be ${[...kinds].join(' or ')}: found ${kindOf(value)}`;
};

const kindOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
};
