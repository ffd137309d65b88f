import { WaitGraph } from '../machines/wait-graph.ts';

/**
 * Who waits for whom in this process: actors of all its runs, and the resources that they share. One for all of them, as a circle may
 * go through two runs that want each other's locks. Parties are told apart by identity, and nothing is kept of who waits for nobody.
 */
export const waits = new WaitGraph<object>();
