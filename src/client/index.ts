/** Everything that a page, a terminal or another process needs to show a run, local or remote: without zod, RxJS and XState. */
export { foldProgress, noProgress, progressLine } from '../events/progress/progress.ts';
export type { Progress, SaidText } from '../events/progress/progress.ts';
export type { AgentProgress, AgentsProgress, ToolProgress } from '../events/progress/agent-progress.ts';
export type { ProgressCall, ProgressMessage } from '../events/progress/progress-message.ts';
export type { ProgressRequest, RequestProgress } from '../events/progress/progress-request.ts';
export type { CallSpeech, Speech } from '../events/progress/speech.ts';
export { followRun, notFollowed, RunFollower } from './follow-run.ts';
export type { EventObserver, FollowedRun, FollowOptions, LocalRun, RunSource } from './follow-run.ts';
export { partialJson } from './partial-json.ts';
export { readEvent } from './read-event.ts';
export { readRun } from './read-run.ts';
export type { Connection, ReadRunOptions } from './read-run.ts';
export type { AddressOptions } from './run-address.ts';
export { isOver, messagesOf, waitingRequests, runningTools, partialOutput } from './select-progress.ts';
