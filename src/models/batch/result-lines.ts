/** In characters: an answer with media in it is of some megabytes. */
const LONGEST_LINE = 256 * 2 ** 20;

/**
 * Reads the lines of a response as they arrive; empty ones are left out.
 *
 * @throws (rejects with) {SyntaxError} for a line without an end.
 */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let begun: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      if (done) break;
      const [rest = '', ...more] = value.split('\n');
      length += rest.length;
      if (length > LONGEST_LINE) throw new SyntaxError('a line of the results has no end');
      begun.push(rest);
      for (const next of more) {
        const line = begun.join('').trim();
        begun = [next];
        length = next.length;
        if (line !== '') yield line;
      }
    }
    const last = begun.join('').trim();
    if (last !== '') yield last;
  } finally {
    // What is left unread is not wanted.
    await reader.cancel().catch(() => undefined);
  }
}
