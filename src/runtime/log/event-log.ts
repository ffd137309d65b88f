import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { DeltaEvent, EventBody, LiveEvent, RuntimeEvent } from '../../contracts/events/event.ts';
import type { NotedEvent } from '../../contracts/events/noted-event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import type { StepRecord } from '../../contracts/runs/step-record.ts';
import type { SentSource } from '../../contracts/models/sent-request.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import { EventStream } from '../../events/stream/event-stream.ts';
import type { Speaker } from './lazy-log.ts';
import { LazyLog } from './lazy-log.ts';
import type { AnsweredCall } from './answers-so-far.ts';
import { AnswersSoFar } from './answers-so-far.ts';
import { DeltaOffsets } from './delta-offsets.ts';
import { RedactedDeltas } from './redacted-deltas.ts';
import { RunCounter } from '../actors/run-counter.ts';
import { redactedSent, SentBook } from './sent-book.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { CommittedLog } from './committed-log.ts';

interface OpenTool {
  readonly speaker: Speaker;
  readonly step: number;
  readonly callId: string;
  readonly tool: string;
  /** Time of its start. */
  readonly at: number;
}

type Answered = Extract<EventBody, { type: 'model.answered' }>;

/** An event to be written, with the recorded time of its turn. */
export interface AdmittedEvent {
  readonly body: EventBody;
  readonly at: number;
  /** True if it is in a journal already: it is not written again, and only inspectors are shown it. */
  readonly isOnRecord?: true | undefined;
}

/** The keeper of a log, durable or not: determines which events are new, and their time. */
export interface LogKeeper {
  /** True if events are stored: observers are notified after that, and a process that resumes the run has them. */
  readonly keeps: boolean;
  /** True if requests to models are recorded, too. */
  readonly keepsSent: boolean;
  /** The current time, never falling. */
  now(): number;
  /** The time of the next event: arrivals from outside during a turn are processed first. */
  nextAt(): number;
  /** The event to write and its time; undefined if it is written already. */
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
 * Writes the events of a run: numbers them, counts them, and publishes them.
 *
 * I1 `seq` has no gaps, `at` never falls, and nothing is written after `run.ended`.
 * I2 A tool that was seen to start is seen to finish.
 */
export class EventLog {
  readonly events: LazyLog;
  /** The events, by number, that are on record from before this process took the run; the first one of a fork is its own. */
  repeated = { from: 0, to: 0 };
  /** Requests and responses of models, which no event of the log contains. */
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
  /** Undefined if no reader can join. */
  #answers: AnswersSoFar | undefined;
  readonly #counter = new RunCounter();
  /** By path, then by call id, so that an ended actor searches its own only. */
  readonly #openTools = new SmallMap<string, SmallMap<string, OpenTool>>();
  /** Names of models, each with a setting that was left out for it. */
  readonly #omitted = new SmallSet<string>();
  #startedAt: number;
  #isClosed = false;
  #lastTotals: RunTotals | undefined;
  /** The events that observers may see, if a store has to commit them first. */
  readonly #committed: CommittedLog | undefined;
  #look: ((event: DeltaEvent | NotedEvent) => void) | undefined;
  /** The reason why the run has left this process, where it has. */
  #left: ErrorData | undefined;
  #onResumed: ((at: number) => void) | undefined;

  constructor(runId: string, rootPath: string, journal: LogKeeper, secrets = new RunSecrets()) {
    this.#runId = runId;
    this.#rootPath = rootPath;
    this.#journal = journal;
    this.#secrets = secrets;
    if (journal.keepsSent) this.sent.keep();
    this.#startedAt = journal.now();
    this.#deltas = new RedactedDeltas(secrets);
    this.events = new LazyLog(runId, secrets);
    this.#committed = journal.keeps ? new CommittedLog(this.events) : undefined;
    this.stream = new EventStream(this.#committed ?? this.events, this, this);
  }

  /** Requests and responses of models, redacted for observers. */
  get shownSent(): SentSource {
    return (this.#shownSent ??= redactedSent(this.sent, (value) => this.#secrets.value(value)));
  }

  /** Records that an observer of the stream failed. */
  observerFailed(observer: string, thrown: unknown, event?: LiveEvent): void {
    const [path, message] = [this.#rootPath, `Cannot notify '${observer}' as it failed`];
    const where = { message, runId: this.#runId, path, operation: 'observer' };
    this.write(observerFailed(observer, errorData(thrown, 'internal', where), event), { path, agent: path });
  }

  /** The answer without the settings that the run has reported as left out for that model before. */
  withNewOmissions(body: Answered): Answered {
    if (body.omitted === undefined) return body;
    const { omitted, ...rest } = body;
    const fresh = Object.entries(omitted).filter(
      ([setting]) => !this.#omitted.has(`${body.model} ${setting}`),
    );
    return fresh.length === 0 ? rest : { ...rest, omitted: Object.fromEntries(fresh) };
  }

  /** Calls `look` with every event at once, even if observers have to wait for a store: in parts, as it builds what it shows. */
  inspect(look: (event: DeltaEvent | NotedEvent) => void): void {
    this.#look = look;
  }

  /** The run leaves this process: what is written from now on is on no record, and says why. */
  leaves(why: ErrorData): void {
    this.#left ??= why;
  }

  /** Calls `next` with the time each time that another process has continued the run. */
  onResumed(next: (at: number) => void): void {
    this.#onResumed = next;
  }

  /** Another process has continued the run: a fact of its journal, and no event of it. */
  resumed(at: number): void {
    this.#onResumed?.(at);
  }

  /** True if any listener wants the deltas of models. */
  get wantsDeltas(): boolean {
    return this.stream.wantsDeltas || this.#look !== undefined;
  }

  /** The current time of the journal. */
  now(): number {
    return this.#journal.now();
  }

  /** Writes an event; `read` is the time of an event from outside, if the clock was read for it before. */
  write(given: EventBody, speaker: Speaker, step?: number, phase?: string, read?: number): void {
    if (this.#isClosed) return;
    const journal = this.#journal;
    const admitted = journal.admit(given, speaker, step, phase, read);
    if (admitted === undefined) {
      // It is in the log already, but open tools have to be tracked all the same.
      if (KEPT.has(given.type)) this.#keep(given, speaker, this.now(), step);
      return;
    }
    const { body, at, isOnRecord = false } = admitted;
    const isKept = KEPT.has(body.type);
    if (isKept && 'key' in body && body.type !== 'model.asked') {
      // Held deltas of the call precede the event that ends it.
      for (const { key, delta } of this.#deltas.ended(body))
        this.#publishDelta(key, delta, speaker, step ?? 0);
      this.#endDeltas(body.key, this.events.length + 1);
    }
    const index = this.events.push(body, speaker, step, phase, at);
    // A run may have been queued since it was created: its time counts from its first event.
    if (index === 0) this.#startedAt = at;
    if (isKept) {
      this.#counter.count(body);
      this.#keep(body, speaker, at, step);
    }
    // An observer that fails on the last event cannot be recorded.
    if (body.type === 'run.ended') {
      this.#isClosed = true;
      this.#lastTotals = body.totals;
    }
    const { keeps } = journal;
    const event = !isOnRecord && (keeps || this.stream.isWatched) && this.events.at(index);
    if (event && keeps) journal.wrote(event);
    const noted = this.#look && this.events.partsAt(index);
    if (noted) this.#look?.(noted);
    // The observer may write events in turn.
    if (event && !keeps) this.stream.publish(event);
  }

  /** Publishes the first `count` events, which a store has by now, and the deltas between them. */
  tell(count: number): void {
    const { stream } = this;
    for (const event of this.#committed?.upTo(count, (seq) => stream.wants(seq)) ?? []) {
      if (event.type === 'model.delta') this.#answers?.show(event);
      stream.publish(event);
    }
    this.#answers?.told(count);
  }

  /** Writes that a machine entered a state. */
  enter(phase: string, speaker: Speaker, step: number): void {
    let body = entered.get(phase);
    if (body === undefined) entered.set(phase, (body = { type: 'phase.entered', phase }));
    this.write(body, speaker, step, phase);
  }

  /** Keeps the answers that are under way, for readers that join late. */
  keepAnswers(): void {
    this.#answers = new AnswersSoFar();
  }

  /** Counts a delta that no listener wants, or keeps its text for one that joins. */
  passDelta(delta: ModelDelta, call: AnsweredCall): void {
    if (this.#isClosed) return;
    if (this.#answers?.keep(delta, call) !== true) this.#offsets.take(call.key, delta);
  }

  /** Publishes a delta after the events before it. Deltas are not kept in any log. */
  delta(delta: ModelDelta, call: AnsweredCall): void {
    if (this.#isClosed) return;
    this.#showUnseen();
    this.#show(delta, call);
  }

  /** Returns the answers that are under way, for a reader that joins: as all others were shown them, adjacent deltas of a kind as one. */
  answersSoFar(): readonly DeltaEvent[] {
    this.#showUnseen();
    const shown = this.#answers?.shown ?? [];
    return shown.map(({ origin, delta }) =>
      Object.freeze({ ...origin, at: this.now(), delta: Object.freeze(delta) }),
    );
  }

  /** Shows what had no reader: later deltas follow it. */
  #showUnseen(): void {
    for (const { delta, origin } of this.#answers?.takeUnseen() ?? []) this.#show(delta, origin);
  }

  #show(delta: ModelDelta, { key, speaker, step, waits }: AnsweredCall): void {
    for (const shown of this.#redact(key, delta, waits)) this.#publishDelta(key, shown, speaker, step);
  }

  /** The deltas that can be shown now that this one has come. */
  #redact(key: string, delta: ModelDelta, waits: AnsweredCall['waits']): readonly ModelDelta[] {
    const before = this.#deltas.before(key, delta).map((held) => held.delta);
    const shown = this.#deltas.shown(key, delta, waits(delta));
    return shown === undefined ? before : [...before, shown];
  }

  /** Ends the deltas of a cancelled call, which no event ends. */
  withdrawn(key: string, { path, agent }: Speaker, step: number): void {
    if (this.#isClosed) return;
    for (const { delta } of this.#deltas.withdrawn(key))
      this.#publishDelta(key, delta, { path, agent }, step);
    this.#endDeltas(key, this.events.length);
  }

  /** Forgets a call that is over, once readers have been shown `count` events. */
  #endDeltas(key: string, count: number): void {
    this.#offsets.end(key);
    this.#answers?.end(key, count);
    if (this.#committed === undefined) this.#answers?.told(count);
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
      // The model may reuse its own object.
      delta: Object.freeze({ ...delta }),
    });
    this.#look?.(event);
    if (this.#committed?.holds(event) === true) return;
    this.#answers?.show(event);
    this.stream.publish(event);
  }

  /** Usage so far; after the end, the totals of the last event. */
  get totals(): RunTotals {
    if (this.#lastTotals !== undefined) return this.#lastTotals;
    return { ...this.#counter.totals, durationMs: this.now() - this.#startedAt };
  }

  /** Counts tokens of a withdrawn call, which no event reports. */
  charge(model: string, usage: Usage, costUsd: number | undefined): void {
    if (!this.#isClosed) this.#counter.charge(model, usage, costUsd);
  }

  /** Writes for every unfinished tool, of the agent at `path` if given, that it will not finish. */
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
        ...(this.#left === undefined ? {} : { details: { left: this.#left.code } }),
      } as const;
      const durationMs = Math.max(0, this.#journal.nextAt() - at);
      const end = { ok: false, text, durationMs, error, synthesised: true } as const;
      this.write({ type: 'tool.finished', callId, tool, ...end }, speaker, step, 'ACT');
    }
  }

  /** Ends the log: nothing more is written, and observers are completed. */
  close(): void {
    this.#isClosed = true;
    this.tell(this.events.length);
    this.stream.close();
  }

  /** Tracks the root's steps, the open tools and the settings left out. */
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
      case 'model.answered':
        for (const setting of Object.keys(body.omitted ?? {})) this.#omitted.add(`${body.model} ${setting}`);
        break;
      default:
    }
  }
}

/** Types of event that `#keep` handles, that count, or that end a model call. The others, most of them, are only added to the log. */
const KEPT: ReadonlySet<string> = new Set<EventBody['type']>([
  'step.ended',
  'tool.started',
  'tool.finished',
  'tool.retrying',
  'model.asked',
  'model.answered',
  'model.interrupted',
  'model.discarded',
  'model.failed',
  'model.retrying',
  'model.fell-back',
  'context.compacted',
]);

/** Bodies of `phase.entered`: there are a dozen phases, and a run enters them thousands of times. */
const entered = new Map<string, EventBody>();

/** The event of a failed observer, with the error that it was being notified of, if any. */
export const observerFailed = (
  observer: string,
  error: ErrorData,
  event: LiveEvent | undefined,
): EventBody => {
  const about = event !== undefined && 'error' in event ? event.error : undefined;
  return { type: 'observer.failed', observer, error, ...(about === undefined ? {} : { about }) };
};
