import { isTroupeError } from '../../contracts/errors/error.ts';
import { blockedError, type Border } from './border.ts';
import type { TrustedGuard } from './consult-guard.ts';
import { consultGuard } from './consult-guard.ts';
import type { GuardVerdict } from './guard.ts';
import { mapTexts, textOfValue } from './text-of-value.ts';

/**
 * The text as its guards let it pass, each of which sees what the one before made of it.
 *
 * @throws (rejects with) `guardrail.blocked` if one of them blocks it.
 */
export const guardText = async (
  guards: readonly TrustedGuard[],
  given: string,
  border: Border,
): Promise<string> => {
  let text = given;
  for (const guard of guards) {
    if (text.trim() === '') break;
    const verdict = await consultGuard(guard, text, border);
    if (verdict !== undefined) text = await settle(guard, verdict, text, border);
  }
  return text;
};

/**
 * The value as its guards let it pass: they see all its texts at once, and each by itself where one has to be changed. The same value if
 * none is.
 *
 * @throws (rejects with) `guardrail.blocked` if one of them blocks it, or what it would change is not one of the texts.
 */
export const guardValue = async (
  guards: readonly TrustedGuard[],
  given: unknown,
  border: Border,
): Promise<unknown> => {
  if (typeof given === 'string') return guardText(guards, given, border);
  let value = given;
  for (const guard of guards) {
    const text = textOfValue(value);
    const verdict = text.trim() === '' ? undefined : await consultGuard(guard, text, border);
    if (verdict === undefined) continue;
    await settle(guard, verdict, text, border);
    if (verdict.text === undefined) continue;
    value = await mapTexts(value, (each) => changeText(guard, each, border));
    const left = await consultGuard(guard, textOfValue(value), border);
    if (left !== undefined)
      throw refuse(guard, { ...left, reason: `what it objects to is in no single text of it` }, border);
  }
  return value;
};

const changeText = async (guard: TrustedGuard, text: string, border: Border): Promise<string> => {
  const verdict = text.trim() === '' ? undefined : await consultGuard(guard, text, border);
  if (verdict === undefined) return text;
  if (verdict.text === undefined) throw refuse(guard, verdict, border);
  return verdict.text;
};

/** Puts a verdict on record, and returns the text to use. */
const settle = async (
  guard: TrustedGuard,
  verdict: GuardVerdict,
  text: string,
  border: Border,
): Promise<string> => {
  if (verdict.action === 'block') throw refuse(guard, verdict, border);
  if (verdict.action === 'ask' && !(await askPerson(guard, verdict, border)))
    throw refuse(guard, { ...verdict, reason: `no person let it pass (${verdict.reason})` }, border);
  record(guard, verdict, border);
  return verdict.text ?? text;
};

const refuse = (guard: TrustedGuard, verdict: GuardVerdict, border: Border): Error => {
  record(guard, { ...verdict, action: 'block' }, border);
  return blockedError(guard.name, border, verdict.reason);
};

/** Puts what a guard did on record, without the text. */
const record = (
  { name }: TrustedGuard,
  { action, reason }: GuardVerdict,
  { emit, place, tool }: Border,
): void => {
  emit?.('guardrail.acted', { guard: name, place, ...(tool === undefined ? {} : { tool }), action, reason });
};

const askPerson = async (
  { name }: TrustedGuard,
  { reason }: GuardVerdict,
  { ask, place, tool }: Border,
): Promise<boolean> => {
  if (ask === undefined) return false;
  const where = tool === undefined ? place : `${place} of ${tool}`;
  try {
    const said = await ask(
      `The guard '${name}' stopped a text (${where}): ${reason}. Let it pass? (yes, no)`,
    );
    return /^(?:y|yes|ok|okay)[.!]?$/i.test(said.trim());
  } catch (thrown) {
    if (isTroupeError(thrown, 'tool.failed') || isTroupeError(thrown, 'request.expired')) return false;
    throw thrown;
  }
};
