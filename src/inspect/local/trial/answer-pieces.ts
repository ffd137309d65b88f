import type { ModelDelta } from '../../../contracts/models/model.ts';
import { Redactor } from '../../../contracts/secrets/redactor.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../../contracts/secrets/stream-redactor.ts';

/** A piece of an answer that is arriving, as the page may see it. */
export interface AnswerPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** The secrets that a piece is to be without. */
export interface KnownSecrets {
  /** Those that the recording knows by now. */
  readonly shown: () => Redactor;
  /** Those of the model, which may be one that no run has asked. */
  readonly own: Secrets;
}

/** A text in pieces, without the secrets of its model, and without those of the recording. */
class SafeText {
  readonly #own: StreamRedactor;
  readonly #shown: StreamRedactor;
  readonly #now: () => Redactor;

  constructor({ own, shown }: KnownSecrets) {
    this.#own = new StreamRedactor(new Redactor(own));
    this.#shown = new StreamRedactor(shown());
    this.#now = shown;
  }

  push(piece: string): string {
    this.#shown.use(this.#now());
    return this.#shown.push(this.#own.push(piece));
  }

  end(): string {
    this.#shown.use(this.#now());
    return this.#shown.push(this.#own.end()) + this.#shown.end();
  }
}

/**
 * The pieces of an answer, with secrets redacted: an end that may be the beginning of one is held back until more of the answer is there.
 *
 * Calls of tools are shown with the answer alone.
 */
export class AnswerPieces {
  readonly #say: (piece: AnswerPiece) => void;
  readonly #texts: Readonly<Record<AnswerPiece['type'], SafeText>>;

  constructor(secrets: KnownSecrets, say: (piece: AnswerPiece) => void) {
    this.#say = say;
    this.#texts = { text: new SafeText(secrets), reasoning: new SafeText(secrets) };
  }

  take(delta: ModelDelta): void {
    if (delta.type === 'text' || delta.type === 'reasoning')
      this.#show(delta.type, this.#texts[delta.type].push(delta.text));
  }

  /** Shows what was held back: the answer is whole. */
  end(): void {
    this.#show('reasoning', this.#texts.reasoning.end());
    this.#show('text', this.#texts.text.end());
  }

  #show(type: AnswerPiece['type'], text: string): void {
    if (text !== '') this.#say({ type, text });
  }
}
