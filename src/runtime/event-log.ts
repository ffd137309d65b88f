import { errorData } from '../contracts/error.ts';
import type { Clock } from '../contracts/clock.ts';
import type { DeltaEvent, EventBody, RuntimeEvent } from '../contracts/event.ts';
import { EVENT_VERSION } from '../contracts/event.ts';
import type { ModelDelta } from '../contracts/model.ts';
import type { RunTotals, StepRecord } from '../contracts/run.ts';
import { EventStream } from '../events/event-stream.ts';

/** Who says it: what the runtime adds to an event's content. */
export interface Speaker {
  readonly path: string;
  readonly agent: string;
}

type Counts = { -readonly [Key in Exclude<keyof RunTotals, 'durationMs'>]: number };

interface OpenTool {
  readonly speaker: Speaker;
  readonly step: number;
  readonly callId: string;
  readonly tool: string;
}

/**
 * Writes down what happens in a run: numbers it, counts it, and hands it to whoever watches.
 *
 * I1  `seq` has no gaps, `at` never falls, and nothing is written after `run.ended`.
 * I2  A tool that was seen to start is seen to finish.
 */
export class EventLog {
  readonly events: RuntimeEvent[] = [];
  readonly stream: EventStream;
  /** The steps of the root, in order. */
  readonly records: StepRecord[] = [];
  readonly #runId: string;
  readonly #rootPath: string;
  readonly #clock: Clock;
  #startedAt: number;
  readonly #counts: Counts = {
    steps: 0,
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    retries: 0,
  };
  readonly #openTools = new Map<string, OpenTool>();
  #at: number;
  #isClosed = false;
  #sink: ((event: RuntimeEvent) => void) | undefined;

  constructor(runId: string, rootPath: string, clock: Clock) {
    this.#runId = runId;
    this.#rootPath = rootPath;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#at = this.#startedAt;
    this.stream = new EventStream(this.events, (observer, error) => {
      const message = `Cannot go on observing with '${observer}' as it failed`;
      const body = {
        type: 'observer.failed',
        observer,
        error: errorData(error, 'internal', { message }),
      } as const;
      this.write(body, { path: rootPath, agent: rootPath });
    });
  }

  /** Everything written is also given to `sink`: an embedding actor's `emit`. */
  mirror(sink: (event: RuntimeEvent) => void): void {
    this.#sink = sink;
  }

  /** Now, never falling: also where somebody sets the system's clock back. */
  now(): number {
    const now = this.#clock.now();
    if (now > this.#at) this.#at = now;
    return this.#at;
  }

  write(body: EventBody, { path, agent }: Speaker, step?: number, phase?: string): void {
    if (this.#isClosed) return;
    // A run may have waited in line since it was made: its time counts from its first event.
    if (this.events.length === 0) this.#startedAt = this.now();
    const event = {
      v: EVENT_VERSION,
      seq: this.events.length,
      at: this.now(),
      runId: this.#runId,
      path,
      agent,
      ...(step === undefined ? undefined : { step }),
      ...(phase === undefined ? undefined : { phase }),
      ...body,
    } as RuntimeEvent;
    this.events.push(event);
    this.#count(event);
    if (this.stream.isWatched) this.stream.publish(event);
    this.#sink?.(event);
  }

  /** Deltas are for those who watch at this moment; no log keeps them. */
  delta(key: string, delta: ModelDelta, { path, agent }: Speaker, step: number): void {
    if (this.#isClosed || !this.stream.wantsDeltas) return;
    const event: DeltaEvent = {
      v: EVENT_VERSION,
      type: 'model.delta',
      at: this.now(),
      runId: this.#runId,
      path,
      agent,
      step,
      key,
      delta,
    };
    this.stream.publish(event);
  }

  get totals(): RunTotals {
    return { ...this.#counts, durationMs: this.#at - this.#startedAt };
  }

  /** Says for every tool that was seen to start and not to finish that it will not. */
  closeTools(reason: string): void {
    for (const { speaker, step, callId, tool } of this.#openTools.values()) {
      const message = `Cannot finish '${tool}' as ${reason}`;
      const error = { code: 'tool.cancelled', message, retryable: 'no', tool } as const;
      const body = {
        type: 'tool.finished',
        callId,
        tool,
        ok: false,
        text: message,
        durationMs: 0,
        error,
      } as const;
      this.write({ ...body, synthesised: true }, speaker, step, 'ACT');
    }
  }

  /** Nothing is written from now on; whoever watches is told that this was all. */
  close(): void {
    this.#isClosed = true;
    this.stream.close();
  }

  #count(event: RuntimeEvent): void {
    const counts = this.#counts;
    switch (event.type) {
      case 'step.ended':
        counts.steps += 1;
        if (event.path === this.#rootPath) this.records.push(event.record);
        break;
      case 'model.answered':
        counts.modelCalls += 1;
        counts.inputTokens += event.usage.input;
        counts.outputTokens += event.usage.output;
        counts.cachedTokens += event.usage.cached ?? 0;
        break;
      case 'tool.started':
        this.#openTools.set(`${event.path} ${event.callId}`, {
          speaker: event,
          step: event.step ?? 0,
          callId: event.callId,
          tool: event.tool,
        });
        break;
      case 'tool.finished':
        counts.toolCalls += 1;
        this.#openTools.delete(`${event.path} ${event.callId}`);
        break;
      case 'model.retrying':
      case 'tool.retrying':
        counts.retries += 1;
        break;
      default:
    }
  }
}
