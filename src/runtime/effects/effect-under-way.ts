import type { ErrorData } from '../../contracts/error.ts';
import type { LazyAbort } from '../../contracts/lazy-abort.ts';
import type { EffectRecord } from '../../contracts/run.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Slot } from './slot.ts';

/** An effect under way. */
export interface EffectUnderWay {
  readonly abort: LazyAbort;
  /** Made when it is needed: an effect that is done at once needs none. */
  slot: Slot | undefined;
  readonly ask: Ask;
  /** It may have been done, wholly or in part, before the run was resumed. */
  readonly isResumed: boolean;
  readonly record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] };
}

/** What came of an effect. */
export type EffectAnswer = { readonly output: unknown } | { readonly error: ErrorData };
