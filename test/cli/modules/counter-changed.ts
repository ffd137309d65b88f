import { counterIn } from './counter.ts';

/** The same counter after somebody has changed it. */
export default counterIn(['zero', 'uno', 'due']);
