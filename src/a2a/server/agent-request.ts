import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import type { Caller } from '../../runtime/serve/serve-options.ts';
import type { ServerPackage } from './load-server.ts';
import type { TaskReading } from './read-task.ts';

/** One request of a caller to an agent. */
export interface AgentRequest extends TaskReading {
  readonly agent: ServedAgent;
  readonly caller: Caller;
  readonly loaded: ServerPackage;
  /** Aborted when the client is gone, or the server shuts down. */
  readonly signal: AbortSignal;
}
