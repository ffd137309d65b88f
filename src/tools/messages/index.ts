/**
 * Agents that talk to each other while they work: tools for models, and typed protocols for code.
 *
 * Code talks by `context.messages` of its tools; people by `send` of a run's handle.
 */
export { colleagues } from './colleagues.ts';
export type { ColleaguesOptions } from './colleagues.ts';
export { protocol } from './protocol.ts';
export type { Protocol, ProtocolMessage, ProtocolToolsOptions } from './protocol.ts';
