import type { ServerResponse } from 'node:http';

/** The type of a response of several lines of JSON, which a caller asks for. */
export const LINES = 'application/x-ndjson';

/** Bytes that wait for a page that does not read: beyond them it is sent no further piece, and the whole in the end. */
const MOST_WAITING = 1024 * 1024;

/**
 * The response to a command whose caller reads it line by line: pieces of what will come, then what came. Without a piece it is a response as
 * any other.
 */
export class ReplyLines {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    this.#headers = headers;
  }

  /** True once a piece was sent: what follows is a line, too. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  piece(piece: object): void {
    const response = this.#response;
    if (response.destroyed || response.writableLength > MOST_WAITING) return;
    if (!this.hasBegun)
      response.writeHead(200, { ...this.#headers, 'content-type': `${LINES}; charset=utf-8` });
    response.write(`${JSON.stringify({ piece })}\n`);
  }

  /** Sends what came, or the error, as the last line. */
  end(last: object): void {
    this.#response.end(`${JSON.stringify(last)}\n`);
  }
}
