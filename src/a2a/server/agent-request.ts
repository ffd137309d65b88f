import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import type { ServerPackage } from './load-server.ts';
import type { TaskReading } from './read-task.ts';

/** One request of a caller to an agent. */
export interface AgentRequest extends TaskReading {
  readonly agent: ServedAgent;
  readonly loaded: ServerPackage;
  /** The media types of messages, as the card names them. */
  readonly inputModes: readonly string[];
  /** Aborted when the client is gone, or the server shuts down. */
  readonly signal: AbortSignal;
}
