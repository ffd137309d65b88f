import type { IncomingMessage } from 'node:http';
import { TroupeError } from '../../../contracts/errors/error.ts';

/** A message of a viewer's stream. */
export interface Frame {
  readonly event: string;
  readonly data: string;
}

/** The longest message, in characters. */
const LONGEST = 16 * 1024 * 1024;

/**
 * Reads the messages of another process as they come, in parts; reads no further while a part is used.
 *
 * @throws {TroupeError} `inspector.failed` for a message that is too long.
 */
export async function* readFrames(response: IncomingMessage): AsyncGenerator<readonly Frame[], void> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    const text = decoder.decode(part, { stream: true });
    rest.push(text);
    length += text.length;
    if (length > LONGEST) throw tooLong();
    // Most parts of a long message have no end in them: these are not searched again.
    if (!`${rest.at(-2)?.slice(-1) ?? ''}${text}`.includes('\n\n')) continue;
    const blocks = rest.join('').split('\n\n');
    rest = [blocks.pop() ?? ''];
    length = rest[0]?.length ?? 0;
    yield blocks.flatMap(frameOf);
  }
}

const frameOf = (block: string): readonly Frame[] => {
  const lines = block.split('\n');
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [event, data] = [field('event'), field('data')];
  return event === undefined || data === undefined ? [] : [{ event, data }];
};

const tooLong = (): TroupeError =>
  new TroupeError('inspector.failed', 'Cannot show the process as what it sends is too long');
