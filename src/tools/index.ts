/** Tools for documents, for the environments that agents act in, of APIs, and for talk between agents while they work. */

// Documents
export { documents } from './built-in/documents/documents.ts';

// Skills: folders with instructions. Node only.
export { skills } from './built-in/skills/skills.ts';

// Pages of the web
export { pageTool } from './built-in/web/page-tool.ts';
export { searchTool } from './built-in/web/search/search-tool.ts';

// Environments
export { memoryEnvironment } from './environments/memory-environment.ts';
export { bashEnvironment } from './environments/bash-environment.ts';
export { remoteEnvironment } from './environments/remote-environment.ts';
export { serveEnvironment } from './environments/serve-environment.ts';
export type { Environment } from '../contracts/environments/environment.ts';
export type { EnvironmentOps, FileOps, HttpOps, ProcessOps } from '../contracts/environments/operations.ts';

// Environments of this machine: its files below one folder, its programs, and the network. Node only.
export { hostEnvironment } from './built-in/host/host-environment.ts';
export { containerEnvironment } from './built-in/container/container-environment.ts';
export { commandEnvironment } from './built-in/host/command-environment.ts';
export { publicHttp } from './built-in/http/http-environment.ts';
export { environmentFrom } from './built-in/host/environment-from-spec.ts';

// Tools for what environments can do
export { fileTools } from './environments/file-tools.ts';
export { httpTools } from './environments/http-tools.ts';
export { processTools } from './environments/process-tools.ts';
export { opsOf } from './environments/requiring.ts';

// Databases that are read
export { sqlTools } from './built-in/sql/sql-tools.ts';

// A browser, confined
export { browserTools } from './built-in/browser/browser-tools.ts';

// Tools of an API, by its document
export { openApiTools } from './built-in/open-api/open-api-tools.ts';

// Tasks, and checks before a run
export { checkTask } from './environments/check-task.ts';
export { preflight } from './environments/preflight.ts';

// Messages: tools for models, and typed protocols for code
export { colleagues } from './messages/colleagues.ts';
export { protocol } from './messages/protocol.ts';
