/** Backends decide for an agent: a model in a loop, a router, an external engine. Set by `agent({ backend })`. */

// Backends
export { backendNames, registerBackend } from './backend-registry.ts';
export type { Backend, BackendAnswer, BackendChoice, BackendPlace } from '../../contracts/backend.ts';

// Routing
export { routing, routingSchema } from './routing.ts';
export type { RoutingDecision, RoutingOptions } from './routing.ts';

// External engines
export { passthrough } from './passthrough.ts';
export type { EngineAnswer, EngineRequest, ExternalEngine, PassthroughOptions } from './passthrough.ts';
export { memorySessions } from './session-store.ts';
export { storedSessions } from './stored-sessions.ts';
export type { StoredSessionsOptions } from './stored-sessions.ts';
export type { Session, SessionStore } from './session-store.ts';
