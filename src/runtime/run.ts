import { perform } from '../actors/perform.ts';
import { isPromise } from '../actors/promises.ts';
import type { Agent } from '../contracts/agent.ts';
import type { Clock } from '../contracts/clock.ts';
import { errorData, toError, TroupeError } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject, toJson } from '../contracts/json.ts';
import type { Message } from '../contracts/message.ts';
import type { ModelChoice } from '../contracts/agent.ts';
import type { Model } from '../contracts/model.ts';
import type { EffectRecord, Outcome, RunOptions, RunResult } from '../contracts/run.ts';
import type { Artifact } from '../contracts/tool.ts';
import type { Ask } from '../machines/asks.ts';
import type { Engagement } from '../machines/outputs.ts';
import { LazyAbort } from '../tools/lazy-abort.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { ActorEntry } from './actor-entry.ts';
import type { EffectUnderWay, Sponsor } from './actor-entry.ts';
import { callDefinitions } from './call-definitions.ts';
import type { Definition } from './definition.ts';
import { definitionOf } from './definition.ts';
import { EffectDesk } from './effect-desk.ts';
import { EventLog } from './event-log.ts';
import { Gate } from './gate.ts';
import type { Envelope, Host } from './host.ts';
import { resolveModels } from './models.ts';
import type { Pacer } from './pacer.ts';
import { PersonDesk } from './person-desk.ts';
import { isOutcome, outcomeOfFailure, resultOf } from './result.ts';

/** A thing to do, in its turn. */
type Job =
  | { readonly kind: 'ask'; readonly entry: ActorEntry; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly entry: ActorEntry; readonly envelope: Envelope }
  | { readonly kind: 'withdraw'; readonly entry: ActorEntry; readonly gone: readonly EffectUnderWay[] }
  | { readonly kind: 'engage'; readonly entry: ActorEntry; readonly engagement: Engagement }
  | { readonly kind: 'dismiss'; readonly entry: ActorEntry }
  | { readonly kind: 'post'; readonly entry: ActorEntry; readonly to: string; readonly message: Message }
  | { readonly kind: 'over'; readonly entry: ActorEntry; readonly output: unknown };

/** What a run needs beside its options. */
export interface RunSetup {
  readonly host: Host;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly runId: string;
  readonly random: () => number;
  /** Somebody holds the handle and may answer questions. */
  readonly isAttended: boolean;
  readonly environment: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * One run, from input to stop reason: the tree of its actors, and the one queue through which all that they want passes.
 *
 * I1  Machines' outputs are carried out one after the other, never inside a macrostep (a step of a machine).
 * I2  Every effect passes the gate and is on record before it begins.
 * I3  An actor that is over, or that withdrew an effect, is never told of its answer.
 * I4  `run.ended` is written once, last, and `result` settles by it.
 */
export class Run {
  readonly runId: string;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly gate: Gate;
  readonly person: PersonDesk;
  readonly root: ActorEntry;
  readonly effects: EffectRecord[] = [];
  readonly artifacts: Artifact[] = [];
  readonly random: () => number;
  readonly result: Promise<RunResult>;
  readonly #host: Host;
  readonly #pacer: Pacer;
  readonly #environment: RunSetup['environment'];
  readonly #entries = new Map<string, ActorEntry>();
  #choice: ModelChoice | undefined;
  #queue: Job[] = [];
  #head = 0;
  #isScheduled = false;
  #isEnding = false;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: TroupeError) => void;

  constructor(definition: Definition, options: RunOptions, setup: RunSetup) {
    this.runId = setup.runId;
    this.clock = setup.clock;
    this.random = setup.random;
    this.#host = setup.host;
    this.#pacer = setup.pacer;
    this.#environment = setup.environment;
    this.#choice = options.model;
    this.log = new EventLog(setup.runId, definition.name, setup.clock);
    this.gate = new Gate(options.concurrency ?? Infinity, options.paused ?? false);
    this.person = new PersonDesk(options.person, setup.isAttended);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever reads the events only has not asked for the rejection.
    this.result.catch(() => undefined);
    this.root = this.#enrol(definition.name, definition, { kind: 'root' });
  }

  get isOver(): boolean {
    return this.#isEnding;
  }

  /** Begins: the first event, then the root actor. */
  begin(input: unknown, history: RunOptions['history']): void {
    this.#host.start(this.root, this.started(input, history));
  }

  /** Writes the first event; gives the input of the root's machine, for whoever starts it. */
  started(input: unknown, history?: RunOptions['history']): unknown {
    const { root } = this;
    this.log.write({ type: 'run.started', input: toJson(input), ...this.#modelFacts() }, root);
    return root.definition.start(input, { runId: this.runId, path: root.path, at: this.log.now(), history });
  }

  pause(): void {
    if (this.#isEnding || this.gate.isPaused) return;
    this.gate.pause();
    this.log.write({ type: 'run.paused' }, this.root);
  }

  resume(): void {
    if (this.#isEnding || !this.gate.isPaused) return;
    this.log.write({ type: 'run.resumed' }, this.root);
    this.gate.resume();
  }

  /** An observer threw, or took too long: that is its own affair, and on record. */
  observerFailed(observer: string, thrown: unknown): void {
    const error = errorData(thrown, 'internal', {
      message: `Cannot go on observing with '${observer}' as it failed`,
    });
    this.log.write({ type: 'observer.failed', observer, error }, this.root);
  }

  /** Puts something into the queue, which is drained soon, in order. */
  enqueue(job: Job): void {
    this.#queue.push(job);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#pacer.schedule(this.#drain);
  }

  /** A machine entered a state. */
  entered(entry: ActorEntry, phase: string, step: number): void {
    if (phase === 'CHECK_STOP') this.gate.checked();
    this.log.write({ type: 'phase.entered', phase }, entry, step, phase);
  }

  /** A machine has come to its end. */
  over(entry: ActorEntry, output: unknown): void {
    this.enqueue({ kind: 'over', entry, output });
  }

  /** A message from outside, or between agents; false if nobody is there to take it. */
  send(message: Message, path: string = this.root.path): boolean {
    const entry = this.#entries.get(path);
    if (entry === undefined || entry.isOver || this.#isEnding) {
      this.log.write(
        { type: 'message.dropped', to: path, ...text(message), reason: 'nobody is there' },
        this.root,
      );
      return false;
    }
    this.log.write({ type: 'message.sent', to: path, ...text(message) }, this.root);
    this.#deliver(entry, { type: 'message', at: this.log.now(), message });
    return true;
  }

  abort(reason: string): void {
    if (this.#isEnding) return;
    this.#deliver(this.root, { type: 'abort', at: this.log.now(), reason });
  }

  /** The root's actor is gone without an end of its own: an app that embeds it stopped it. */
  abandon(reason: string): void {
    this.over(this.root, outcomeOfFailure('run.aborted', reason, this.log.now()));
  }

  /** Swaps the model of every agent of the run, from the next call on. */
  use(choice: ModelChoice): void {
    this.#choice = choice;
    for (const entry of this.#entries.values()) entry.models = undefined;
    this.log.write(
      { type: 'model.swapped', to: typeof choice === 'string' ? choice : `${choice.provider}:${choice.id}` },
      this.root,
    );
  }

  toolsOf(entry: ActorEntry): ToolRegistry {
    return (entry.tools ??= new ToolRegistry(entry.definition.agent?.tools));
  }

  modelsOf(entry: ActorEntry): readonly Model[] {
    return (entry.models ??= resolveModels(
      this.#choice,
      entry.definition.agent?.models ?? [],
      this.#environment,
    ));
  }

  /** Runs an agent as a child of the actor that does `ask`; its outcome is that of a run, its events are this run's. */
  runWithin<Input, Output>(
    parent: ActorEntry,
    agent: Agent<Input, Output>,
    input: Input,
    ask: Ask,
    abort: LazyAbort,
  ): Promise<RunResult<Output>> {
    const definition = definitionOf(agent);
    if (definition === undefined)
      return Promise.reject(
        new TroupeError(
          'agent.invalid',
          `Cannot run '${String(agent.name)}' as it was not made by agent() or a team`,
        ),
      );
    const path = this.#freePath(`${parent.principal.path}/${definition.name}-${ask.step}`);
    const since = this.log.events.length;
    return new Promise((resolve, reject) => {
      const child = this.#enrol(path, definition, {
        kind: 'effect',
        parent,
        settle: (output) => {
          const outcome = isOutcome(output)
            ? output
            : outcomeOfFailure('internal', 'the child left nothing', this.log.now());
          if (outcome.status === 'failed' && outcome.error !== undefined) reject(toError(outcome.error));
          else resolve(resultOf<Output>(this, outcome, path, since));
        },
      });
      abort.onAbort(() => {
        this.#stop(child, 'the work that it was for was called off');
        reject(
          new TroupeError(
            'run.aborted',
            `Cannot finish '${definition.name}' as nobody waits for it any more`,
          ),
        );
      });
      this.#startMember(child, input);
    });
  }

  readonly #drain = (): void => {
    this.#isScheduled = false;
    // One job at a time: a job may bring others, which come after those that wait.
    const job = this.#queue[this.#head];
    if (job === undefined) return;
    this.#head += 1;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    this.#do(job);
    if (this.#head < this.#queue.length && !this.#isScheduled) {
      this.#isScheduled = true;
      this.#pacer.schedule(this.#drain);
    }
  };

  #do(job: Job): void {
    switch (job.kind) {
      case 'ask':
        this.gate.pass(() => {
          if (!job.entry.isOver && job.epoch === job.entry.epoch) this.#perform(job.entry, job.ask);
        });
        break;
      case 'deliver':
        if (!job.entry.isOver) this.#host.deliver(job.entry, job.envelope);
        break;
      case 'withdraw':
        this.#withdraw(job.gone);
        break;
      case 'engage':
        this.#engage(job.entry, job.engagement);
        break;
      case 'dismiss':
        for (const child of job.entry.children) this.#stop(child, 'its supervisor dismissed it');
        break;
      case 'post':
        this.#post(job.entry, job.to, job.message);
        break;
      case 'over':
        this.#close(job.entry, job.output);
    }
  }

  #deliver(entry: ActorEntry, envelope: Envelope): void {
    this.enqueue({ kind: 'deliver', entry, envelope });
  }

  #perform(entry: ActorEntry, ask: Ask): void {
    const { agent } = entry.principal.definition;
    const abort = new LazyAbort();
    const record: EffectUnderWay['record'] = {
      key: ask.key,
      port: ask.port,
      path: entry.path,
      askedAt: this.log.now(),
      state: 'asked',
    };
    this.effects.push(record);
    const effect: EffectUnderWay = { abort, record };
    let answer: unknown;
    try {
      if (agent === undefined)
        throw new TroupeError('internal', `Cannot do '${ask.port}' as '${entry.path}' is no agent`);
      answer = perform(ask, new EffectDesk(entry, agent, ask, abort));
    } catch (thrown) {
      this.#fail(entry, ask, effect, thrown);
      return;
    }
    if (!isPromise(answer)) {
      this.#answer(entry, ask, effect, answer);
      return;
    }
    entry.underWay.add(effect);
    this.gate.entered();
    answer.then(
      (output: unknown) => {
        this.gate.left();
        if (this.#isWanted(entry, effect, output)) this.#answer(entry, ask, effect, output);
      },
      (thrown: unknown) => {
        this.gate.left();
        if (this.#isWanted(entry, effect, undefined)) this.#fail(entry, ask, effect, thrown);
      },
    );
  }

  /** Whether anybody still waits; what comes too late is on record, and reaches nobody. */
  #isWanted(entry: ActorEntry, effect: EffectUnderWay, output: unknown): boolean {
    if (entry.underWay.delete(effect)) return true;
    effect.record.state = 'late';
    effect.record.output = output;
    return false;
  }

  #answer(entry: ActorEntry, ask: Ask, { record }: EffectUnderWay, output: unknown): void {
    record.state = 'answered';
    record.output = output;
    this.#deliver(entry, { type: `answered.${ask.port}`, at: this.log.now(), index: ask.index, output });
  }

  #fail(entry: ActorEntry, ask: Ask, { record }: EffectUnderWay, thrown: unknown): void {
    const { runId, path, step, phase } = ask;
    const message = `Cannot do '${ask.port}' for '${ask.agent}' as it failed`;
    const error = errorData(thrown, 'agent.threw', { message, runId, path, step, phase });
    record.state = 'failed';
    record.output = error;
    this.#deliver(entry, { type: `failed.${ask.port}`, at: this.log.now(), index: ask.index, error });
  }

  #withdraw(gone: readonly EffectUnderWay[]): void {
    for (const { abort, record } of gone) {
      record.state = 'withdrawn';
      abort.abort(new TroupeError('run.aborted', 'Cannot go on as nobody waits for this any more'));
    }
  }

  #engage(parent: ActorEntry, { path, actor, input, port, index }: Engagement): void {
    if (parent.isOver) return;
    const sponsor: Sponsor = { kind: 'machine', parent, port, index };
    if (actor.kind !== 'member') {
      const child = this.#enrol(path, callDefinitions[actor.kind], sponsor, parent.agent);
      this.#host.start(child, input);
      return;
    }
    const definition = parent.definition.members.get(actor.name);
    if (definition === undefined) {
      const message = `Cannot engage '${actor.name}' as '${parent.agent}' has no such member`;
      const output = outcomeOfFailure('agent.unknown', message, this.log.now());
      this.#deliver(parent, { type: `answered.${port}`, at: this.log.now(), index, output });
      return;
    }
    this.#startMember(this.#enrol(path, definition, sponsor), input);
  }

  #startMember(child: ActorEntry, input: unknown): void {
    const { path, definition } = child;
    this.log.write({ type: 'member.engaged', member: definition.name }, child);
    this.#host.start(child, definition.start(input, { runId: this.runId, path, at: this.log.now() }));
  }

  #post(from: ActorEntry, to: string, message: Message): void {
    const siblings = from.sponsor.kind === 'root' ? from.children : from.sponsor.parent.children;
    const named = [...from.children, ...siblings].find((entry) => entry.agent === to && !entry.isOver);
    this.send(message, named?.path ?? to);
  }

  /** An actor came to its end by itself. */
  #close(entry: ActorEntry, output: unknown): void {
    if (entry.isOver) return;
    this.#release(entry);
    const { sponsor } = entry;
    if (sponsor.kind === 'root') {
      void this.#finish(
        isOutcome(output) ? output : outcomeOfFailure('machine.threw', 'it left no outcome', this.log.now()),
      );
      return;
    }
    const at = this.log.now();
    if (entry.agentless && sponsor.kind === 'machine') {
      const type = isFailure(output) ? `failed.${sponsor.port}` : `answered.${sponsor.port}`;
      const answer = isFailure(output) ? { error: output.error } : { output: innerOutput(output) };
      this.#deliver(sponsor.parent, { type, at, index: sponsor.index, ...answer });
      return;
    }
    const outcome = isOutcome(output) ? output : outcomeOfFailure('machine.threw', 'it left no outcome', at);
    this.#tellEnd(entry, outcome);
    if (sponsor.kind === 'effect') sponsor.settle(outcome);
    else
      this.#deliver(sponsor.parent, {
        type: `answered.${sponsor.port}`,
        at,
        index: sponsor.index,
        output: outcome,
      });
  }

  #tellEnd(entry: ActorEntry, { status, stopReason }: Outcome): void {
    this.log.write(
      { type: 'member.ended', member: entry.definition.name, status, stopReason: { ...stopReason } },
      entry,
    );
  }

  /** Stops an actor from outside, with everything below it. */
  #stop(entry: ActorEntry, reason: string): void {
    if (entry.isOver) return;
    this.#release(entry);
    this.#host.stop(entry);
    if (!entry.agentless) this.#tellEnd(entry, { ...NOTHING, stopReason: { kind: 'aborted', reason } });
  }

  /** Lets go of an actor: its effects, its children, its place in the tree. */
  #release(entry: ActorEntry): void {
    entry.isOver = true;
    entry.epoch += 1;
    for (const child of entry.children) this.#stop(child, 'its supervisor ended');
    const gone = [...entry.underWay];
    entry.underWay.clear();
    this.#withdraw(gone);
    if (entry.sponsor.kind !== 'root') entry.sponsor.parent.children.delete(entry);
    if (entry.sponsor.kind !== 'root' && entry.tools !== undefined) void entry.tools.teardown();
  }

  async #finish(outcome: Outcome): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { root } = this;
    if (root.tools !== undefined) await this.#tearDown(root.tools, outcome.status === 'aborted');
    this.log.closeTools('the run ended first');
    const { status, stopReason, output, error } = outcome;
    this.log.write(
      {
        type: 'run.ended',
        status,
        stopReason: { ...stopReason },
        ...(output === undefined ? {} : { output }),
        ...(error === undefined ? {} : { error }),
        totals: this.log.totals,
      },
      root,
    );
    this.gate.close();
    const result = resultOf<Json>(this, outcome, root.path, 0);
    this.log.close();
    if (status === 'failed' && error !== undefined) this.#reject(Object.assign(toError(error), { result }));
    else this.#resolve(result);
  }

  /** Toolsets are always torn down; one that never comes back does not hold the run. */
  async #tearDown(tools: ToolRegistry, isHurried: boolean): Promise<void> {
    if (!tools.wasSetUp) return;
    const patience = isHurried ? HURRIED_TEARDOWN_MS : TEARDOWN_MS;
    let timer: unknown;
    const late = new Promise<undefined>((resolve) => {
      timer = this.clock.setTimeout(() => {
        resolve(undefined);
      }, patience);
    });
    const problems = await Promise.race([tools.teardown(), late]);
    this.clock.clearTimeout(timer);
    for (const error of problems ?? [])
      this.log.write({ type: 'toolset.failed', toolset: toolsetOf(error.details), error }, this.root);
  }

  #enrol(path: string, definition: Definition, sponsor: Sponsor, agent?: string): ActorEntry {
    if (this.#entries.has(path))
      throw new TroupeError('internal', `Cannot engage '${path}' as the address was used before`);
    const entry = new ActorEntry(this, path, definition, sponsor, agent);
    this.#entries.set(path, entry);
    return entry;
  }

  #freePath(path: string): string {
    let free = path;
    for (let count = 2; this.#entries.has(free); count += 1) free = `${path}.${count}`;
    return free;
  }

  #modelFacts(): { model?: string; isLanguageModel?: boolean } {
    if (this.root.definition.agent === undefined) return {};
    try {
      const [model] = this.modelsOf(this.root);
      if (model === undefined) return {};
      return { model: `${model.provider}:${model.id}`, isLanguageModel: model.isLanguageModel ?? true };
    } catch {
      // Preparing says what is wrong with it.
      return {};
    }
  }
}

const TEARDOWN_MS = 5_000;
const HURRIED_TEARDOWN_MS = 50;

const NOTHING: Outcome = outcomeOfFailure('run.aborted', 'it was stopped', 0);

const text = ({ from, text: said }: Message) => ({ from, text: said });

const isFailure = (output: unknown): output is { readonly ok: false; readonly error: unknown } =>
  typeof output === 'object' && output !== null && 'ok' in output && output.ok === false && 'error' in output;

const innerOutput = (output: unknown): unknown =>
  typeof output === 'object' && output !== null && 'output' in output ? output.output : undefined;

const toolsetOf = (details: Json | undefined): string =>
  isJsonObject(details) && typeof details['toolset'] === 'string' ? details['toolset'] : 'unknown';
