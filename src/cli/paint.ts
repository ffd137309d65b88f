import picocolors from 'picocolors';
import type { Environment } from '../models/environment.ts';
import type { Output } from './terminal.ts';

/** What texts can look like. */
export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>;

/** Colours for an output that shows them; plain text for any other, and wherever they are not wanted. */
export const paintFor = (output: Output, environment: Environment, isWanted: boolean): Paint => {
  const isOff = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return picocolors.createColors(isWanted && !isOff && output.isTTY === true);
};
