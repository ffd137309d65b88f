import type { Environment } from '../../models/environment.ts';

/** A text output. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string, written?: () => void): unknown;
}

/** Everything of the outside world that the command uses: the real one in `main`, any other in a test. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  /** The folder that paths are relative to. */
  readonly folder: string;
  /** Calls `listener` at every Ctrl-C; returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
  /** Simulates Ctrl-C, for a prompt that has caught it. */
  interrupt(): void;
  /** Calls `listener` when standard output is closed by its reader. */
  onHangUp(listener: () => void): () => void;
  /** Exits the process at once. */
  exit(code: number): void;
}

/** Checks whether a person sits at it and can answer. */
export const isAttended = ({ stdin, stderr }: Terminal): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** Checks whether a block of lines can be redrawn on it. */
export const canRedraw = ({ stderr, environment }: Terminal): boolean =>
  stderr.isTTY === true && environment['TERM'] !== 'dumb';

/** Width of a terminal that does not tell, or says 0. */
const COLUMNS = 80;

/** The cells that a line may take: those of a terminal, and any number in a file or a pipe. */
export const widthOf = ({ isTTY, columns = 0 }: Output): number => {
  if (isTTY !== true) return Infinity;
  return columns > 0 ? columns : COLUMNS;
};
