/**
 * Worlds that an agent acts in: groups of operations, and the tools that use them. What needs Node is in `troupe/host`.
 */

// Environments
export { memoryEnvironment } from './memory-environment.ts';
export type { MemoryCommand, MemoryEnvironment, MemoryEnvironmentOptions } from './memory-environment.ts';
export { remoteEnvironment } from './remote-environment.ts';
export type { RemoteEnvironmentOptions } from './remote-environment.ts';
export { answerRemote } from './answer-remote.ts';

// Tools for what environments can do
export { fileTools } from './file-tools.ts';
export type { FileToolsOptions } from './file-tools.ts';
export { httpTools } from './http-tools.ts';
export type { HttpToolsOptions } from './http-tools.ts';
export { processTools } from './process-tools.ts';
export type { ProcessToolsOptions } from './process-tools.ts';
export { opsOf, requiring } from './requiring.ts';
export type { RequiringTool } from './requiring.ts';
export { searchFiles } from './search-files.ts';
export type { FileHit, FileSearch, SearchLimits } from './search-files.ts';

// Checks before a run
export { checkTask } from './check-task.ts';
export type { CheckedTask } from './check-task.ts';
export { preflight, preflightFailure } from './preflight.ts';
export type { Preflight, PreflightPlan } from './preflight.ts';
