import type { EventBody, LiveEvent } from '../../contracts/events/event.ts';

/** The use of a run so far, as far as it is known. */
export interface RunFigures {
  readonly durationMs?: number | undefined;
  /** Input and output of all models. */
  readonly tokens?: number | undefined;
  /** In US dollars; undefined where the price of a call is unknown. */
  readonly costUsd?: number | undefined;
  readonly errors?: number | undefined;
  /** Open requests to people. */
  readonly requests?: number | undefined;
}

/** Adds up a run's events, in constant space but for the requests that are open. */
export class RunSums {
  readonly #requests = new Set<string>();
  #begun: number | undefined;
  #last = 0;
  #tokens = 0;
  #cost: number | undefined = 0;
  #errors = 0;
  #endedAfter: number | undefined;

  /** Takes in what an event says, and when. */
  take(event: EventBody | LiveEvent, at: number): void {
    switch (event.type) {
      case 'model.delta':
        return;
      case 'run.started':
        // A resumed run repeats its events from the first.
        this.#begin(at);
        break;
      case 'model.answered': {
        const { usage, costUsd } = event;
        this.#tokens += usage.input + usage.output;
        this.#cost = this.#cost === undefined || costUsd === undefined ? undefined : this.#cost + costUsd;
        break;
      }
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked':
        this.#requests.add(event.id);
        break;
      case 'tool.approved':
      case 'tool.denied':
      case 'person.answered':
      case 'request.withdrawn':
        // What a rule denies, nobody was asked.
        if (event.id !== undefined) this.#requests.delete(event.id);
        break;
      case 'run.ended': {
        const { totals, status } = event;
        this.#tokens = totals.inputTokens + totals.outputTokens;
        this.#cost = totals.costUsd;
        this.#endedAfter = totals.durationMs;
        if (status === 'failed') this.#errors += 1;
        this.#requests.clear();
        break;
      }
      default:
        if (isError(event)) this.#errors += 1;
    }
    this.#last = at;
  }

  /** The sums by now: the time of a run in progress ends with its last event. */
  get figures(): RunFigures {
    const soFar = this.#begun === undefined ? undefined : this.#last - this.#begun;
    return {
      durationMs: this.#endedAfter ?? soFar,
      tokens: this.#tokens,
      costUsd: this.#cost,
      errors: this.#errors,
      requests: this.#requests.size,
    };
  }

  #begin(at: number): void {
    this.#begun = at;
    this.#tokens = 0;
    this.#cost = 0;
    this.#errors = 0;
    this.#endedAfter = undefined;
    this.#requests.clear();
  }
}

/** Checks whether an event is an error of the run: the timeline marks the same. An observer that fails harms itself alone. */
const isError = (event: EventBody | LiveEvent): boolean =>
  event.type === 'tool.finished'
    ? !event.ok
    : event.type.endsWith('.failed') && event.type !== 'observer.failed';
