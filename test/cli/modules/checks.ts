import type { RunResult } from 'troupe';

/** A run fails unless it has the right price. */
export default ({ output }: RunResult): boolean => !(typeof output === 'string' && output.includes('42'));

export const always = (): boolean => true;

export const never = (): boolean => false;

export const note = 'none of them';
