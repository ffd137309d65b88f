/**
 * Traces: a run as files that anybody can read, and as a page.
 */
export { traceFiles } from './trace-files.ts';
export type { TraceFiles, TraceOptions, TraceTrouble } from './trace-files.ts';
export { traceFolderName } from './trace-folder.ts';
export type { LinesFile } from './trace-folder.ts';
export {
  TRACE_VERSION,
  traceJsonSchemas,
  traceManifestSchema,
  traceStatuses,
  traceStepSchema,
} from './trace-schema.ts';
export type { TraceFile, TraceManifest, TraceStatus, TraceStep } from './trace-schema.ts';
export { traceOf } from './trace.ts';
export type { Trace, TraceFacts } from './trace.ts';
export type { RunAccount } from './trace-account.ts';
export { readTrace } from './read-trace.ts';
export type { ReadTraceOptions, TraceOnDisk } from './read-trace.ts';
export { listTraces } from './list-traces.ts';
export type { TraceEntry, TraceFilter } from './list-traces.ts';
export { checkTrace } from './check-trace.ts';
export { traceProblemKinds } from './trace-problem.ts';
export type { TraceProblem, TraceProblemKind } from './trace-problem.ts';
export { traceAsLines } from './trace-as-lines.ts';
export { traceAsHtml } from './trace-as-html.ts';
export { traceAsSequence } from './trace-as-sequence.ts';
export type { SequenceOptions } from './trace-as-sequence.ts';
export { playTrace } from './play-trace.ts';
export type { PlayOptions } from './play-trace.ts';
export { traceCursor } from './trace-cursor.ts';
export type { Breakpoint, TraceCursor } from './trace-cursor.ts';
