/** Seeing runs: inspectors, recordings, traces, and publishing them to people and clients elsewhere. */

// Inspectors and recordings
export { inspect } from './local/inspect.ts';
export type { InspectOptions, Inspector } from './local/inspect.ts';
export type { AgentsOfRuns } from './local/stored-feeds.ts';
export type { Breakpoint } from './recording/breakpoint.ts';
export { recorder } from './recording/recorder.ts';
export type { Recorder, RecorderOptions } from './recording/recorder.ts';
export { Recording } from './recording/recording.ts';
export type { Follower, RecordingSetup } from './recording/recording.ts';
export { Tableau } from './recording/tableau.ts';
export type { ActorView, TableauData } from './recording/tableau.ts';
export type { RecordedRun } from './recording/run-book.ts';
export type {
  ActorEntry,
  ArrowShape,
  BreakEntry,
  ChartEntry,
  Entry,
  GoneEntry,
  GoneStatus,
  MovedEntry,
  NewEntry,
  ReceivedEntry,
  StateShape,
  ToldEntry,
} from './recording/entry.ts';
export { chartCoverage } from './coverage/chart-coverage.ts';
export type { ChartCoverage, CoverageOptions } from './coverage/chart-coverage.ts';
export { chartSvg } from './drawing/chart-svg.ts';
export { chartShape } from './recording/chart-shape.ts';
export { classicBridge } from './sinks/classic-bridge.ts';
export type { ClassicBridge, ClassicBridgeOptions } from './sinks/classic-bridge.ts';
export { toStately } from './sinks/stately-sink.ts';
export type {
  StatelyEvent,
  StatelyActor,
  StatelyAncestor,
  StatelyInspector,
  StatelySinkOptions,
  StatelySnapshot,
} from './sinks/stately-sink.ts';

// Traces: a run as a file that anybody can read, and as a page
export { traceFiles } from './traces/trace-files.ts';
export type { TraceFiles, TraceOptions, TraceTrouble } from './traces/trace-files.ts';
export { traceFileName } from './traces/trace-file-name.ts';
export { traceStatuses } from './traces/trace-account.ts';
export type { RunAccount, TraceAccount, TraceStatus } from './traces/trace-account.ts';
export { traceJsonSchemas } from './traces/trace-record.ts';
export { traceOf } from './traces/trace.ts';
export type { Trace } from './traces/trace.ts';
export { traceText, traceAsLines } from './traces/trace-text.ts';
export { readTrace } from './traces/read-trace.ts';
export type { StepEnd, StepView } from './traces/step-view.ts';
export { listTraces } from './traces/list-traces.ts';
export type { TraceEntry, TraceFilter } from './traces/list-traces.ts';
export { checkTrace } from './traces/check-trace.ts';
export { traceProblemKinds } from './traces/trace-problem.ts';
export type { TraceProblem, TraceProblemKind } from './traces/trace-problem.ts';
export { traceAsHtml } from './traces/trace-as-html.ts';
export { traceAsSequence } from './traces/trace-as-sequence.ts';
export type { SequenceOptions } from './traces/trace-as-sequence.ts';
export { playTrace } from './traces/play-trace.ts';
export type { PlayOptions } from './traces/play-trace.ts';
export { traceCursor } from './traces/trace-cursor.ts';
export type { TraceCursor } from './traces/trace-cursor.ts';

// Publishers
export { publishTo } from './publishing/publish-to.ts';
export type { PublishingHook, PublishOptions, PublishStats } from './publishing/publish-to.ts';
export type { PublishedBatch, Publisher } from './publishing/publisher.ts';
export { publicationSchema } from './publishing/publication.ts';
export type { Publication, PublicationKind } from './publishing/publication.ts';
export type { Silence } from './publishing/silence.ts';
export { nostrPublisher } from './publishing/nostr.ts';
export type { NostrOptions } from './publishing/nostr.ts';

// Streams for clients
export { sseResponse } from './publishing/sse.ts';
export type { SseOptions } from './publishing/sse.ts';
export { ndjson } from './publishing/ndjson.ts';
export type { NdjsonOptions } from './publishing/ndjson.ts';
export { agUiResponse, toAgUi } from './publishing/ag-ui.ts';
export type { AgUiEvent, AgUiNames } from './publishing/ag-ui-event.ts';
export type { EventSource, StreamOptions } from './publishing/event-source.ts';

// Events of an app's own
export { defineEvent } from './publishing/define-event.ts';
export type { AnyEventDefinition, EventDefinition } from './publishing/define-event.ts';
export { eventRegistry } from './publishing/event-registry.ts';
export type { EventDeadLetter, EventRegistry } from './publishing/event-registry.ts';
export type { CustomEvent } from './publishing/custom-event.ts';
