import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { Redactor } from '../../contracts/secrets/redactor.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import { randomId } from '../../base/random-id.ts';
import type { Definition } from '../define/definition.ts';
import { outcomeOfFailure } from '../run/result.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import { onlyOnce } from '../inspection/safe-inspector.ts';
import type { Ending, FaceSnapshot } from './face-snapshot.ts';
import type { Scope } from '../turn/quiet-scope.ts';
import { keepSame } from '../../base/collections/keep-same.ts';
import { canObey, CHANGES_WHAT_CAN_BE, obey, type ReadCommand, readCommand } from './agent-command.ts';
import { AppStop } from './app-stop.ts';
import { BeforeRun } from './before-run.ts';
import { Cast } from './cast.ts';
import { CastWatch } from './cast-watch.ts';
import { type EmbeddedRun, keptRun, type LeftRun, newRun, notBegun } from './embedded-run.ts';
import { Face, type KeptFace } from './face.ts';
import { packBlobs } from './kept-blobs.ts';
import { type KeptActor, type KeptRun, KEPT_VERSION, type OpenedRun, withHead } from './kept-run.ts';
import { leave, untilLeft } from '../journal/resume/leaving-runs.ts';
import type { LogicOptions } from './logic-options.ts';
import { Outgoing } from './outgoing.ts';
import type { Follower, SeatPlan } from './seat-plan.ts';
import { followRun } from './follow-run.ts';

/**
 * The place of one run in an XState app: the actor of its root, the faces of its actors, and its life cycle.
 *
 * I1 There is one run at a time; a previous one is no longer shown.
 * I2 Updates are shown in order, and outside the turns of the run.
 * I3 A stop pauses the run at once, and ends it in a microtask unless the actor is started again.
 * I4 A run whose address was persisted is suspended, not aborted, when its app stops: a snapshot of it can be restored.
 */
export class Seat {
  readonly definition: Definition;
  readonly runId: string;
  readonly root: Face;
  readonly #options: LogicOptions;
  /** The run's input; undefined while it is sealed. */
  #input: unknown;
  #before: BeforeRun;
  /** The sealed state to resume or start from. */
  #locked: { readonly run: KeptRun; readonly open: () => Promise<OpenedRun> } | undefined;
  readonly #cast: Cast;
  readonly #outgoing: Outgoing;
  readonly #followers = new Set<Follower>();
  /** Commands sent before the run existed. */
  #early: (() => void)[] = [];
  #run: EmbeddedRun | undefined;
  /** The state to resume from while the run is not running. */
  #kept: LeftRun | undefined;
  #refusal: Outcome | undefined;
  #published = -1;
  #requests: readonly OpenRequest[] = [];
  #secrets: RunSecrets | undefined;
  /** Incremented when a run is left. */
  #epoch = 0;
  #isParked = false;
  #isComing = false;
  #isOver = false;
  /** The run is paused because the actor is stopped, not by a command. */
  #isHeld = false;
  /** A persisted snapshot refers to the run in its store. */
  #isAddressed: boolean;
  readonly #appStop = new AppStop();
  /** The run may have been started in its store after it was persisted. */
  readonly #mayBeStored: boolean;

  constructor({ definition, options, latest, input, kept, refusal }: SeatPlan) {
    this.definition = definition;
    this.#options = options;
    this.#input = kept?.opened?.input ?? input;
    this.#refusal = refusal;
    this.runId = kept?.run.runId ?? options.runId ?? randomId();
    this.#isAddressed = kept?.run.isStored === true;
    this.#mayBeStored = this.#isAddressed && kept?.run.input !== undefined && options.store !== undefined;
    this.#before = new BeforeRun(definition, this.runId, this.#input, options);
    const { name: path } = definition;
    this.root = new Face({ home: this, path, definition, latest: { snapshot: latest } });
    this.#cast = new Cast(this.root);
    const failed = onlyOnce((error) => {
      this.observerFailed('inspector', error);
    });
    this.#outgoing = new Outgoing(failed, () => {
      this.#cast.showChildren();
    });
    if (kept === undefined) return;
    this.#published = kept.run.published;
    if (kept.unlock !== undefined) this.#locked = { run: kept.run, open: kept.unlock };
    if (kept.run.input === undefined)
      this.#kept = { runId: this.runId, records: kept.opened?.records, blobs: kept.blobs };
  }

  /** Restores the root in its actor, and the actors below it. */
  restore(scope: Scope, kept: KeptActor | undefined): FaceSnapshot {
    this.root.scope = scope;
    if (kept?.chart.status === 'done') {
      this.#isOver = true;
      this.root.over(kept.chart.output);
    } else this.#cast.restore(this.root, kept?.children ?? {});
    return this.root.snapshot();
  }

  get #redactor(): Redactor {
    return (this.#secrets ?? this.#before.secrets).redactor;
  }

  get isPaused(): boolean {
    if (this.#run === undefined) return this.#kept === undefined && this.#options.paused === true;
    return !this.#isHeld && this.#run.run.gate.isPaused;
  }

  can(event: unknown): boolean {
    const command = readCommand(event);
    if (command === undefined || this.#isOver) return false;
    const fits: Parameters<typeof canObey>[0]['fits'] = (id, input, by) =>
      this.#run?.run.person.misfit(id, input, by) === undefined;
    return canObey({ requests: this.requests, isPaused: this.isPaused, fits }, command);
  }

  get requests(): readonly OpenRequest[] {
    return (this.#requests = keepSame(this.#requests, this.#run?.handle.requests ?? []));
  }

  command(event: unknown, path: string | undefined): void {
    const command = readCommand(event);
    if (command !== undefined && !this.#isOver) this.#obey(command, path);
  }

  /** Follows the events of the run from number `from` on, including past ones. */
  follow(from: number, tell: (event: LiveEvent) => void, complete: () => void): () => void {
    const follower: Follower = { next: Math.max(0, Math.ceil(from) || 0), tell, complete };
    if (this.#run !== undefined) this.#attach(this.#run, follower);
    if (this.#isOver) complete();
    else this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
    };
  }

  /** Records that an observer threw. The run is not affected. */
  observerFailed(observer: string, error: unknown): void {
    this.#run?.run.observerFailed(observer, error);
  }

  /** Starts or resumes the run when its actor is started, after the code that started it. */
  start(): void {
    this.#isParked = false;
    if (this.#isAddressed) this.#address();
    this.#hold(false);
    this.#outgoing.open();
    if (this.#isComing || this.#run !== undefined || this.#isOver) return;
    this.#isComing = true;
    queueMicrotask(() => {
      if (this.#isParked) this.#isComing = false;
      else void this.#come();
    });
  }

  /** Pauses the run when its actor is stopped, as the actor may be started again at once. */
  park(): void {
    this.#isParked = true;
    this.#hold(true);
    this.#outgoing.hold();
    queueMicrotask(() => {
      if (this.#isParked) this.#leave();
    });
  }

  /** The persisted form of the run. */
  keep(): KeptRun {
    const { status, output } = this.#ending();
    return withHead(this.#keep(status), { status, output: this.#redactor.value(output) });
  }

  #keep(status: string): KeptRun {
    const { runId, definition } = this;
    const head = { v: KEPT_VERSION, agent: definition.name, runId, published: this.#published };
    if (status === 'done') return head;
    const isStored = this.#options.store === undefined ? undefined : true;
    if (isStored === true) this.#address();
    if (this.#locked !== undefined) return this.#locked.run;
    const { run, records } = this.#run ?? {};
    const kept = run === undefined ? this.#kept : { records, blobs: run.content.unstored };
    if (kept === undefined || kept.records?.isEmpty === true)
      return { ...head, isStored, input: this.#before.keep() };
    if (kept.records !== undefined)
      return { ...head, ...kept.records.seal(this.#redactor), ...packBlobs(kept.blobs) };
    void run?.journal.flush();
    // Until its first event is published, its store may not have it yet.
    return { ...head, isStored: true, input: this.#published < 0 ? this.#before.keep() : undefined };
  }

  /** From now on, a stop of the app suspends the run. */
  #address(): void {
    this.#isAddressed = true;
    this.#appStop.watch(this.root.scope?.system);
  }

  keepFace(face: Face): KeptFace {
    const redact = (value: unknown): unknown => this.#redactor.value(value);
    return face === this.root ? face.keep(redact, this.#ending()) : face.keep(redact);
  }

  /** Until all have heard of the end, the run counts as under way: an app that persists itself now would wait for the end for ever. */
  #ending(): Ending {
    const isUnheard = this.#isOver && this.#run !== undefined && !this.root.isEndKnown;
    return isUnheard ? { status: 'active', output: undefined } : this.root.snapshot();
  }

  /** Starts or resumes the run; a failure to do so becomes its outcome. */
  async #come(): Promise<void> {
    const epoch = this.#epoch;
    try {
      await untilLeft(this.runId);
      if (epoch !== this.#epoch) return;
      if (this.#locked !== undefined) {
        const { open } = this.#locked;
        const opened = await open();
        if (epoch !== this.#epoch) return;
        this.#unlocked(opened);
      }
      if (this.#refusal !== undefined) this.#end(this.#refusal);
      else if (this.#kept !== undefined) await this.#resume(this.#kept);
      else if (!(await this.#resumeStored()) && epoch === this.#epoch) {
        const { definition, runId } = this;
        this.#enter(newRun(definition, this.#input, { ...this.#options, runId }, this.#watch()));
      }
    } catch (thrown) {
      if (epoch === this.#epoch) this.#end(notBegun(thrown, this.runId));
    } finally {
      if (epoch === this.#epoch) this.#isComing = false;
    }
  }

  /** Sets the opened state; the sealed one is persisted until the run exists. */
  #unlocked({ records, input, fields }: OpenedRun): void {
    this.#input = input;
    this.#before = new BeforeRun(this.definition, this.runId, input, this.#options);
    if (records !== undefined) this.#kept = { ...this.#kept, runId: this.runId, records, fields };
  }

  /** Resumes a run that was started in its store after it was persisted; false if it never was. */
  async #resumeStored(): Promise<boolean> {
    if (!this.#mayBeStored) return false;
    try {
      await this.#resume({ runId: this.runId, records: undefined });
      return true;
    } catch (thrown) {
      if (isTroupeError(thrown) && thrown.code === 'journal.unknown') return false;
      throw thrown;
    }
  }

  /** Resumes a run, and shows its state once its records are replayed. */
  async #resume(kept: LeftRun): Promise<void> {
    const epoch = this.#epoch;
    const known = new Set(this.#cast.faces);
    const watch = this.#watch();
    const resumed = await keptRun(this.definition, kept, { ...this.#options, runId: this.runId }, watch);
    if (epoch !== this.#epoch) {
      // It has not started, so there is nothing to abort.
      resumed.run.ending.lose(new TroupeError('run.aborted', `Cannot continue as ${STOPPED}`));
      return;
    }
    watch.isQuiet = true;
    try {
      this.#enter(resumed);
    } finally {
      watch.isQuiet = false;
    }
    for (const face of known) if (face !== this.root && !watch.alive.has(face)) watch.remove(face);
    for (const face of this.#cast.faces)
      if (face.isShown) this.#show(() => face.show(RESUMED));
      else this.#show(() => this.#cast.engage(face, face.latest));
  }

  #enter(embedded: EmbeddedRun): void {
    this.#run = embedded;
    this.#locked = undefined;
    this.#secrets = embedded.run.secrets;
    if (this.#isParked) this.#hold(true);
    this.#attach(embedded, {
      next: this.#published + 1,
      tell: (event) => {
        this.#show(() => {
          this.#emit(event);
        });
      },
      complete: () => undefined,
    });
    for (const follower of this.#followers) this.#attach(embedded, follower);
    const epoch = this.#epoch;
    const over = (): void => {
      const { ending, log } = embedded.run;
      const outcome =
        ending.outcome ?? outcomeOfFailure('internal', 'Cannot say how the run ended', log.now());
      if (epoch === this.#epoch) this.#end(outcome);
    };
    embedded.run.result.then(over, over);
    embedded.go();
    for (const tell of this.#early.splice(0)) tell();
  }

  /** Ends the run, as its actor was not started again. */
  #leave(): void {
    const embedded = this.#run;
    this.#isParked = false;
    this.#isComing = false;
    this.#epoch += 1;
    this.#outgoing.clear();
    const isAppStopped = this.#appStop.forget();
    if (embedded === undefined || this.#isOver) return;
    const { run, handle, records } = embedded;
    this.#run = undefined;
    this.#isHeld = false;
    // Records of the abort are not part of the state to resume from.
    records?.close();
    const fields = Object.fromEntries(run.secrets.hidden.map(({ name, value }) => [name, value]));
    this.#kept = { runId: this.runId, records, fields, blobs: run.content.unstored };
    const through = async (): Promise<void> => {
      await run.result.catch(() => undefined);
      await run.journal.released;
    };
    // Without the app, the persisted address is all that is left of the run; an app that goes on has cancelled it.
    const { onStop = isAppStopped ? 'suspend' : 'abort' } = this.#options;
    if (records === undefined && onStop === 'suspend')
      leave(this.runId, handle.suspend().then(through, through));
    else {
      run.abort(STOPPED);
      if (records === undefined) leave(this.runId, through());
    }
  }

  #end(outcome: Outcome): void {
    this.#isOver = true;
    this.#appStop.forget();
    this.#show(() => {
      this.root.end(outcome);
    });
    for (const { complete } of this.#followers) complete();
    this.#followers.clear();
  }

  #hold(isHeld: boolean): void {
    const gate = this.#run?.run.gate;
    if (gate === undefined || isHeld === this.#isHeld || (isHeld && gate.isPaused)) return;
    this.#isHeld = isHeld;
    if (isHeld) gate.pause();
    else gate.resume();
  }

  #obey(command: ReadCommand, path: string | undefined): void {
    const { handle } = this.#run ?? {};
    if (handle === undefined)
      this.#early.push(() => {
        this.#obey(command, path);
      });
    else obey(handle, command, path);
  }

  #emit(event: LiveEvent): void {
    if ('seq' in event) this.#published = event.seq;
    this.root.scope?.emit(event);
    if (event.path !== this.root.path) this.#cast.at(event.path)?.scope?.emit(event);
    if (CHANGES_WHAT_CAN_BE.has(event.type)) for (const face of this.#cast.faces) face.show(event);
  }

  #attach({ run }: EmbeddedRun, follower: Follower): void {
    const epoch = this.#epoch;
    followRun(run, follower, () => epoch === this.#epoch);
  }

  /** Shows an update in order, unless the run was left meanwhile. */
  #show(show: () => void): void {
    const epoch = this.#epoch;
    this.#outgoing.push(() => {
      if (epoch === this.#epoch) show();
    });
  }

  /** Connects the interpreter's moves with the faces. */
  #watch(): CastWatch {
    const epoch = this.#epoch;
    return new CastWatch({
      home: this,
      cast: this.#cast,
      isCurrent: () => epoch === this.#epoch,
      show: (show) => {
        this.#show(show);
      },
    });
  }
}

const STOPPED = 'its actor was stopped';
const RESUMED = { type: 'troupe.resumed' };
