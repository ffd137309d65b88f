import { withinTime } from '../../base/promises/within-time.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import type { Border } from './border.ts';
import type { Guard, GuardVerdict } from './guard.ts';

/** A guard whose reasons are its own words, never those of a text. */
export interface TrustedGuard extends Guard {
  readonly isTrusted?: boolean | undefined;
}

/** Default time of a verdict, in ms. */
const TIMEOUT_MS = 5_000;

/** The verdict of a guard on a text; undefined if it may pass. A guard that fails blocks. Rejects only if the call was aborted. */
export const consultGuard = async (
  guard: TrustedGuard,
  text: string,
  border: Border,
): Promise<GuardVerdict | undefined> => {
  const { timeoutMs = TIMEOUT_MS } = guard;
  const { place, tool, agent, runId, key, clock } = border;
  const over = new AbortController();
  const outer = border.signal();
  const signal = AbortSignal.any([outer, over.signal]);
  try {
    const said: unknown = await withinTime<unknown>(
      guard.check(text, { place, tool, agent, runId, key, signal }),
      { ms: timeoutMs, clock, late: () => new LateGuard() },
    );
    return readVerdict(said, guard, text);
  } catch (thrown) {
    over.abort();
    outer.throwIfAborted();
    return block(
      thrown instanceof LateGuard
        ? `it gave no verdict within ${timeoutMs} ms`
        : `it threw ${kindOf(thrown)}`,
    );
  }
};

class LateGuard extends Error {}

const block = (reason: string): GuardVerdict => ({ action: 'block', reason });

/** The kind of a thrown value: its message may quote the text. */
const kindOf = (thrown: unknown): string =>
  thrown instanceof Error && /^\w{1,40}$/.test(thrown.constructor.name)
    ? thrown.constructor.name
    : 'no error';

const INVALID = block('its verdict is none: write { action, reason, text }');

/** Reads what a guard returned: anything but a verdict blocks. */
const readVerdict = (
  said: unknown,
  { name, isTrusted }: TrustedGuard,
  text: string,
): GuardVerdict | undefined => {
  if (said === undefined) return undefined;
  if (!isObject(said)) return INVALID;
  const { action, reason, text: given } = said as Readonly<Record<string, unknown>>;
  if (typeof reason !== 'string' || reason.trim() === '') return INVALID;
  const why = isTrusted === true ? reason : reasonApart(reason, text);
  if (action === 'block' || action === 'ask') return { action, reason: why };
  if (action !== 'redact' && action !== 'replace') return INVALID;
  if (action === 'redact' && given === undefined) return { action, reason: why, text: `[redacted ${name}]` };
  if (typeof given !== 'string') return INVALID;
  return given === text ? block(`it would ${action} a text by itself`) : { action, reason: why, text: given };
};

/** The longest reason, and the longest piece of a text in one, in characters. */
const LONGEST_REASON = 200;
const LONGEST_QUOTE = 8;

/** A reason as far as it does not quote the text: it is on record, and the text may be withheld. */
const reasonApart = (given: string, text: string): string => {
  const reason = given.slice(0, LONGEST_REASON);
  const small = text.toLowerCase();
  const said = reason.toLowerCase();
  const longest = Math.min(LONGEST_QUOTE, small.trim().length);
  for (let from = 0; from + longest <= said.length; from += 1)
    if (small.includes(said.slice(from, from + longest))) return 'its reason quotes the text';
  return reason;
};
