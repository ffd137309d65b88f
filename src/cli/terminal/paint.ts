import type { Environment } from '../../models/environment.ts';
import type { Output } from './terminal.ts';

type Style = (text: string) => string;

/** Text styles. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Style>>;

/** Returns colours for an output that supports them; plain text otherwise, and when disabled. */
export const paintFor = (output: Output, environment: Environment, isWanted: boolean): Paint => {
  const isOff = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return isWanted && !isOff && output.isTTY === true ? colours : plainText;
};

/** Styles by the codes of ECMA-48 that start and end them. */
const styleWith =
  (start: number, end: number): Style =>
  (text) => {
    const [open, close] = [`\u001b[${start}m`, `\u001b[${end}m`];
    // A style within the text that ends by the same code would end this one.
    return open + text.replaceAll(close, close + open) + close;
  };

/** Styles by the colours of the terminal. */
export const colours: Paint = {
  bold: styleWith(1, 22),
  dim: styleWith(2, 22),
  red: styleWith(31, 39),
  green: styleWith(32, 39),
  yellow: styleWith(33, 39),
  cyan: styleWith(36, 39),
};

const plainStyle: Style = (text) => text;

/** Plain text in place of all styles. */
export const plainText: Paint = {
  bold: plainStyle,
  dim: plainStyle,
  red: plainStyle,
  green: plainStyle,
  yellow: plainStyle,
  cyan: plainStyle,
};
