/** React hooks: an agent owned by a component, and a run elsewhere. */
export { useAgent } from './use-agent.ts';
export { useRun } from './use-run.ts';
export type { AgentSessionView } from './agent-session-view.ts';
