/** Tools for documents, for the environments that agents act in, and for talk between agents while they work. */

// Documents
export { documents } from './built-in/documents/documents.ts';
export type { DocumentsOptions } from './built-in/documents/documents.ts';

// Environments
export { memoryEnvironment } from './environments/memory-environment.ts';
export type {
  MemoryCommand,
  MemoryEnvironment,
  MemoryEnvironmentOptions,
} from './environments/memory-environment.ts';
export { remoteEnvironment } from './environments/remote-environment.ts';
export type { RemoteEnvironmentOptions } from './environments/remote-environment.ts';
export { answerRemote } from './environments/answer-remote.ts';
export type {
  Environment,
  EnvironmentAction,
  EnvironmentHealth,
  EnvironmentScope,
  OpsContext,
} from '../contracts/environments/environment.ts';
export type {
  EnvironmentOps,
  FileEntry,
  FileFacts,
  FileKind,
  FileOps,
  FileText,
  FileWritten,
  HttpOps,
  HttpRequest,
  HttpResponse,
  OpsGroup,
  OpsHolder,
  ProcessOps,
  ProcessOptions,
  ProcessResult,
  ReadOptions,
} from '../contracts/environments/operations.ts';
export type { EnvironmentOutcome, EnvironmentStep } from '../contracts/environments/environment-step.ts';
export type { EnvironmentSpec } from '../contracts/environments/environment-spec.ts';

// Environments of this machine: its files below one folder, its programs, and the network. Node only.
export { hostEnvironment } from './built-in/host/host-environment.ts';
export type { HostEnvironmentOptions } from './built-in/host/host-environment.ts';
export { commandEnvironment } from './built-in/host/command-environment.ts';
export type { CommandEnvironmentOptions } from './built-in/host/command-environment.ts';
export { publicHttp } from './built-in/http/http-environment.ts';
export type { HttpRules } from './built-in/http/http-environment.ts';
export { environmentFrom, environmentMakers } from './built-in/host/environment-from-spec.ts';
export type { EnvironmentMaker, EnvironmentMakers } from './built-in/host/environment-from-spec.ts';
export type { AllowedCommand, AllowedCommands } from './built-in/host/allowed-commands.ts';
export type { CommandRules } from './built-in/host/command-rules.ts';
export type { FileLimits } from './built-in/host/host-files.ts';
export type { ProcessLimits } from './built-in/host/host-processes.ts';

// Tools for what environments can do
export { fileTools } from './environments/file-tools.ts';
export type { FileToolsOptions } from './environments/file-tools.ts';
export { httpTools } from './environments/http-tools.ts';
export type { HttpToolsOptions } from './environments/http-tools.ts';
export { processTools } from './environments/process-tools.ts';
export type { ProcessToolsOptions } from './environments/process-tools.ts';
export { opsOf, requiring } from './environments/requiring.ts';
export type { RequiringTool } from './environments/requiring.ts';
export { searchFiles } from './environments/search-files.ts';
export type { FileHit, FileSearch, SearchLimits } from './environments/search-files.ts';

// Tasks, and checks before a run
export { taskSchema } from '../contracts/tasks/task.ts';
export type {
  IssueCode,
  PreflightIssue,
  SuccessCriterion,
  Task as TaskDescription,
  TaskBudget,
  TaskInput,
  TaskResource,
} from '../contracts/tasks/task.ts';
export { checkTask } from './environments/check-task.ts';
export type { CheckedTask } from './environments/check-task.ts';
export { preflight, preflightFailure } from './environments/preflight.ts';
export type { Preflight, PreflightPlan } from './environments/preflight.ts';

// Messages: tools for models, and typed protocols for code
export { colleagues } from './messages/colleagues.ts';
export type { ColleaguesOptions } from './messages/colleagues.ts';
export { protocol } from './messages/protocol.ts';
export type { Protocol, ProtocolMessage, ProtocolToolsOptions } from './messages/protocol.ts';
