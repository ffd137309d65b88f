/**
 * Traces: a run as files that anybody can read, and as a page.
 */
export { traceFiles } from './trace-files.ts';
export type { TraceFiles, TraceOptions, TraceTrouble } from './trace-files.ts';
export { traceFileName } from './trace-file-name.ts';
export { traceStatuses } from './trace-account.ts';
export type { RunAccount, TraceAccount, TraceStatus } from './trace-account.ts';
export { traceJsonSchemas } from './trace-record.ts';
export { traceOf } from './trace.ts';
export type { Trace } from './trace.ts';
export { traceText } from './trace-text.ts';
export { readTrace } from './read-trace.ts';
export type { StepEnd, StepView } from './step-view.ts';
export { listTraces } from './list-traces.ts';
export type { TraceEntry, TraceFilter } from './list-traces.ts';
export { checkTrace } from './check-trace.ts';
export { traceProblemKinds } from './trace-problem.ts';
export type { TraceProblem, TraceProblemKind } from './trace-problem.ts';
export { traceAsLines } from './trace-text.ts';
export { traceAsHtml } from './trace-as-html.ts';
export { traceAsSequence } from './trace-as-sequence.ts';
export type { SequenceOptions } from './trace-as-sequence.ts';
export { playTrace } from './play-trace.ts';
export type { PlayOptions } from './play-trace.ts';
export { traceCursor } from './trace-cursor.ts';
export type { Breakpoint, TraceCursor } from './trace-cursor.ts';
