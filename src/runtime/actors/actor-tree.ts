import type { Json } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Delegate } from '../../contracts/agents/delegate.ts';
import type { ChildOptions, ChildTerms } from '../../contracts/tools/delegation.ts';
import { toError, TroupeError } from '../../contracts/errors/error.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { callIn } from '../../machines/asks.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement, Restart } from '../../machines/outputs.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { Clock } from '../../base/clock.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { ActorRun, Enrolment, Sponsor } from './actor.ts';
import { Actor } from './actor.ts';
import { callDefinitions } from '../define/call-definitions.ts';
import type { RunContent } from '../content/run-content.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import { recordedRefusal } from '../journal/replay/refused-before.ts';
import type { ReportedRun } from '../run/result.ts';
import { callEnd, outcomeOf, outcomeOfFailure, placeError, resultOf } from '../run/result.ts';
import type { Host } from '../turn/driven-host.ts';
import type { EventLog } from '../log/event-log.ts';
import type { EffectUnderWay } from '../effects/effect-under-way.ts';
import { hideInput } from '../secrets/hide-fields.ts';
import type { BudgetRecorder, TurnRecorder, ChildRecorder } from '../journal/write/journal-port.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { RunMoney } from '../limits/run-money.ts';
import type { PersonTime } from '../people/person-time.ts';
import { placeOf } from '../people/person-time.ts';
import { stopInTime, stoppedOutcome } from './stop-in-time.ts';
import type { TreeSize } from '../limits/tree-limits.ts';

/** The calls that the tree of actors needs of its run. */
export interface TreeRun extends ActorRun, ReportedRun {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly host: Host;
  readonly money: Pick<RunMoney, 'accountOf'>;
  readonly content: Pick<RunContent, 'takeInput' | 'takeHistory'>;
  readonly journal: ActorRun['journal'] & ChildRecorder & BudgetRecorder & Pick<TurnRecorder, 'aside'>;
  readonly mail: ActorRun['mail'] & {
    began(actor: Actor): void;
    gone(actor: Actor, isItsEnd: boolean): void;
  };
  readonly deadlines: { begin(actor: Actor, at: number): void; end(actor: Actor): void };
  readonly effects: ReportedRun['effects'] &
    ActorRun['effects'] & { withdraw(entry: Actor, gone: readonly EffectUnderWay[]): void };
  readonly person: { readonly time: PersonTime };
  readonly tearDowns: { begin(actor: Actor): void };
  /** The reason for aborting the run; undefined while it is not aborted. */
  readonly abortedFor: string | undefined;
  finish(outcome: Outcome): void;
}

/**
 * The actors of a run. Owns who engaged whom, and which actors are over.
 *
 * I1 No address is used twice in a run.
 * I2 An actor that ends, however it ends, takes everything below it along, and its sponsor is notified once.
 * I3 A child's failure is an answer to its sponsor and affects no sibling.
 */
export class ActorTree {
  readonly root: Actor;
  readonly size: TreeSize;
  readonly #run: TreeRun;
  readonly #running = new SmallMap<string, Actor>();
  /** Every address ever assigned. */
  readonly #addresses = new SmallMap<string, Definition | undefined>();
  /** Called for every member and child that is engaged, before it starts. */
  hooks: { engaged(definition: Definition): void } | undefined;

  constructor(run: TreeRun, root: Definition, size: TreeSize) {
    this.#run = run;
    this.size = size;
    size.count(root.name);
    this.root = this.#enrol({ path: root.name, definition: root, sponsor: { kind: 'root' } });
  }

  get running(): Iterable<Actor> {
    return this.#running.values();
  }

  /** The running actor at an address. */
  at(path: string): Actor | undefined {
    return this.#running.get(path);
  }

  /** Checks whether an address is at or below one of a definition's actors. */
  isWithin(path: string, definition: Definition): boolean {
    for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/'))))
      if (this.#addresses.get(above) === definition) return true;
    return false;
  }

  /** Starts the child that a machine engages. */
  engage(parent: Actor, { path, actor, input, port, index, restart, terms }: Engagement): void {
    if (parent.isOver) return;
    const sponsor = { kind: 'machine', parent, port, index } as const;
    if (!('name' in actor)) {
      const { agent } = parent;
      const call = this.#enrol({ path, definition: callDefinitions[actor.kind], sponsor, agent });
      this.#run.host.start(call, input, this.#run.log.now());
      return;
    }
    const definition = definitionNamed(parent, actor);
    if (definition === undefined) {
      const message = `Cannot engage '${actor.name}' as '${parent.agent}' has no such member`;
      this.#notifyMachine(sponsor, path, outcomeOfFailure('agent.unknown', message, this.#run.log.now()));
      return;
    }
    const refusal = this.#refusal(parent, definition);
    if (refusal !== undefined) {
      this.#notifyMachine(sponsor, path, outcomeOfFailure('limit.reached', refusal, this.#run.log.now()));
      return;
    }
    const budget = parent.definition.allotments?.get(actor.name);
    const given = budget === undefined ? terms : { budget, ...terms };
    this.#startMember(this.#enrol({ path, definition, sponsor, terms: given }), input, restart);
  }

  /** Runs an agent as a child of the actor that performs `ask`, within this run's events, limits and abort. */
  runWithin<Input, Output>(
    parent: Actor,
    agent: Delegate<Input, Output> | 'self',
    input: Input,
    ask: Ask,
    abort: LazyAbort,
    { timeoutMs, history, ...given }: ChildOptions = {},
  ): Promise<RunResult<Output>> {
    const definition = agent === 'self' ? parent.principal.definition : definitionOf(agent);
    if (definition === undefined) {
      const message = `Cannot run '${agent === 'self' ? agent : agent.name}' as it was not made by agent() or a team`;
      return Promise.reject(new TroupeError('agent.invalid', message));
    }
    const { journal, content } = this.#run;
    const refusal = journal.knowsChild(ask.key) ? undefined : this.#refusal(parent, definition);
    if (refusal !== undefined)
      return Promise.reject(new TroupeError('limit.reached', refusal, { retryable: 'no' }));
    const place = this.#placeFor(parent, definition, content.takeInput(definition, input), ask);
    const { path, since } = place;
    const terms: ChildTerms =
      history === undefined ? given : { ...given, history: content.takeHistory(history) };
    return new Promise((resolve, reject) => {
      let forget = (): void => undefined;
      const settle = (outcome: Outcome): void => {
        forget();
        journal.runs(ask.key, false);
        const { status, error } = outcome;
        // A stopped child has an error without having failed.
        if (error !== undefined && (status === 'failed' || status === 'aborted')) reject(toError(error));
        else resolve(resultOf<Output>(this.#run, outcome, path, since, child));
      };
      const call = ask.port === 'approve' ? undefined : callIn(ask);
      const key = call && parent.keyOf(call, ask.step);
      const sponsor = { kind: 'effect', parent, call: key, settle } as const;
      const child = this.#enrol({ path, definition, sponsor, terms });
      if (call !== undefined) this.#run.person.time.runFor(placeOf(parent.principal.path, call.id), path);
      forget = stopInTime(path, { time: this.#run.person.time, abort, timeoutMs }, (reason) => {
        this.stop(child, reason);
      });
      journal.runs(ask.key, true);
      journal.engage(child, () => {
        this.#startMember(child, place.input);
      });
    });
  }

  /** Address of an effect's child: the recorded one, if there is one. */
  #placeFor(parent: Actor, definition: Definition, input: Json, { key, step }: Ask): ChildPlace {
    const { journal, log, secrets } = this.#run;
    const { name: agent } = definition;
    hideInput(secrets, definition, input);
    const wanted = `${parent.principal.path}/${agent}-${step}`;
    const placed = journal.place({ key, scope: parent.scope, agent, input }, () => this.#freePath(wanted));
    const { path, isKnown } = placed;
    if (isKnown) this.#addresses.delete(path);
    const since = isKnown ? firstAt(log.events.slice(), path) : log.events.length;
    return { path, since, input: placed.input };
  }

  /** Reserves an address whose actor is gone but has events. */
  reserve(path: string): void {
    this.#addresses.set(path, undefined);
  }

  /** Stops the actor at an address, if it is running; with an error, it has failed. */
  stopAt(path: string, reason: string, error?: ErrorData): void {
    const entry = this.at(path);
    if (entry !== undefined) this.stop(entry, reason, error);
  }

  /** Stops the children that an actor's machine dismisses. An agent's delegates outlive the state in which they were engaged. */
  dismiss({ children }: Actor): void {
    for (const child of [...children].toReversed()) {
      const { sponsor } = child;
      const isDelegate = sponsor.kind === 'machine' && sponsor.port === 'delegate';
      if (!isDelegate) this.stop(child, this.#run.abortedFor ?? 'its supervisor dismissed it');
    }
  }

  /** Ends an actor whose machine is done, and notifies its sponsor. */
  close(entry: Actor, output: unknown): void {
    if (entry.isOver) return;
    if (!entry.isCall) this.#keepEnd(entry, outcomeOf(output, this.#run.log.now()));
    this.#release(entry, true);
    this.#run.host.stop(entry);
    const { sponsor } = entry;
    if (sponsor.kind === 'machine' && entry.isCall) {
      this.#notifyOfCallEnd(sponsor, output);
      return;
    }
    const outcome = placeError(outcomeOf(output, this.#run.log.now()), this.#run.runId, entry.path);
    // The reader of its end reads of what it has read.
    entry.parent?.origins.add(entry.origins.names);
    if (sponsor.kind === 'root') {
      this.#run.finish(outcome);
      return;
    }
    this.#publishEnd(entry, outcome);
    if (sponsor.kind === 'effect') sponsor.settle(outcome);
    else this.#notifyMachine(sponsor, entry.path, outcome);
  }

  /**
   * Stops an actor from outside, with everything below it. A machine that sponsors it is not notified, as it asked for the stop; an effect
   * that sponsors it may have outlived its purpose.
   */
  stop(entry: Actor, reason: string, error?: ErrorData): void {
    if (entry.isOver) return;
    this.#run.journal.stop(entry, reason, () => {
      this.#stop(entry, reason, error);
    });
  }

  #stop(entry: Actor, reason: string, error?: ErrorData): void {
    const { code, message } = error ?? { code: 'run.aborted', message: reason };
    if (!entry.isCall) this.#keepEnd(entry, outcomeOfFailure(code, message, this.#run.log.now()));
    this.#release(entry);
    this.#run.host.stop(entry);
    if (!entry.isCall)
      this.#publishEnd(
        entry,
        error === undefined
          ? { status: 'aborted', stopReason: { kind: 'aborted', reason } }
          : {
              status: 'failed',
              stopReason: { kind: 'failed' },
              error: { runId: this.#run.runId, path: entry.path, ...error },
            },
      );
    if (entry.sponsor.kind !== 'effect') return;
    entry.sponsor.settle(stoppedOutcome(entry.definition.name, reason, this.#run.log.now()));
  }

  /** The reason why one more actor may not be engaged: the recorded one in a replay, otherwise from the limits. */
  #refusal(parent: Actor, { name: member }: Definition): string | undefined {
    const { principal } = parent;
    const before = recordedRefusal(parent.scope, principal.path, member);
    const refusal = before === undefined ? this.size.refusal(principal, member) : before;
    if (refusal === undefined || refusal === 'engaged') return undefined;
    const { limit, reason } = refusal;
    this.#run.log.write({ type: 'member.refused', member, limit, reason }, principal);
    return reason;
  }

  #startMember(child: Actor, input: unknown, restart?: Restart): void {
    const { path, definition } = child;
    hideInput(this.#run.secrets, definition, input);
    this.size.count(path);
    this.hooks?.engaged(definition);
    this.#run.mail.began(child);
    this.#run.log.sent.engaged(path, input);
    this.#run.log.write({ type: 'member.engaged', member: definition.name }, child);
    const at = this.#run.log.now();
    this.#run.deadlines.begin(child, at);
    this.#run.host.start(child, definition.start(input, child.placementAt(at, restart)), this.#run.log.now());
  }

  /** Releases the effects, children, tools and address of an ended actor. */
  #release(entry: Actor, isItsEnd = false): void {
    entry.isOver = true;
    entry.epoch += 1;
    this.#running.delete(entry.path);
    this.#run.deadlines.end(entry);
    entry.stopBeingAwaited();
    this.#run.mail.gone(entry, isItsEnd);
    // In reverse order, as later children may depend on earlier ones.
    for (const child of [...entry.children].toReversed())
      this.stop(child, this.#run.abortedFor ?? 'its supervisor ended');
    const gone = [...entry.underWay];
    entry.underWay.clear();
    this.#run.effects.withdraw(entry, gone);
    if (!entry.isCall) this.#run.log.closeTools('its agent ended first', entry.path);
    if (entry.sponsor.kind !== 'root') entry.sponsor.parent.children.delete(entry);
    // Not awaited by the sponsor, but by the run's last event.
    this.#run.tearDowns.begin(entry);
  }

  #enrol(enrolment: Omit<Enrolment, 'scope'>): Actor {
    const { path, definition, sponsor } = enrolment;
    if (this.#addresses.has(path))
      throw new TroupeError('internal', `Cannot engage '${path}' as the address was used before`);
    const entry = new Actor(this.#run, { ...enrolment, scope: this.#scopeFor(path, sponsor) });
    if (!entry.isCall) entry.account = this.#run.money.accountOf(entry, this.#run);
    this.#addresses.set(path, definition);
    this.#running.set(path, entry);
    entry.beAwaited();
    return entry;
  }

  /** A child of an effect has its own scope, as answered effects are not replayed. */
  #scopeFor(path: string, sponsor: Sponsor): Scope {
    const { journal } = this.#run;
    if (sponsor.kind === 'root') return journal.root;
    return sponsor.kind === 'machine' ? sponsor.parent.scope : journal.scopeAt(path);
  }

  #keepEnd(entry: Actor, outcome: Outcome): void {
    const isAgent = entry.definition.agent !== undefined;
    entry.keepEnd(isAgent ? this.#run.host.contextOf(entry) : undefined, outcome);
  }

  /** Sends an actor's machine the end of its child at `path`. */
  #notifyMachine({ parent, port, index }: MachineSponsor, path: string, output: Outcome): void {
    parent.deliver({ type: `answered.${port}`, at: this.#run.log.now(), index, path, output });
  }

  /** Sends an agent's machine the end of its call. */
  #notifyOfCallEnd({ parent, port, index }: MachineSponsor, output: unknown): void {
    const { kind, content } = callEnd(output);
    parent.deliver({ type: `${kind}.${port}`, at: this.#run.log.now(), index, ...content });
  }

  /** Publishes the end of an agent or a team. */
  #publishEnd(entry: Actor, { status, stopReason, error, autoCompleted, output }: End): void {
    const facts = withoutUndefined({ error, autoCompleted });
    const member = entry.definition.name;
    this.#run.log.sent.ended(entry.path, output);
    this.#run.log.write(
      { type: 'member.ended', member, status, stopReason: { ...stopReason }, ...facts },
      entry,
    );
  }

  #freePath(path: string): string {
    let free = path;
    for (let count = 2; this.#addresses.has(free); count += 1) free = `${path}.${count}`;
    return free;
  }
}

type MachineSponsor = Extract<Sponsor, { kind: 'machine' }>;
type End = Pick<Outcome, 'status' | 'stopReason' | 'error' | 'autoCompleted' | 'output'>;

/** The definition that an engagement names: a member, or a delegate of one of the parent's tools; undefined if there is none. */
const definitionNamed = (
  parent: Pick<Actor, 'definition' | 'tools'>,
  actor: Extract<Engagement['actor'], { readonly name: string }>,
): Definition | undefined => {
  const { definition } = parent;
  if (actor.kind === 'member') return definition.members.get(actor.name);
  const delegates = parent.tools.held(actor.tool)?.delegates;
  const found = delegates?.to.find(({ name }) => name === actor.name);
  if (found !== undefined) return definitionOf(found);
  return delegates?.includesSelf === true && actor.name === definition.name ? definition : undefined;
};

/** Address of an effect's child, and the index of its first event in the log. */
interface ChildPlace {
  readonly path: string;
  readonly since: number;
  readonly input: unknown;
}

const firstAt = (events: readonly { readonly path: string }[], path: string): number => {
  const first = events.findIndex((event) => event.path === path);
  return first < 0 ? events.length : first;
};
