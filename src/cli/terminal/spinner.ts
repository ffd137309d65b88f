import { fittedLine } from './fitted-line.ts';
import type { Session } from '../session.ts';
import type { Terminal } from './terminal.ts';
import { canRedraw, widthOf } from './terminal.ts';

/** Returns the frame of a spinner for a time. */
export const spinnerFrame = (at: number): string => FRAMES[Math.floor(at / FRAME_MS) % FRAMES.length] ?? '·';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The time that a frame is shown, in ms. */
export const FRAME_MS = 80;

/** Delay before it is shown, in ms. */
const PATIENCE_MS = 300;

/** Shows a spinner for work without steps (a plain line, if lines cannot be redrawn); returns a function that ends it. Words that change are a function. */
export const spinner = (
  said: string | (() => string),
  { terminal, settings, sidePaint, restore }: Session,
): (() => void) => {
  const words = typeof said === 'string' ? () => said : said;
  if (settings.json || settings.quiet) return () => undefined;
  if (!canRedraw(terminal)) return announcement(`  ${words()} …\n`, terminal);
  const startedAt = performance.now();
  let isShown = false;
  const clear = (): void => {
    if (isShown) terminal.stderr.write('\r\u001b[2K\u001b[?25h');
  };
  const timer = setInterval(() => {
    const passed = performance.now() - startedAt;
    if (passed < PATIENCE_MS) return;
    isShown = true;
    const frame = sidePaint.cyan(spinnerFrame(passed));
    // A line that wraps could not be erased.
    const line = fittedLine(
      `  ${frame} ${words()} (${Math.floor(passed / 1_000)} s)`,
      widthOf(terminal.stderr) - 1,
    );
    terminal.stderr.write(`\u001b[?25l\r\u001b[2K${line}`);
  }, FRAME_MS);
  restore.add(clear);
  return () => {
    clearInterval(timer);
    restore.delete(clear);
    clear();
  };
};

const announcement = (line: string, { stderr }: Terminal): (() => void) => {
  const timer = setTimeout(() => stderr.write(line), PATIENCE_MS * 5);
  return () => {
    clearTimeout(timer);
  };
};
