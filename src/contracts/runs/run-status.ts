/** The status of a finished run; every run ends in exactly one. */
export type RunStatus = 'completed' | 'stopped' | 'aborted' | 'failed';
