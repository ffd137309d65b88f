/** Splits chunks of text into lines, however they end; each line that is not blank is the JSON of an event. */
export class LineReader {
  /** Reconnection time requested by the server, in ms. */
  retryMs: number | undefined;
  #rest = '';

  /** The data of the events that this chunk completes. */
  push(piece: string): readonly string[] {
    // A line may end in CR and LF, the second of which may be in the next chunk.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.read(line));
  }

  protected read(line: string): readonly string[] {
    return line.trim() === '' ? [] : [line];
  }
}

/** Parses the data of server-sent events from chunks of text. */
export class SseReader extends LineReader {
  #data: string[] = [];

  protected override read(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data.splice(0);
      return data.length === 0 ? [] : [data.join('\n')];
    }
    const [, field, value = ''] = FIELD.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return [];
  }
}

/** A field that matters; the first line may begin with a byte order mark. */
const FIELD = /^\uFEFF?(data|retry)(?:: ?(.*))?$/s;
