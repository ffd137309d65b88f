import type { ErrorData } from '../../contracts/error.ts';
import { errorData } from '../../contracts/error.ts';
import type { DeltaEvent, EventBody, LiveEvent, RuntimeEvent } from '../../contracts/event.ts';
import { EVENT_VERSION } from '../../contracts/event.ts';
import type { ModelDelta, Usage } from '../../contracts/model.ts';
import type { RunTotals, StepRecord } from '../../contracts/run.ts';
import type { SentSource } from '../../contracts/sent-request.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import { EventStream } from '../../events/event-stream.ts';
import type { Speaker } from './lazy-log.ts';
import { LazyLog } from './lazy-log.ts';
import { DeltaOffsets } from './delta-offsets.ts';
import { RedactedDeltas } from './redacted-deltas.ts';
import { RunCounter } from '../actors/run-counter.ts';
import { redactedSent, SentBook } from './sent-book.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { ToldLog } from './told-log.ts';

interface OpenTool {
  readonly speaker: Speaker;
  readonly step: number;
  readonly callId: string;
  readonly tool: string;
  /** When it started. */
  readonly at: number;
}

/** An event as it is to be written: its time is that of its turn, which is on record. */
export interface AdmittedEvent {
  readonly body: EventBody;
  readonly at: number;
  /** It stands in a journal already: nobody has to write it, and it is built only for those who look. */
  readonly isOnRecord?: true | undefined;
}

/** Whoever keeps a log, be it beyond the process or not at all: says what is new, and when. */
export interface LogKeeper {
  /** True if events are written: observers are notified when they are, and a process that resumes the run has them. */
  readonly keeps: boolean;
  /** True if what models were sent is on record, too. */
  readonly keepsSent: boolean;
  /** Now, never falling. */
  now(): number;
  /** Now, as the next event will have it: what came from outside in the midst of a turn is met first. */
  nextAt(): number;
  /** What is to be written for an event, and of when; undefined if it is there already. */
  admit(
    body: EventBody,
    speaker: Speaker,
    step: number | undefined,
    phase: string | undefined,
    read?: number,
  ): AdmittedEvent | undefined;
  wrote(event: RuntimeEvent): void;
}

/**
 * Writes down what happens in a run: numbers it, counts it, and hands it to whoever watches.
 *
 * I1  `seq` has no gaps, `at` never falls, and nothing is written after `run.ended`.
 * I2  A tool that was seen to start is seen to finish.
 */
export class EventLog {
  readonly events: LazyLog;
  /** What models were sent, and gave: no event of the log has it. */
  readonly sent = new SentBook();
  readonly stream: EventStream;
  /** The steps of the root, in order. */
  readonly records: StepRecord[] = [];
  readonly #runId: string;
  readonly #rootPath: string;
  readonly #journal: LogKeeper;
  readonly #secrets: RunSecrets;
  #shownSent: SentSource | undefined;
  readonly #deltas: RedactedDeltas;
  readonly #offsets = new DeltaOffsets();
  readonly #counter = new RunCounter();
  /** Events that are counted by now: they are when somebody asks what was used. */
  #counted = 0;
  /** By path, then by call id: an actor that ends looks at its own only. */
  readonly #openTools = new SmallMap<string, SmallMap<string, OpenTool>>();
  #startedAt: number;
  #isClosed = false;
  #lastTotals: RunTotals | undefined;
  /** What observers may see, where a store has to have it first. */
  readonly #told: ToldLog | undefined;
  #look: ((event: LiveEvent) => void) | undefined;

  constructor(runId: string, rootPath: string, journal: LogKeeper, secrets = new RunSecrets()) {
    this.#runId = runId;
    this.#rootPath = rootPath;
    this.#journal = journal;
    this.#secrets = secrets;
    if (journal.keepsSent) this.sent.keep();
    this.#startedAt = journal.now();
    this.#deltas = new RedactedDeltas(secrets);
    this.events = new LazyLog(runId, secrets);
    this.#told = journal.keeps ? new ToldLog(this.events) : undefined;
    this.stream = new EventStream(this.#told ?? this.events, this);
  }

  /** What models were sent, and gave, as observers may read it. */
  get shownSent(): SentSource {
    return (this.#shownSent ??= redactedSent(this.sent, (value) => this.#secrets.value(value)));
  }

  /** An observer of the stream failed: that is on record. */
  observerFailed(observer: string, thrown: unknown, event?: LiveEvent): void {
    const [path, message] = [this.#rootPath, `Cannot go on observing with '${observer}' as it failed`];
    const where = { message, runId: this.#runId, path, operation: 'observer' };
    this.write(observerFailed(observer, errorData(thrown, 'internal', where), event), { path, agent: path });
  }

  /** Somebody looks at everything as it happens, also where observers have to wait for a store. */
  inspect(look: (event: LiveEvent) => void): void {
    this.#look = look;
  }

  /** True if anybody wants the deltas of models. */
  get wantsDeltas(): boolean {
    return this.stream.wantsDeltas || this.#look !== undefined;
  }

  /** Now, as the journal says. */
  now(): number {
    return this.#journal.now();
  }

  /** Writes an event; `read` is when it comes from outside, if the clock was read for it before. */
  write(given: EventBody, speaker: Speaker, step?: number, phase?: string, read?: number): void {
    if (this.#isClosed) return;
    const journal = this.#journal;
    const admitted = journal.admit(given, speaker, step, phase, read);
    if (admitted === undefined) {
      // It is in the log; what is open is open all the same.
      if (KEPT.has(given.type)) this.#keep(given, speaker, this.now(), step);
      return;
    }
    const { body, at, isOnRecord = false } = admitted;
    if ('key' in body && body.type !== 'model.asked') {
      // What was held back of a model's words comes before what ends them.
      for (const { key, delta } of this.#deltas.ended(body))
        this.#publishDelta(key, delta, speaker, step ?? 0);
      this.#offsets.end(body.key);
    }
    const index = this.events.push(body, speaker, step, phase, at);
    // A run may have waited in line since it was made: its time counts from its first event.
    if (index === 0) this.#startedAt = at;
    if (KEPT.has(body.type)) this.#keep(body, speaker, at, step);
    // Whoever fails on the last event has nowhere left to say so.
    if (body.type === 'run.ended') {
      this.#isClosed = true;
      this.#lastTotals = body.totals;
    }
    const isSeen = this.stream.isWatched || this.#look !== undefined;
    if (!journal.keeps && !isSeen) return;
    if (isOnRecord && this.#look === undefined) return;
    const event = this.events.at(index);
    if (event === undefined) return;
    // Whoever looks may have more written.
    if (journal.keeps) journal.wrote(event);
    this.#look?.(event);
    if (!journal.keeps) this.stream.publish(event);
  }

  /** Tells observers what a store has by now: the first `count` events, and the deltas between them. */
  tell(count: number): void {
    const { stream } = this;
    for (const event of this.#told?.upTo(count, (seq) => stream.wants(seq)) ?? []) stream.publish(event);
  }

  /** A machine entered a state. */
  enter(phase: string, speaker: Speaker, step: number): void {
    this.write(enteredBody(phase), speaker, step, phase);
  }

  /** Deltas are for those who watch at this moment, after the events before them; no log keeps them. */
  delta(key: string, delta: ModelDelta, { path, agent }: Speaker, step: number, isHeld = false): void {
    if (this.#isClosed) return;
    if (!this.wantsDeltas) {
      this.#offsets.take(key, delta);
      return;
    }
    const speaker = { path, agent };
    for (const held of this.#deltas.before(key, delta)) this.#publishDelta(key, held.delta, speaker, step);
    const shown = this.#deltas.shown(key, delta, isHeld);
    if (shown !== undefined) this.#publishDelta(key, shown, speaker, step);
  }

  /** Nothing more of a call will come, and no event says so: nobody waits for it any more. */
  withdrawn(key: string, { path, agent }: Speaker, step: number): void {
    if (this.#isClosed) return;
    for (const { delta } of this.#deltas.withdrawn(key))
      this.#publishDelta(key, delta, { path, agent }, step);
    this.#offsets.end(key);
  }

  #publishDelta(key: string, delta: ModelDelta, { path, agent }: Speaker, step: number): void {
    const event: DeltaEvent = Object.freeze({
      v: EVENT_VERSION,
      type: 'model.delta',
      at: this.now(),
      runId: this.#runId,
      path,
      agent,
      step,
      key,
      offset: this.#offsets.take(key, delta),
      // The model may go on with its own.
      delta: Object.freeze({ ...delta }),
    });
    this.#look?.(event);
    if (this.#told?.holds(event) !== true) this.stream.publish(event);
  }

  /** What was used so far; once the run has ended, what its last event says. */
  get totals(): RunTotals {
    if (this.#lastTotals !== undefined) return this.#lastTotals;
    const uncounted = this.events.bodies(this.#counted);
    for (const body of uncounted) this.#counter.count(body);
    this.#counted += uncounted.length;
    return { ...this.#counter.totals, durationMs: this.now() - this.#startedAt };
  }

  /** Counts tokens that no event tells of: their call was withdrawn. */
  charge(model: string, usage: Usage, costUsd: number | undefined): void {
    if (!this.#isClosed) this.#counter.charge(model, usage, costUsd);
  }

  /** Says for every tool, of the agent at `path` if one is given, that started and did not finish that it will not. */
  closeTools(reason: string, path?: string): void {
    if (path === undefined) {
      for (const each of this.#openTools.keys()) this.closeTools(reason, each);
      return;
    }
    for (const { speaker, step, callId, tool, at } of this.#openTools.get(path)?.values() ?? []) {
      const text = `Cannot finish '${tool}' as ${reason}`;
      const place = { runId: this.#runId, path: speaker.path, step, phase: 'ACT', operation: 'act' };
      const errorId = `${this.#runId}/${speaker.path}#${step}.${callId}`;
      const error = {
        code: 'tool.cancelled',
        message: text,
        retryable: 'no',
        tool,
        ...place,
        errorId,
      } as const;
      const durationMs = Math.max(0, this.#journal.nextAt() - at);
      const end = { ok: false, text, durationMs, error, synthesised: true } as const;
      this.write({ type: 'tool.finished', callId, tool, ...end }, speaker, step, 'ACT');
    }
  }

  /** Nothing is written from now on; whoever watches is told that this was all. */
  close(): void {
    this.#isClosed = true;
    this.tell(this.events.length);
    this.stream.close();
  }

  /** What is needed later on: the root's steps, and the tools that are open. */
  #keep(body: EventBody, speaker: Speaker, at: number, step = 0): void {
    switch (body.type) {
      case 'step.ended':
        if (speaker.path === this.#rootPath) this.records.push(body.record);
        break;
      case 'tool.started': {
        const { callId, tool } = body;
        const open = this.#openTools.get(speaker.path) ?? new SmallMap<string, OpenTool>();
        this.#openTools.set(speaker.path, open.set(callId, { speaker, step, callId, tool, at }));
        break;
      }
      case 'tool.finished': {
        const open = this.#openTools.get(speaker.path);
        open?.delete(body.callId);
        if (open?.size === 0) this.#openTools.delete(speaker.path);
        break;
      }
      default:
    }
  }
}

/** Events that `#keep` looks at. */
const KEPT: ReadonlySet<string> = new Set(['step.ended', 'tool.started', 'tool.finished']);

const entered = new Map<string, EventBody>();

/** There are a dozen phases, and a run enters them thousands of times. */
const enteredBody = (phase: string): EventBody => {
  const known = entered.get(phase);
  if (known !== undefined) return known;
  const body = { type: 'phase.entered', phase } as const;
  entered.set(phase, body);
  return body;
};

/** An observer failed; where it was being told of an error, that one is on record, too. */
export const observerFailed = (
  observer: string,
  error: ErrorData,
  event: LiveEvent | undefined,
): EventBody => {
  const about = event !== undefined && 'error' in event ? event.error : undefined;
  return { type: 'observer.failed', observer, error, ...(about === undefined ? {} : { about }) };
};
