import { toJson } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import { modelAnswer } from '../../contracts/models/model.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import type { BlameOptions, RepairPoint } from './blame-options.ts';
import type { Point, Said } from './point.ts';

/** Asks a caller's `repair` about a point. @throws {TroupeError} `input.invalid` for what cannot be said. */
export const repairOf = async (
  { kind, agent, path, step, seq, tool, recorded }: Point,
  repair: BlameOptions['repair'],
  now: Pick<RepairPoint, 'request' | 'input' | 'sample'>,
): Promise<Said | undefined> => {
  const given: unknown = await repair?.({ kind, agent, path, step, seq, tool, recorded, ...now });
  if (given === undefined) return undefined;
  const { text, calls } = typeof given === 'string' ? { text: given } : fieldsOf(given);
  const said = {
    text: text ?? recorded.text,
    ...(kind === 'answer' ? { calls: calls ?? recorded.calls } : {}),
  };
  if (said.text.trim() === '' && (said.calls ?? []).length === 0)
    throw unfit(seq, 'it would say nothing and call nothing');
  return said;
};

/** A model's answer of those words and calls. */
export const answerSaying = ({ text, calls = [] }: Said): ModelAnswer =>
  modelAnswer({ text, calls: calls.map((call, index) => ({ id: `given_${index}`, ...call })) });

/** A tool's result of that text: the value that it stands for, where that is JSON. */
export const resultSaying = ({ text }: Said): Json => {
  try {
    const value = toJson(JSON.parse(text));
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
};

const fieldsOf = (given: unknown): Partial<Said> => {
  const fields = isObject(given) ? given : {};
  const text: unknown = Reflect.get(fields, 'text');
  const calls: unknown = Reflect.get(fields, 'calls');
  const isText = text === undefined || typeof text === 'string';
  const isCalls = calls === undefined || Array.isArray(calls);
  if (!isText || !isCalls || (text ?? calls) === undefined) throw odd(given);
  return {
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined ? {} : { calls: calls.map((call: unknown) => callFrom(call, given)) }),
  };
};

const callFrom = (call: unknown, given: unknown) => {
  const name: unknown = isObject(call) ? Reflect.get(call, 'name') : undefined;
  if (typeof name !== 'string' || !isObject(call)) throw odd(given);
  return { name, input: toJson(Reflect.get(call, 'input')) };
};

const odd = (given: unknown): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot repair a point as \`repair\` returned what is none: return a text, { text, calls: [{ name, input }] } or undefined, found ${foundText(given)}`,
  );

const unfit = (seq: number, why: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot repair event ${seq} as ${why}: return a text, or a call`);
