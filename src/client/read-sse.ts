/** Parses the data of server-sent events from chunks of text. */
export class SseReader {
  /** Reconnection time requested by the server, in ms. */
  retryMs: number | undefined;
  #rest = '';
  #data: string[] = [];
  #isFirst = true;

  /** The data of the events that this chunk completes. */
  push(piece: string): readonly string[] {
    let text = this.#rest + piece;
    if (this.#isFirst && text !== '') {
      if (text.startsWith('\uFEFF')) text = text.slice(1);
      this.#isFirst = false;
    }
    // A line may end in CR and LF, the second of which may be in the next chunk.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data.splice(0);
      return data.length === 0 ? [] : [data.join('\n')];
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return [];
  }
}

/** Parses lines of JSON from chunks of text. */
export class LineReader {
  readonly retryMs = undefined;
  #rest = '';

  push(piece: string): readonly string[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }
}
