/** What tells a call from all others, whichever attempt makes it. */
export const callKey = (runId: string, path: string, step: number, callId: string): string =>
  `${runId}/${path}#${step}.${callId}`;
