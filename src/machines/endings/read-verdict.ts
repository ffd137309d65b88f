import type { EndingVerdict } from '../../contracts/agents/ending.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { atOnce, plain } from '../rules.ts';

/**
 * Validates and freezes the verdict of an ending policy, which is foreign code: it becomes part of the journal, of events and of the
 * conversation, so missing texts and values that are not plain JSON are refused.
 *
 * @throws {TypeError} what is wrong with it, in words.
 */
export const readVerdict = (said: EndingVerdict): EndingVerdict => {
  const verdict: EndingVerdict = atOnce(said);
  const given: unknown = verdict;
  if (typeof given !== 'object' || given === null) throw new TypeError('it gave no verdict');
  plain({ ...verdict }, undefined, 'verdict');
  const missing = missingIn(verdict);
  if (missing !== undefined) throw new TypeError(`it gave a verdict whose ${missing}`);
  return verdict;
};

const missingIn = (verdict: EndingVerdict): string | undefined => {
  switch (verdict.kind) {
    case 'end':
      return undefined;
    case 'autoComplete':
      return isThere(verdict.answer) ? undefined : 'answer is missing';
    case 'goOn':
      return noText('note', verdict.note) ?? (isThere(verdict.by) ? noText('by', verdict.by) : undefined);
    case 'giveUp':
      return noText('note', verdict.note) ?? noText('by', verdict.by);
    case 'fail':
      return isError(verdict.error) ? undefined : 'error has no code and no message';
    default:
      return `kind is ${JSON.stringify(Reflect.get(verdict, 'kind'))}`;
  }
};

const isThere = (value: unknown): boolean => value !== undefined;

const noText = (name: string, value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : `${name} is no text`;

const isError = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
