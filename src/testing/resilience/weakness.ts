import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Fault } from './fault.ts';
import type { FaultOutcome } from './resilience-report.ts';

/** A weak point, and what mends it. */
export interface Weakness {
  readonly weakness: string;
  readonly remedy: string;
}

/** Facts about a run with a fault, beside its outcome. */
export interface Circumstances {
  /** Tools that were executed twice for one call, and must not be. */
  readonly executedTwice: readonly string[];
  /** True if the answer differs without a fault, too. */
  readonly answerVaries: boolean;
  /** An error of the run that is in its answer. */
  readonly saidError: string | undefined;
}

const GARBAGE: ReadonlySet<Fault['kind']> = new Set(['model-garbled', 'model-truncated', 'tool-garbage']);

/** The weak point that an outcome shows; undefined if it is none. */
export const weaknessOf = (
  found: Pick<FaultOutcome, 'outcome' | 'fault' | 'error'>,
  { executedTwice, answerVaries, saidError }: Circumstances,
): Weakness | undefined => {
  const { outcome, fault, error } = found;
  if (executedTwice.length > 0)
    return {
      weakness: `executed twice: ${[...new Set(executedTwice)].join(', ')}`,
      remedy: 'declare the tool `idempotent` and have it keep to its key, or give it `whatBecame`',
    };
  if (saidError !== undefined && (outcome === 'same' || outcome === 'other'))
    return {
      weakness: 'gives the text of an error as its answer',
      remedy: 'check the answer: by an `output` schema, a critic, or instructions to say what failed',
    };
  switch (outcome) {
    case 'hung':
      return { weakness: 'neither ends nor waits for anybody', remedy: HANGING[fault.dependency] };
    case 'other':
      if (GARBAGE.has(fault.kind))
        return {
          weakness: 'answers as if what was garbage had been an answer',
          remedy: 'check the answer: by an `output` schema or a critic',
        };
      return fault.isPassing && !answerVaries
        ? { weakness: 'answers otherwise, although the fault passes', remedy: PASSING[fault.dependency] }
        : undefined;
    case 'failed':
      if (error?.code === 'script.exhausted')
        return {
          weakness: 'is unknown: the script of the model has no reply for what follows',
          remedy: 'add replies to the script',
        };
      return fault.isPassing
        ? { weakness: 'fails, although the fault passes', remedy: PASSING[fault.dependency] }
        : undefined;
    case 'stopped':
      return fault.isPassing
        ? { weakness: 'ends without an answer, although the fault passes', remedy: PASSING[fault.dependency] }
        : undefined;
    default:
      return undefined;
  }
};

const HANGING: Readonly<Record<Fault['dependency'], string>> = {
  model: 'bound its attempts: `failures: { retry: { attemptTimeoutMs, idleTimeoutMs } }`',
  tool: 'give the tool a `timeoutMs`, and have it heed its `signal`',
  store: 'bound the run: `limits: { budget: { timeMs } }`',
  process: 'bound the run: `limits: { budget: { timeMs } }`',
};

const PASSING: Readonly<Record<Fault['dependency'], string>> = {
  model: 'retry it (`failures: { retry: { attempts } }`), or fall back: a list of models as `model`',
  tool: 'retry it (`retry` of the tool, where it is `idempotent` or reads only), or give it a longer `timeoutMs`',
  store: 'give its tools `idempotent` or `whatBecame`, so that a resumed run knows what became of its calls',
  process:
    'give its tools `idempotent` or `whatBecame`, so that a resumed run knows what became of its calls',
};

/** Characters of an error that are found again in an answer, at least: fewer may be there by chance. */
const LEAST = 12;

/** The text of an error of a run that is in its answer, and not in that of the run without a fault. */
export const errorIn = (
  answer: string,
  baseline: string,
  events: readonly RuntimeEvent[],
): string | undefined => {
  const said = events.flatMap((event): readonly string[] => {
    if (event.type === 'tool.finished' && !event.ok) return [event.text, event.error?.message ?? ''];
    return 'error' in event && event.error !== undefined ? [event.error.message] : [];
  });
  return [...said.filter(({ length }) => length >= LEAST), INJECTED].find(
    (text) => answer.includes(text) && !baseline.includes(text),
  );
};

/** A part of the text of each error that is injected. */
const INJECTED = '(injected)';
