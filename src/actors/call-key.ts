/** What tells a call from all others, whichever attempt makes it. */
export const callKey = (runId: string, path: string, step: number, callId: string): string =>
  `${runId}/${path}#${step}.${callId}`;

const CALL = /#\d+\.call_\d+_\d+$/;

/** Whether a name has the form of a call's key. */
export const isCallKey = (name: string): boolean => CALL.test(name);

/** The address of the agent that makes the call with a key. */
export const pathInCallKey = (key: string): string => key.replace(CALL, '').replace(/^[^/]*\//, '');
