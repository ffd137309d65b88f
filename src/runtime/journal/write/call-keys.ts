import { idempotencyKey } from '../../../actors/acting/call-key.ts';
import type { Json } from '../../../base/json/json.ts';
import type { KeptRecord } from '../replay/derived-events.ts';

/** Idempotency keys of the calls of a run. Runs started with 0.1 have no digest of the arguments in them. */
export class CallKeys {
  readonly #conceal: (text: string) => string;
  #hasDigests = true;

  constructor(conceal: (text: string) => string) {
    this.#conceal = conceal;
  }

  /** Reads from the first record which kind of keys the run has. */
  follow(began: KeptRecord | undefined): void {
    this.#hasDigests = began?.kind !== 'began' || began.keys === 'digest';
  }

  /** False for a run started with 0.1. */
  get hasDigests(): boolean {
    return this.#hasDigests;
  }

  of(call: string, input: Json): string {
    return this.#hasDigests ? idempotencyKey(call, input, this.#conceal) : call;
  }
}
