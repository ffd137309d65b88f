/** Everything that a page, a terminal or another process needs to show a run, local or remote: without zod, RxJS and XState. */
export { foldProgress, noProgress, progressLine } from '../events/progress/progress.ts';
export type { Progress } from '../events/progress/progress.ts';
export type { ProgressMessage } from '../events/progress/progress-message.ts';
export type { ProgressRequest } from '../events/progress/progress-request.ts';
export { isOver, messagesOf, waitingRequests, runningTools, partialOutput } from './select-progress.ts';
export { readEvent } from './read-event.ts';
export { readRun } from './read-run.ts';
export { connect } from './connect.ts';
export { followRun } from './follow-run.ts';
