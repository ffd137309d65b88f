import type { Paint } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { widthOf } from './terminal.ts';

/** The output that answers go to: its colours, and the cells that a line may take. */
export interface Screen {
  readonly paint: Paint;
  readonly columns: number;
}

/** Reads the screen of a session. */
export const screenOf = ({
  terminal,
  paint,
}: {
  readonly terminal: Terminal;
  readonly paint: Paint;
}): Screen => ({
  paint,
  columns: widthOf(terminal.stdout),
});
