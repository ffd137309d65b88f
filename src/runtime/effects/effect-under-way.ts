import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { EffectRecord } from '../../contracts/runs/run-result.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Slot } from './slot.ts';

/** A pending effect. */
export interface EffectUnderWay {
  readonly abort: LazyAbort;
  /** Created on demand: a synchronous effect needs none. */
  slot: Slot | undefined;
  readonly ask: Ask;
  /** True if it may have been executed, wholly or in part, before the run was resumed. */
  readonly isResumed: boolean;
  /** Origins of what its agent had read when it began. */
  readonly origins: readonly string[];
  readonly record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] };
}

/** The result of an effect. */
export type EffectAnswer = { readonly output: unknown } | { readonly error: ErrorData };
