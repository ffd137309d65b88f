import type { EventType, HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import { withSent } from '../../../runtime/log/sent-requests.ts';
import type { RunFacts } from '../run-facts.ts';
import { RunReader } from '../run-reader.ts';

/** Events that have facts in them. */
export const readEvents = [
  'run.started',
  'run.ended',
  'model.asked',
  'model.answered',
  'model.retrying',
  'model.failed',
  'model.fell-back',
  'tool.started',
  'tool.retrying',
  'tool.finished',
  'message.sent',
  'agent.observed',
  'agent.critiqued',
  'agent.decided',
  'route.chosen',
] as const satisfies readonly EventType[];

/** Runs that are read at once; beyond it the oldest is given up, as one that was suspended never ends. */
const MOST_RUNS = 1_000;

/** Reads the facts of runs in progress. */
export class RunsInProgress {
  readonly #readers = new Map<string, RunReader>();

  /** Takes in an event. Returns the facts of its run with the last one. */
  take(event: LiveEvent, { sent }: HookScope): RunFacts | undefined {
    if (event.type === 'model.delta') return undefined;
    const { runId, type } = event;
    // A resumed run repeats its events from the first.
    if (type === 'run.started') this.#readers.set(runId, new RunReader());
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > MOST_RUNS && oldest !== undefined) this.#readers.delete(oldest);
    const facts = this.#readers.get(runId)?.take(sent === undefined ? event : withSent(event, sent));
    if (type === 'run.ended') this.#readers.delete(runId);
    return facts;
  }
}
