import type { ModelCall, ModelDelta } from '../../contracts/models/model.ts';
import { blockedError, type Border } from './border.ts';
import type { AnswerGuards } from './guard-answer.ts';
import type { TrustedGuard } from './consult-guard.ts';
import { consultGuard } from './consult-guard.ts';

/** The end of a sentence, with the space after it. */
const SENTENCE = /[.!?…]["'”’)\]]{0,3}\s+/g;

/**
 * Holds the pieces of an answer until its guards have let them pass: whole sentences, if all of them judge by sentence, else the whole.
 *
 * I1 What is shown was passed, or made, by every guard.
 * I2 What was shown is the beginning of the answer, or the answer is blocked.
 */
export class HeldAnswer {
  readonly #guards: readonly TrustedGuard[];
  readonly #border: Border;
  readonly #call: ModelCall;
  /** True if nobody judges what it says. */
  readonly #isOpen: boolean;
  readonly #holdsCalls: boolean;
  readonly #showsSentences: boolean;
  #text = '';
  #shown = '';
  #passing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasChanged = false;

  constructor({ output, toolInput }: AnswerGuards, border: Border, call: ModelCall, isWhole: boolean) {
    this.#guards = output;
    this.#isOpen = output.length === 0 && !isWhole;
    this.#holdsCalls = toolInput.length > 0;
    this.#border = border;
    this.#call = call;
    this.#showsSentences =
      call.isWatched && !isWhole && output.every(({ bySentence }) => bySentence === true);
  }

  /** Takes a piece; the model is seen to be at work. */
  hear(delta: ModelDelta): void {
    if (this.#isOpen && !(this.#holdsCalls && delta.type === 'tool-call')) {
      this.#call.delta(delta);
      return;
    }
    this.#call.delta({ type: 'progress' });
    if (delta.type !== 'text' || !this.#showsSentences) return;
    this.#text += delta.text;
    const ends = [...this.#text.matchAll(SENTENCE)];
    const last = ends.at(-1);
    if (last === undefined) return;
    // The space itself waits: further space may follow it.
    const end = last.index + last[0].trimEnd().length;
    const sentences = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    this.#passing = this.#passing.then(() => this.#pass(sentences));
  }

  /** Shows what is left of the answer, as it was let pass as a whole. */
  async end(text: string, hasChanged: boolean): Promise<void> {
    await this.#passing;
    if (this.#isOpen) return;
    if (text.startsWith(this.#shown)) {
      this.#show(text.slice(this.#shown.length));
      return;
    }
    // Without a change, the provider's own text differs from its pieces.
    if (hasChanged || this.#hasChanged)
      throw blockedError(
        this.#guards.map(({ name }) => name).join(', '),
        this.#border,
        'it judged sentences otherwise than all of them together',
      );
  }

  async #pass(sentences: string): Promise<void> {
    let text = sentences;
    for (const guard of this.#guards) {
      if (this.#isStopped) return;
      const verdict = await consultGuard(guard, text, this.#border);
      if (verdict === undefined) continue;
      this.#hasChanged = true;
      if (verdict.text === undefined) this.#isStopped = true;
      else ({ text } = verdict);
    }
    if (!this.#isStopped) this.#show(text);
  }

  #show(text: string): void {
    this.#shown += text;
    if (text !== '' && this.#call.isWatched) this.#call.delta({ type: 'text', text });
  }
}
