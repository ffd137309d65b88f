import type { ModelChoice } from '../contracts/agent.ts';
import type { Clock } from '../contracts/clock.ts';
import type { ErrorData, TroupeError } from '../contracts/error.ts';
import { errorData, toError } from '../contracts/error.ts';
import { toJson } from '../contracts/json.ts';
import type { LiveEvent } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Model } from '../contracts/model.ts';
import type { Outcome, RunOptions, RunResult } from '../contracts/run.ts';
import type { Tool, Toolset } from '../contracts/tool.ts';
import type { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { ActorTree } from './actor-tree.ts';
import { addTools } from './add-tools.ts';
import type { Definition } from './definition.ts';
import { EffectRunner } from './effect-runner.ts';
import { EventLog, observerFailed } from './event-log.ts';
import { environmentOf, toolsOf } from './environment-of.ts';
import { Gate } from './gate.ts';
import { JobQueue } from './job-queue.ts';
import { modelFacts, modelsOf, resolveModels } from './models.ts';
import type { Pacer } from './pacer.ts';
import { PersonDesk } from './person-desk.ts';
import { endedBody, outcomeOfFailure, resultOf } from './result.ts';
import { RunMoney } from './run-money.ts';
import type { RunTask } from '../actors/run-task.ts';
import { readTask, refusalOf } from './task-of.ts';
import type { Actor, Host, Job, KeptArtifact, Stage } from './stage.ts';
import { TearDowns } from './tear-down.ts';

/** What a run needs beside its options. */
export interface RunSetup {
  readonly host: Host;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly runId: string;
  readonly random: () => number;
  /** Somebody holds the handle and may answer questions. */
  readonly isAttended: boolean;
  /** Told of every member and child that is engaged, before it starts. */
  readonly onEngaged?: (definition: Definition) => void;
}

/**
 * One run, from input to stop reason: its actors, its effects, its log, and the one queue through which all passes.
 *
 * I1  Machines' outputs are carried out one after the other, never inside a macrostep (a step of a machine).
 * I2  `run.ended` is written once, last, and `result` settles by it.
 */
export class Run implements Stage {
  readonly runId: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly safety: RunOptions['safety'];
  readonly context: unknown;
  readonly thread: string | undefined;
  readonly task: RunTask | undefined;
  readonly money: RunMoney;
  readonly host: Host;
  readonly log: EventLog;
  readonly gate: Gate;
  readonly person: PersonDesk;
  readonly effects: EffectRunner;
  readonly actors: ActorTree;
  readonly tearDowns: TearDowns;
  readonly artifacts: KeptArtifact[] = [];
  readonly result: Promise<RunResult>;
  readonly #queue: JobQueue;
  #choice: ModelChoice | undefined;
  #isEnding = false;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: TroupeError) => void;

  constructor(definition: Definition, options: RunOptions, setup: RunSetup) {
    this.runId = setup.runId;
    this.clock = setup.clock;
    this.random = setup.random;
    this.safety = options.safety;
    this.context = options.context;
    this.thread = options.thread;
    this.task = options.task === undefined ? undefined : readTask(options.task, definition);
    this.money = new RunMoney(definition, options, this.task?.task?.budget);
    this.host = setup.host;
    this.#choice = options.model;
    this.#queue = new JobQueue(setup.pacer, (job) => {
      try {
        this.#do(job);
      } catch (thrown) {
        this.#broke(thrown);
      }
    });
    this.log = new EventLog(setup.runId, definition.name, setup.clock);
    this.gate = new Gate(options.concurrency ?? Infinity, options.paused ?? false);
    this.person = new PersonDesk(options.person, setup.isAttended);
    this.effects = new EffectRunner(this);
    this.tearDowns = new TearDowns(this);
    this.actors = new ActorTree(this, definition, setup.onEngaged);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever reads the events only has not asked for the rejection.
    this.result.catch(() => undefined);
  }

  get root(): Actor {
    return this.actors.root;
  }

  get isOver(): boolean {
    return this.#isEnding;
  }

  /** Begins: the first event, then the root actor. */
  begin(input: unknown, history: RunOptions['history']): void {
    const given = this.started(input, history);
    const refusal = refusalOf(this.root);
    if (refusal === undefined) this.host.start(this.root, given);
    else this.over(this.root, refusal);
  }

  /** Writes the first event; gives the input of the root's machine, for whoever starts it. */
  started(input: unknown, history?: RunOptions['history']): unknown {
    const { root } = this;
    this.log.write({ type: 'run.started', input: toJson(input), ...modelFacts(root) }, root);
    return root.definition.start(input, { runId: this.runId, path: root.path, at: this.log.now(), history });
  }

  /** Puts something into the queue, which is worked off soon, in order. */
  enqueue(job: Job): void {
    this.#queue.push(job);
  }

  /** A machine entered a state. */
  entered(entry: Actor, phase: string, step: number): void {
    if (phase === 'CHECK_STOP') this.gate.checked();
    this.log.enter(phase, entry, step);
  }

  /** A machine has come to its end. */
  over(entry: Actor, output: unknown): void {
    this.enqueue({ kind: 'over', actor: entry, output });
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

  /** A message to the agent at `path`; false if nobody is there to take it. */
  send(message: Message, path: string = this.root.path): boolean {
    return this.#post(message, path, this.#isEnding ? undefined : this.actors.at(path));
  }

  abort(reason: string): void {
    if (this.#isEnding) {
      this.tearDowns.hurry();
      return;
    }
    this.enqueue({
      kind: 'deliver',
      actor: this.root,
      envelope: { type: 'abort', at: this.log.now(), reason },
    });
  }

  /** The root's actor is gone without an end of its own: an app that embeds it stopped it. */
  abandon(reason: string): void {
    this.over(this.root, outcomeOfFailure('run.aborted', reason, this.log.now()));
  }

  /** Swaps the model of every agent of the run, from the next call on; throws for one that there is not. */
  use(choice: ModelChoice): void {
    resolveModels(choice, undefined);
    this.#choice = choice;
    for (const entry of this.actors.running) entry.models = undefined;
    const to = typeof choice === 'string' ? choice : `${choice.provider}:${choice.id}`;
    this.log.write({ type: 'model.swapped', to }, this.root);
  }

  /** Gives an agent more tools from its next step on; what was wrong with them comes back. */
  addTools(items: readonly (Tool | Toolset)[], path = this.root.path): Promise<readonly ErrorData[]> {
    return addTools(this, this.actors.at(path), path, items);
  }

  removeTool(name: string, path = this.root.path): boolean {
    const actor = this.actors.at(path);
    const isGone = actor !== undefined && this.toolsOf(actor).remove(name);
    if (isGone) this.log.write({ type: 'tool.removed', tool: name }, actor);
    return isGone;
  }

  /** An observer threw, or took too long: that is its own affair, and on record. */
  observerFailed(observer: string, thrown: unknown, event?: LiveEvent): void {
    const message = `Cannot go on observing with '${observer}' as it failed`;
    const where = { message, runId: this.runId, path: this.root.path, operation: 'observer' };
    this.log.write(observerFailed(observer, errorData(thrown, 'internal', where), event), this.root);
  }

  toolsOf(entry: Actor): ToolRegistry {
    return toolsOf(entry);
  }

  environmentOf(entry: Actor): EnvironmentSession | undefined {
    return environmentOf(entry);
  }

  modelsOf(entry: Actor): readonly Model[] {
    return (entry.models ??= modelsOf(entry, this.#choice));
  }

  /** The root is over: everything that is still open is closed, and the last event written. */
  async finish(outcome: Outcome): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.tearDowns.areUnderWay) await this.tearDowns.settled(outcome.status === 'aborted');
    this.log.closeTools('the run ended first');
    this.log.write(endedBody(outcome, this.log.totals), this.root);
    this.gate.close();
    const result = resultOf(this, outcome, this.root.path, 0);
    this.log.close();
    const { status, error } = outcome;
    if (status === 'failed' && error !== undefined) this.#reject(withResult(toError(error), result));
    else this.#resolve(result);
  }

  /** The runtime itself threw, or something that it trusted: the run ends, and the process goes on. */
  #broke(thrown: unknown): void {
    const message = 'Cannot go on with the run as the runtime broke';
    const error = errorData(thrown, 'internal', { message, runId: this.runId });
    const outcome = { ...outcomeOfFailure(error.code, error.message, this.log.now()), error };
    if (this.root.isOver) void this.finish(outcome);
    else this.over(this.root, outcome);
  }

  #do(job: Job): void {
    switch (job.kind) {
      case 'ask':
        this.effects.ask(job.actor, job.ask, job.epoch);
        break;
      case 'deliver':
        if (!job.actor.isOver) this.host.deliver(job.actor, job.envelope);
        break;
      case 'withdraw':
        this.effects.withdraw(job.gone);
        break;
      case 'engage':
        this.actors.engage(job.actor, job.engagement);
        break;
      case 'dismiss':
        for (const child of job.actor.children) this.actors.stop(child, 'its supervisor dismissed it');
        break;
      case 'post':
        this.#post(job.message, job.to, this.actors.named(job.actor, job.to));
        break;
      case 'over':
        this.actors.close(job.actor, job.output);
    }
  }

  #post(message: Message, to: string, entry: Actor | undefined): boolean {
    const { from, text } = message;
    if (entry === undefined) {
      this.log.write({ type: 'message.dropped', to, from, text, reason: 'nobody is there' }, this.root);
      return false;
    }
    this.log.write({ type: 'message.sent', to: entry.path, from, text }, this.root);
    this.enqueue({
      kind: 'deliver',
      actor: entry,
      envelope: { type: 'message', at: this.log.now(), message },
    });
    return true;
  }
}

/** Not enumerable: a process that dies of an error prints all that it shows, and a result is pages long. */
const withResult = (error: TroupeError, result: RunResult): TroupeError =>
  Object.defineProperty(error, 'result', { value: result });
