/** Seeing runs: what records them, and what shows a recording. */
export { inspect } from './local/inspect.ts';
export type { InspectOptions, Inspector } from './local/inspect.ts';
export type { AgentsOfRuns, AnyAgent } from './local/stored-feeds.ts';
export type { Breakpoint } from './recording/breakpoint.ts';
export { recorder } from './recording/recorder.ts';
export type { Recorder, RecorderOptions } from './recording/recorder.ts';
export { Recording } from './recording/recording.ts';
export type { Follower, RecordingSetup } from './recording/recording.ts';
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
  Role,
  StateShape,
  ToldEntry,
} from './recording/entry.ts';
