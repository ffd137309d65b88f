export { jsonLog } from './json-log.ts';
export { metrics } from './metrics/metrics.ts';
export { monitor } from './monitor.ts';
export { openTelemetry } from './spans/open-telemetry.ts';
export { profile, profiler } from './profiles/profile.ts';
export { collapsedStacks, profileTable } from './profiles/profile-text.ts';
export type { Profile } from './profiles/profile-shape.ts';
export { snapshotAsPrometheus } from './metrics/prometheus.ts';
