import { PassThrough } from 'node:stream';
import { command } from '../../src/cli/command.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { root } from './run-command.ts';

/** How a call of the command went in this very process. */
export interface Played {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a fake terminal is. */
export interface FakeOptions {
  /** Whether its three streams are a terminal. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Runs are not kept unless it says where. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Typed, one line after the other, whenever standard error ends in a prompt that matches. */
  readonly typed?: readonly { readonly at: RegExp; readonly text: string }[];
  /** Ctrl-C, as soon as either output holds it. */
  readonly interruptAt?: RegExp;
  /** Told of all that is on standard error by now, and how to press Ctrl-C. */
  readonly onPrinted?: (printed: string, interrupt: () => void) => void;
}

/** Runs the command in this process with a terminal that only remembers. */
export const play = async (args: readonly string[], options: FakeOptions = {}): Promise<Played> => {
  const { isTTY = false, columns = 100, folder = root, interruptAt } = options;
  const environment = { TROUPE_STORE: 'none', ...options.environment };
  const typed = [...(options.typed ?? [])];
  const listeners = new Set<() => void>();
  const interrupt = (): void => {
    for (const listener of listeners) listener();
  };
  const stdin = Object.assign(new PassThrough(), { isTTY });
  let stdout = '';
  let stderr = '';
  let isInterrupted = false;
  const look = (printed: string): void => {
    if (interruptAt?.test(printed) !== true || isInterrupted) return;
    isInterrupted = true;
    setTimeout(interrupt, 5);
  };
  if (!isTTY) stdin.end();
  const terminal: Terminal = {
    stdin,
    stdout: {
      isTTY,
      columns,
      write: (text, written) => {
        stdout += text;
        look(stdout);
        written?.();
      },
    },
    stderr: {
      isTTY,
      columns,
      rows: 30,
      write: (text) => {
        stderr += text;
        const [next] = typed;
        if (next?.at.test(stderr) === true) {
          typed.shift();
          setTimeout(() => stdin.write(`${next.text}\n`), 20);
        }
        look(stderr);
        options.onPrinted?.(stderr, interrupt);
      },
    },
    environment,
    folder,
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt,
    onHangUp: () => () => undefined,
    exit: (code) => {
      stderr += `(exit ${code})`;
    },
  };
  const code = await command(args, terminal);
  return { code, stdout, stderr };
};
