import type { Artifact, Message } from '@a2a-js/sdk';
import { oneLine } from '../../base/text/printable.ts';
import { textOf } from './received-parts.ts';

/** Reports of one task; more are dropped. */
const MOST_REPORTS = 500;
/** Characters of a text that are reported at once. */
const LINE = 200;

/** Reports of progress of another agent: its status as it changes, its text line by line. */
export class ProgressLines {
  readonly #report: (text: string) => void;
  #count = 0;
  #status = '';
  #text = '';

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** Reports what a status says, once. */
  heard(message: Message | undefined): void {
    const said = textOf(message);
    if (said === '' || said === this.#status) return;
    this.#status = said;
    this.#say(said);
  }

  /** Reports the text of an artifact; a piece that is not appended replaces what there is. */
  received({ parts }: Artifact, isAppended: boolean): void {
    if (!isAppended) this.#text = '';
    for (const { content } of parts) if (content?.$case === 'text') this.#text += content.value;
    for (let end = this.#lineEnd; end > 0; end = this.#lineEnd) {
      this.#say(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
    }
  }

  /** Reports what is left of the text. */
  flush(): void {
    if (this.#text.trim() !== '') this.#say(this.#text);
    this.#text = '';
  }

  /** The length of what can be reported; 0 while a line is not whole. */
  get #lineEnd(): number {
    const end = this.#text.indexOf('\n') + 1;
    if (end > 0 && end <= LINE) return end;
    return this.#text.length >= LINE ? LINE : 0;
  }

  #say(text: string): void {
    const line = oneLine(text, LINE);
    if (line.trim() === '' || this.#count >= MOST_REPORTS) return;
    this.#count += 1;
    this.#report(line);
  }
}
