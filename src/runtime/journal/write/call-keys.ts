import { idempotencyKey } from '../../../actors/call-key.ts';
import type { Json } from '../../../contracts/json.ts';
import type { KeptRecord } from '../replay/followed.ts';

/** The idempotency keys of the calls of a run: those of a run that began in 0.1 have no digest of the arguments. */
export class CallKeys {
  readonly #conceal: (text: string) => string;
  #hasDigests = true;

  constructor(conceal: (text: string) => string) {
    this.#conceal = conceal;
  }

  /** Takes in how a run began. */
  follow(began: KeptRecord | undefined): void {
    this.#hasDigests = began?.kind !== 'began' || began.keys === 'digest';
  }

  of(call: string, input: Json): string {
    return this.#hasDigests ? idempotencyKey(call, input, this.#conceal) : call;
  }
}
