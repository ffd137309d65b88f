/** Coding agents of the Agent Client Protocol, as agents. Needs the package `@agentclientprotocol/sdk`. */
export { acpAgent } from './acp-agent.ts';
