import type { EventOf } from '../../../contracts/events/event.ts';
import type { NotedEvent } from '../../../contracts/events/noted-event.ts';
import { builtEvent } from '../../../contracts/events/noted-event.ts';
import type { Model } from '../../../contracts/models/model.ts';
import type { InspectedRun, ModelAsker } from '../../../contracts/events/inspection.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';
import { SentRequests, withSent } from '../../../runtime/log/sent-requests.ts';

/** A model call as it was made, and the means to make it again. */
export interface AskedCall {
  readonly request: WholeRequest;
  readonly asker: ModelAsker;
}

/** The events of a run that tell what its models were sent, and the means to send it. */
type Source = Pick<InspectedRun, 'runId' | 'askerAt'> & {
  readonly sentAsItWas: Pick<InspectedRun['sentAsItWas'], 'requestOf'>;
};

interface Noted {
  readonly event: EventOf<'model.asked'>;
  readonly asker: ModelAsker;
}

/** The calls of a run that can be made again. */
const MOST = 1_000;

/** The model calls of a run with what was really sent, secrets included. Holds nothing of the run but what its calls need. */
export class AskedCalls {
  /** The requests of calls that are too old, on which later ones build. */
  readonly #before = new SentRequests();
  #calls: Noted[] = [];

  /** Takes in an event as it is written: later its actor and its request may be gone. */
  take(noted: NotedEvent, { runId, sentAsItWas, askerAt }: Source): void {
    if (noted.body.type !== 'model.asked') return;
    const event = builtEvent(runId, noted);
    if (event.type !== 'model.asked') return;
    const asker = askerAt(event.path);
    if (asker === undefined) return;
    this.#calls.push({
      event: withSent(event, { ...NO_ANSWERS, requestOf: (key) => sentAsItWas.requestOf(key) }),
      asker,
    });
    if (this.#calls.length >= 2 * MOST) this.#forgetSome();
  }

  /** The call of that key: the last one, as it may have been made again after a crash. */
  at(key: string): AskedCall | undefined {
    const found = this.#calls.findLast(({ event }) => event.key === key);
    if (found === undefined) return undefined;
    const requests = this.#before.copy();
    for (const { event } of this.#calls) {
      if (event === found.event) break;
      if (event.path === found.event.path) requests.note(event);
    }
    const request = requests.take(found.event);
    return request && { request, asker: found.asker };
  }

  /** The models of the agents that asked one, those that asked last first. */
  models(): readonly Model[] {
    const askers = new Map(this.#calls.map(({ event, asker }) => [event.path, asker]));
    return [...askers.values()].toReversed().flatMap((asker) => asker.given());
  }

  #forgetSome(): void {
    for (const { event } of this.#calls.slice(0, -MOST)) this.#before.note(event);
    this.#calls = this.#calls.slice(-MOST);
  }
}

const NO_ANSWERS = { answerOf: () => undefined };
