/** Agents of other programs as members, and agents for other programs, by the protocol A2A. Needs the package `@a2a-js/sdk`. */
export { a2aAgent } from './client/a2a-agent.ts';
export { serveA2a } from './server/serve-a2a.ts';
