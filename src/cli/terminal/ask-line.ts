import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Session } from '../session.ts';
import type { Output } from './terminal.ts';

/**
 * Shows lines at the terminal, and returns the text typed after the prompt; on standard error, as standard output is
 * for answers.
 */
export const askLine = async (
  lines: readonly string[],
  prompt: string,
  signal: AbortSignal,
  { terminal }: Pick<Session, 'terminal'>,
): Promise<string> => {
  signal.throwIfAborted();
  const reader = createInterface({
    input: terminal.stdin,
    output: errorStream(terminal.stderr),
    terminal: true,
  });
  reader.on('SIGINT', () => {
    terminal.interrupt();
  });
  try {
    terminal.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}`);
    return (await reader.question(`  ${prompt} `, { signal })).trim();
  } finally {
    reader.close();
  }
};

/** An output as the stream that a prompt is written to. */
const errorStream = (output: Output): Writable =>
  new Writable({
    write: (chunk, _encoding, written) => {
      output.write(String(chunk));
      written();
    },
  });
