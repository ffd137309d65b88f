/** Agents of other programs as members, and agents for other programs, by the protocol A2A. Needs the package `@a2a-js/sdk`. */
export { serveA2a } from './server/serve-a2a.ts';
