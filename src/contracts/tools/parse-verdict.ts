import { isObject } from '../../base/schemas/option-schemas.ts';
import { toJson } from '../../base/json/json.ts';
import { messageOf } from '../errors/error.ts';
import type { ApprovalTerms } from '../people/approval-terms.ts';
import type { SafetyVerdict } from './safety.ts';

/** Parses a verdict: a strategy is foreign code, and throws for anything else. */
export const parseVerdict = (said: unknown): SafetyVerdict => {
  if (isObject(said) && 'verdict' in said) {
    if (said.verdict === 'allow') return { verdict: 'allow', ...textsIn(said, ['rule']) };
    if (said.verdict === 'ask') return { verdict: 'ask', ...termsIn(said) };
    if (said.verdict === 'deny') {
      const reason = 'reason' in said ? messageOf(said.reason) : 'no reason was given';
      return { verdict: 'deny', reason, ...textsIn(said, ['rule']) };
    }
  }
  throw noVerdict(said);
};

/** The terms that a verdict names: one that cannot be read must not be dropped, as it would ask for less. */
const termsIn = (said: object): ApprovalTerms => {
  const also: unknown = Reflect.get(said, 'also');
  if (also !== undefined && !(Array.isArray(also) && also.every(isObject))) throw noVerdict(said);
  return {
    ...textsIn(said, ['rule', 'reason', 'by']),
    ...numbersIn(said, ['approvals', 'expireAfterMs']),
    ...(also === undefined ? {} : { also: also.map(termsIn) }),
  };
};

const textsIn = <Field extends string>(
  said: object,
  fields: readonly Field[],
): { readonly [Each in Field]?: string } =>
  fieldsIn(said, fields, (value): value is string => typeof value === 'string' && value !== '');

const numbersIn = <Field extends string>(
  said: object,
  fields: readonly Field[],
): { readonly [Each in Field]?: number } =>
  fieldsIn(said, fields, (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1);

const fieldsIn = <Field extends string, Value>(
  said: object,
  fields: readonly Field[],
  isValue: (value: unknown) => value is Value,
): { readonly [Each in Field]?: Value } => {
  const found: { [Each in Field]?: Value } = {};
  for (const field of fields) {
    const value: unknown = Reflect.get(said, field);
    if (value === undefined) continue;
    if (!isValue(value)) throw noVerdict(said);
    found[field] = value;
  }
  return found;
};

const noVerdict = (said: unknown): TypeError =>
  new TypeError(`it answered ${JSON.stringify(toJson(said))}, which is no verdict`);
