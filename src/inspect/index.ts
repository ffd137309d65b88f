/** Seeing runs: inspectors, recordings, traces, and publishing them to people and clients elsewhere. */

// Inspectors and recordings
export { inspect } from './local/inspect.ts';
export type { Inspector } from './local/inspect.ts';
export { recorder } from './recording/recorder.ts';
export type { Recorder } from './recording/recorder.ts';
export { Tableau } from './recording/tableau.ts';
export type { Entry } from './recording/entry.ts';
export { chartCoverage } from './coverage/chart-coverage.ts';
export { chartSvg } from './drawing/chart-svg.ts';
export { classicBridge } from './sinks/classic-bridge.ts';
export { toStately } from './sinks/stately-sink.ts';

// Traces: a run as a file that anybody can read, and as a page
export { traceFiles } from './traces/trace-files.ts';
export { traceJsonSchemas } from './traces/trace-record.ts';
export { traceOf } from './traces/trace.ts';
export type { Trace } from './traces/trace.ts';
export { formatTrace } from './traces/formats/format-trace.ts';
export { readTrace } from './traces/read-trace.ts';
export { listTraces } from './traces/list-traces.ts';
export { checkTrace } from './traces/check-trace.ts';
export { playTrace } from './traces/play-trace.ts';
export { traceCursor } from './traces/trace-cursor.ts';

// Audit logs
export { auditLog } from './audit/audit-log.ts';
export { verifyAudit } from './audit/verify-audit.ts';
export { readAudit } from './audit/read-audit.ts';

// Publishers
export { publishTo } from './publishing/publish-to.ts';
export type { PublishedBatch, Publisher } from './publishing/publisher.ts';
export { publicationSchema } from './publishing/publication.ts';
export type { Publication } from './publishing/publication.ts';
export { nostrPublisher } from './publishing/nostr.ts';

// Streams for clients
export { sseResponse } from '../runtime/serve/streams/sse.ts';
export { ndjson } from './publishing/ndjson.ts';
export { agUiResponse, toAgUi } from './publishing/ag-ui.ts';
export { readAgUi } from './publishing/chat/read-ag-ui.ts';
export { readUiMessages } from './publishing/chat/read-ui-messages.ts';
export { uiMessageResponse } from './publishing/chat/ui-message.ts';

// Events of an app's own
export { defineEvent } from './publishing/define-event.ts';
export { eventRegistry } from './publishing/event-registry.ts';
