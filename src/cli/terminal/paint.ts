import picocolors from 'picocolors';
import type { Environment } from '../../models/environment.ts';
import type { Output } from './terminal.ts';

/** Text styles. */
export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>;

/** Returns colours for an output that supports them; plain text otherwise, and when disabled. */
export const paintFor = (output: Output, environment: Environment, isWanted: boolean): Paint => {
  const isOff = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return picocolors.createColors(isWanted && !isOff && output.isTTY === true);
};
