import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { ModelChoice } from '../../contracts/models/model.ts';
import type { Clock } from '../../base/clock.ts';
import { type ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { AttachedHooks } from '../../events/hooks/hooks.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { clientToolNotes } from '../../contracts/tools/client-tool.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';
import type { Actor, Job } from '../actors/actor.ts';
import { ActorTree } from '../actors/actor-tree.ts';
import type { GivenBlobs } from '../content/read-given.ts';
import { RunContent } from '../content/run-content.ts';
import type { Definition } from '../define/definition.ts';
import { Deadlines } from '../limits/deadlines.ts';
import type { Host } from '../turn/driven-host.ts';
import { EffectRunner } from '../effects/effect-runner.ts';
import type { Envelope } from '../turn/envelope.ts';
import { EventLog, observerFailed } from '../log/event-log.ts';
import { Gate } from '../effects/gate.ts';
import { hideInput } from '../secrets/hide-fields.ts';
import type { JobWorker } from './job-queue.ts';
import { JobQueue } from './job-queue.ts';
import type { JournalPort } from '../journal/write/journal-port.ts';
import { MailRoom } from '../mail/mail-room.ts';
import { modelFacts, RunModels } from '../actors/models.ts';
import type { Pacer } from './pacer.ts';
import { PersonDesk } from '../people/person-desk.ts';
import { RunEnding } from './run-ending.ts';
import { RunMoney } from '../limits/run-money.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { executorWithin } from '../resources/executor-within.ts';
import { givenSecrets } from '../../policy/secret-key-of.ts';
import type { RunTask } from '../../actors/preparing/run-task.ts';
import { readTask, refusalOf, taskFacts } from './read-task.ts';
import type { KeptArtifact } from './result.ts';
import type { RunStates } from '../thread/run-states.ts';
import { TearDowns } from './tear-down.ts';
import { TreeSize } from '../limits/tree-limits.ts';

/** Collaborators of a run, beside its options. */
export interface RunSetup {
  readonly host: Host;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly runId: string;
  readonly random: () => number;
  readonly journal: JournalPort;
  /** The bytes of media in its input and history. */
  readonly blobs?: GivenBlobs | undefined;
  /** True if a handle exists whose holder may answer questions, and read answers as they are written. */
  readonly isAttended: boolean;
  /** The tenant that it works for, as its engine names it. */
  readonly tenant?: string | undefined;
}

/**
 * One run, from input to stop reason. Owns its parts and the queue through which all jobs pass; each part declares the calls that it needs
 * of the others, and gets no more.
 *
 * I1 Outputs of machines are carried out in order, never inside a macrostep (a step of a machine).
 * I2 `run.ended` is written once, last, and settles `result`.
 */
export class Run implements JobWorker {
  readonly runId: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly given: Pick<RunOptions, 'safety' | 'executor' | 'context'>;
  readonly thread: string | undefined;
  readonly tenant: string | undefined;
  readonly task: RunTask | undefined;
  readonly money: RunMoney;
  /** States of the thread's agents; absent without a stored thread. */
  states: RunStates | undefined;
  readonly host: Host;
  readonly journal: JournalPort;
  readonly secrets: RunSecrets;
  readonly content: RunContent;
  readonly log: EventLog;
  readonly gate: Gate;
  readonly person: PersonDesk;
  readonly effects: EffectRunner;
  readonly actors: ActorTree;
  readonly mail: MailRoom;
  readonly tearDowns: TearDowns;
  readonly deadlines: Deadlines;
  readonly artifacts: KeptArtifact[] = [];
  readonly hooks: AttachedHooks[] = [];
  readonly ending: RunEnding;
  history: readonly Turn[] | undefined;
  readonly result: Promise<RunResult>;
  readonly #queue: JobQueue;
  readonly models: RunModels;
  #abortAfterStep: string | undefined;
  abortedFor: string | undefined;

  constructor(definition: Definition, options: RunOptions, setup: RunSetup) {
    this.runId = setup.runId;
    this.clock = setup.clock;
    this.random = setup.random;
    const { safety, context, resources } = options;
    this.given = { safety, context, executor: executorWithin(resources, options.executor) };
    this.thread = options.thread;
    this.tenant = setup.tenant;
    this.task = options.task === undefined ? undefined : readTask(options.task, definition);
    this.money = new RunMoney(definition, options, this.task?.task?.budget);
    this.host = setup.host;
    const { journal } = setup;
    this.journal = journal;
    this.models = new RunModels(this, options);
    this.#queue = new JobQueue(setup.pacer, this);
    // Held until the start, as a store has to be opened first.
    this.#queue.hold();
    this.secrets = new RunSecrets(givenSecrets(options));
    this.content = new RunContent(options, setup.blobs, setup.runId);
    this.log = new EventLog(setup.runId, definition.name, journal, this.secrets);
    if (setup.isAttended) this.log.keepAnswers();
    this.gate = new Gate(options.limits?.concurrency ?? Infinity, options.paused ?? false);
    this.person = new PersonDesk(this, options, setup.isAttended);
    this.effects = new EffectRunner(this);
    this.mail = new MailRoom(this, options.limits?.messages);
    this.tearDowns = new TearDowns(this);
    this.deadlines = new Deadlines(this);
    this.actors = new ActorTree(this, definition, new TreeSize(options.limits));
    this.ending = new RunEnding(this);
    this.result = this.ending.result;
  }

  get root(): Actor {
    return this.actors.root;
  }
  get isOver(): boolean {
    return this.ending.hasBegun;
  }

  /** Starts the run: the first event, then the root actor. */
  begin(input: unknown, history: readonly Turn[] | undefined): void {
    const { journal } = this;
    journal.job(journal.root, true, () => {
      this.beginAgain(input, history);
    });
  }

  /** Like `begin`, for a recorded start. */
  beginAgain(input: unknown, history: readonly Turn[] | undefined): void {
    this.#queue.release();
    const given = this.started(input, history);
    const refusal = refusalOf(this.root.definition, this.task, this.log.now());
    if (refusal === undefined) this.host.start(this.root, given, this.log.now());
    else this.root.end(refusal);
  }

  /** Writes the first event and returns the input of the root's machine. */
  started(input: unknown, history?: readonly Turn[]): unknown {
    const { root } = this;
    this.history = history;
    hideInput(this.secrets, root.definition, input);
    this.log.write(
      {
        type: 'run.started',
        input: toJson(input),
        ...(this.tenant === undefined ? {} : { tenant: this.tenant }),
        ...taskFacts(this.task),
        ...modelFacts(root),
      },
      root,
    );
    const at = this.log.now();
    this.deadlines.begin(root, at);
    return root.definition.start(input, root.placementAt(at));
  }

  enqueue(job: Job): void {
    const due = this.journal.again.due(job);
    if (due !== undefined) this.#queue.push(due);
  }

  /** Lets the job queue run: the store is open, or will never be. */
  release(): void {
    this.#queue.release();
  }
  hasJobFor(actor: Actor): boolean {
    return this.#queue.has((job) => job.actor === actor);
  }
  /** True if a job is queued. */
  get isBusy(): boolean {
    return !this.#queue.isEmpty;
  }

  attempt(job: Job): void {
    try {
      this.work(job);
    } catch (thrown) {
      this.ending.broke(thrown);
    }
  }

  idle(): void {
    void this.journal.flush();
  }

  /** Runs a job as one turn, in its scope. Effects run in their own time. */
  work(job: Job): void {
    this.journal.job(job.actor.scope, !MAY_BE_MISSING.has(job.kind), () => {
      // An effect that is asked for again may answer live now, outside the record.
      if (job.isResumed !== true || job.kind === 'ask') this.#do(job);
      else
        this.journal.again.resuming(() => {
          this.#do(job);
        });
    });
  }

  #do(job: Job): void {
    const { actors, effects, host, mail } = this;
    const { actor } = job;
    switch (job.kind) {
      case 'ask':
        effects.ask(actor, job.ask, job.epoch, job.isResumed);
        break;
      case 'deliver':
        mail.handOver(actor);
        actor.principal.origins.hear(job.envelope);
        if (!actor.isOver) host.deliver(actor, job.envelope);
        if (job.envelope.type === 'expired') this.#endTeam(actor, job.envelope);
        mail.lookAgain(actor.path);
        if (job.envelope.type === 'answered.member') mail.judged(job.envelope['path']);
        break;
      case 'withdraw':
        effects.withdraw(actor, job.gone);
        break;
      case 'engage':
        actors.engage(actor, job.engagement);
        break;
      case 'dismiss':
        actors.dismiss(actor);
        break;
      case 'stop':
        for (const path of job.paths)
          actors.stopAt(path, this.abortedFor ?? 'its supervisor stopped it', job.errors?.[path]);
        break;
      case 'post':
        mail.postFrom(actor, job.to, job.message);
        break;
      case 'mail':
        mail.handOver(actor, true);
        break;
      case 'over':
        actors.close(actor, job.output);
    }
  }

  /** Ends a team whose time is up with the replies it has, forcing it if its machine would continue. */
  #endTeam(actor: Actor, envelope: Envelope): void {
    if (actor.isOver || actor.definition.agent !== undefined) return;
    const context = this.host.contextOf(actor);
    const goesOn =
      typeof context === 'object' && context !== null && 'end' in context && context.end === null;
    if (goesOn) this.host.deliver(actor, { ...envelope, type: 'expired.final' });
  }

  /** Registers that a machine entered a state. */
  entered(entry: Actor, phase: string, step: number): void {
    if (phase === 'CHECK_STOP') this.gate.checked();
    entry.phase = phase;
    this.log.enter(phase, entry, step);
    if (phase === 'OBSERVE') this.mail.observed(entry);
    if (phase === 'CHECK_STOP' && this.#abortAfterStep !== undefined) this.abort(this.#abortAfterStep);
  }

  pause(): void {
    if (this.isOver) return;
    const { isPaused } = this.gate;
    // Also if paused already: ends a single step in progress.
    this.gate.pause();
    if (isPaused) return;
    this.journal.aside(() => {
      this.log.write({ type: 'run.paused' }, this.root);
    });
  }

  resume(): void {
    if (this.isOver || !this.gate.isPaused) return;
    this.log.write({ type: 'run.resumed' }, this.root);
    this.gate.resume();
  }

  abort(reason: string): void {
    const { journal } = this;
    journal.lastWrite.hurry('it was aborted');
    if (this.isOver) this.tearDowns.hurry();
    else this.deliverAbort(reason, journal.arrive(undefined, { type: 'abort', reason }));
  }

  /** Like `abort`, after the current step. */
  abortAfterStep(reason: string): void {
    this.#abortAfterStep ??= reason;
  }

  /** Like `abort`, for a recorded one. */
  deliverAbort(reason: string, at: number): void {
    this.abortedFor ??= reason;
    this.root.deliver({ type: 'abort', at, reason });
  }

  /** Swaps the model of every agent of the run from the next call on; throws for an unknown one. */
  use(choice: ModelChoice): void {
    this.choose(choice);
    const to = typeof choice === 'string' ? choice : `${choice.provider}:${choice.id}`;
    this.log.write({ type: 'model.swapped', to }, this.root);
  }

  /** Like `use`, for a recorded one. */
  choose(choice: ModelChoice): void {
    this.models.choose(choice);
    for (const actor of this.actors.running) actor.forgetModels();
  }

  /** Adds tools to an agent from its next step on; resolves with the problems found. */
  async addTools(items: readonly (Tool | Toolset)[], path = this.root.path): Promise<readonly ErrorData[]> {
    const actor = this.actors.at(path);
    if (actor?.definition.agent === undefined) return [nobodyAt(path)];
    const { tools } = actor;
    const problems: ErrorData[] = [];
    const added = items.filter((item) => {
      const found = tools.add(item);
      problems.push(...found);
      // Of a toolset, the valid tools were added.
      return found.length < (isToolset(item) ? item.tools.length : 1);
    });
    if (tools.needsSetup) problems.push(...(await tools.setup()));
    for (const item of added)
      this.log.write({ type: 'tool.added', tool: item.name, ...clientToolNotes.get(item) }, actor);
    return problems;
  }

  removeTool(name: string, path = this.root.path): boolean {
    const actor = this.actors.at(path);
    const isGone = actor !== undefined && actor.tools.remove(name);
    if (isGone) this.log.write({ type: 'tool.removed', tool: name }, actor);
    return isGone;
  }

  /** Records that an observer threw or timed out. The run is not affected. */
  observerFailed(observer: string, thrown: unknown, event?: LiveEvent): void {
    const message = `Cannot notify '${observer}' as it failed`;
    const where = { message, runId: this.runId, path: this.root.path, operation: 'observer' };
    this.journal.aside(() => {
      this.log.write(observerFailed(observer, errorData(thrown, 'internal', where), event), this.root);
    });
  }

  finish(outcome: Outcome): void {
    this.ending.finish(outcome);
  }
}

/** Jobs without effect in a replay, where nothing is pending. */
const MAY_BE_MISSING: ReadonlySet<Job['kind']> = new Set<Job['kind']>(['withdraw', 'dismiss']);

const nobodyAt = (path: string): ErrorData => ({
  code: 'agent.unknown',
  message: `Cannot add tools as no agent runs at '${path}'`,
  retryable: 'no',
});
