import type { Turn } from '../../contracts/conversations/transcript.ts';
import { callInKey, callKey } from '../../actors/acting/call-key.ts';
import type { RunTask } from '../../actors/preparing/run-task.ts';
import type { ChildTerms } from '../../contracts/tools/delegation.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import { toJson } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Toolset } from '../../contracts/tools/tool.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { Carrier, Engagement, Restart } from '../../machines/outputs.ts';
import type { Wait } from '../../machines/messages/wait-graph.ts';
import { ShownConversation } from '../../memory/processors/shown-conversation.ts';
import type { BudgetAccount } from '../../policy/budget-account.ts';
import { closingSet } from './closing-set.ts';
import { EnvironmentSession } from '../../tools/environments/environment-session.ts';
import type { ToolRegistry } from '../../tools/define/tool-registry.ts';
import { AgentMemory, type RememberingRun } from './agent-memory.ts';
import { toolsOf } from './agent-tools.ts';
import { toolsetHost } from './toolset-host.ts';
import type { Definition, Placement } from '../define/definition.ts';
import type { EffectUnderWay } from '../effects/effect-under-way.ts';
import type { Envelope } from '../turn/envelope.ts';
import type { TurnRecord } from '../turn/turn-record.ts';
import type { JobContent } from './job-content.ts';
import type { Origins } from '../../contracts/tools/origins.ts';
import { NO_ORIGINS } from './origins.ts';
import type { CallKeys } from '../journal/write/call-keys.ts';
import type { Scope } from '../journal/write/scope.ts';
import { RunCounter } from './run-counter.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { RunStates } from '../thread/run-states.ts';
import { isAgentContext, type AgentConversation } from './agent-conversation.ts';
import { type Party, type PlacedParty, waits } from './waits.ts';

/** The calls that an actor needs of its run, which owns the queue, the log, the journal and the choice of models. */
export interface ActorRun extends RememberingRun {
  readonly secrets: RunSecrets;
  readonly task: RunTask | undefined;
  /** Earlier turns, for the root, or the members of a team. */
  readonly history: readonly Turn[] | undefined;
  readonly states: RunStates | undefined;
  readonly journal: RememberingRun['journal'] & { readonly keys: Pick<CallKeys, 'of' | 'hasDigests'> };
  readonly given: Pick<RunOptions, 'safety'>;
  readonly models: { of(actor: Actor): readonly Model[] };
  readonly mail: { heard(body: EventBody): void };
  /** Registers that a machine entered a state. */
  entered(actor: Actor, phase: string, step: number): void;
  /** Adds a job to the queue, which runs jobs soon and in order. */
  enqueue(job: Job): void;
  hasJobFor(actor: Actor): boolean;
}

/** The identity of an actor that is being created. */
export interface Enrolment {
  readonly path: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  readonly scope: Scope;
  /** The calling agent, if the actor is a call. */
  readonly agent?: string | undefined;
  readonly terms?: ChildTerms | undefined;
}

/**
 * One actor of a run. Owns its place in the tree, its pending effects, and its agent's tools, environment, memories, models and
 * conversation in this run, each created on first use.
 *
 * It carries out its machine's outputs by adding them to the run's queue, so that nothing happens before the machine is at rest.
 */
export class Actor implements Carrier, PlacedParty {
  readonly path: string;
  readonly agent: string;
  definition: Definition;
  readonly sponsor: Sponsor;
  /** Terms set by the actor that engaged it. */
  readonly terms: ChildTerms | undefined;
  /** The part of the journal that records it. */
  readonly scope: Scope;
  /** True for the actor of a troubled call, which has no tools or models of its own. */
  readonly isCall: boolean;
  /** The agent that this actor works for: itself, or the agent that made the call. */
  readonly principal: Actor;
  readonly origins: Origins;
  readonly children = new SmallSet<Actor>();
  readonly underWay = new SmallSet<EffectUnderWay>();
  /** The effect that is being started: not pending yet, and it may finish synchronously. */
  startingEffect: EffectUnderWay | undefined;
  /** Number of asks held by the gate or a store. An ask that is no longer wanted may remain counted. */
  heldAsks = 0;
  /** Number of turns in which its machine asked for effects. */
  askingTurns = 0;
  /** Incremented by every withdrawal: earlier asks are not carried out. */
  epoch = 0;
  /** The state of its machine; set by the run's host. Undefined before its start and once it is over. */
  record: TurnRecord | undefined;
  /** The state that its machine entered last. */
  phase = '';
  isOver = false;
  /** Usage of it and everything below it; only for a child run by an effect, whose result reports it. */
  readonly counter: RunCounter | undefined;
  systemPrompt: string | undefined;
  /** The budget of it and everything below it: its own, or the nearest above. */
  account: BudgetAccount | undefined;
  /** Set once it is over; undefined for a team, and for an actor that never started. */
  endedConversation: AgentConversation | undefined;
  readonly #run: ActorRun;
  #tools: ToolRegistry | undefined;
  #environment: EnvironmentSession | undefined;
  #memory: AgentMemory | undefined;
  #conversation: ShownConversation | undefined;
  #models: readonly Model[] | undefined;
  /** The wait of its sponsor for it. */
  #awaited: Wait<Party> | undefined;

  constructor(run: ActorRun, { path, definition, sponsor, scope, agent, terms }: Enrolment) {
    this.#run = run;
    this.path = path;
    this.agent = agent ?? definition.name;
    this.definition = definition;
    this.sponsor = sponsor;
    this.terms = terms;
    this.scope = scope;
    this.isCall = sponsor.kind === 'machine' && (sponsor.port === 'decide' || sponsor.port === 'act');
    this.principal = this.isCall && sponsor.kind !== 'root' ? sponsor.parent.principal : this;
    this.origins = run.given.safety?.keepOrigins?.(this.parent?.origins) ?? NO_ORIGINS;
    this.counter = sponsor.kind === 'effect' ? new RunCounter() : undefined;
    if (sponsor.kind !== 'root') sponsor.parent.children.add(this);
  }

  /** The agent or team that engaged it or whose effect runs it; undefined for the root. */
  get parent(): Actor | undefined {
    return this.sponsor.kind === 'root' ? undefined : this.sponsor.parent.principal;
  }

  /** True for the root and its members at any depth, as opposed to children of effects and delegates. */
  get isOfRun(): boolean {
    let { sponsor } = this;
    while (sponsor.kind === 'machine' && sponsor.port !== 'delegate') ({ sponsor } = sponsor.parent);
    return sponsor.kind === 'root';
  }

  /** The run's task; undefined for children of effects and delegates. */
  get task(): RunTask | undefined {
    const { task } = this.#run;
    return task !== undefined && this.principal.isOfRun ? task : undefined;
  }

  get secrets(): RunSecrets {
    return this.#run.secrets;
  }

  get tools(): ToolRegistry {
    return (this.#tools ??= this.#registry());
  }

  get environment(): EnvironmentSession | undefined {
    const given = this.definition.agent?.environment;
    if (given === undefined || this.#environment !== undefined) return this.#environment;
    const scope = { runId: this.#run.runId, path: this.path, task: this.task?.task };
    const environment = typeof given === 'function' ? given(scope) : given;
    return (this.#environment = new EnvironmentSession(environment, scope));
  }

  get memory(): AgentMemory | undefined {
    const sources = this.definition.agent?.memories ?? NOTHING;
    return sources.length === 0 ? undefined : (this.#memory ??= new AgentMemory(this, sources, this.#run));
  }

  /** The conversation as its models were shown it. */
  get conversation(): ShownConversation {
    return (this.#conversation ??= new ShownConversation(
      this.definition.agent?.compaction ?? { processors: () => [], isConstant: false, counter: undefined },
    ));
  }

  /** The models in order of preference; throws if one of them cannot be created. */
  get models(): readonly Model[] {
    return (this.#models ??= this.#run.models.of(this));
  }

  /** Drops the cached models after the run's choice changed. */
  forgetModels(): void {
    this.#models = undefined;
  }

  /** Counters of the children of effects, from here upwards; empty in a run without any. */
  get counters(): readonly RunCounter[] {
    if (this.sponsor.kind === 'root') return NOTHING;
    const above = this.sponsor.parent.counters;
    return this.counter === undefined ? above : [this.counter, ...above];
  }

  /** Keys of the calls that wait for this actor, outermost first. */
  get callers(): readonly string[] {
    const { sponsor } = this;
    if (sponsor.kind === 'root') return NOTHING;
    const above = sponsor.parent.callers;
    return sponsor.kind === 'effect' && sponsor.call !== undefined ? [...above, sponsor.call] : above;
  }

  /** The tool call that an ask is about, as a party that may wait. */
  callOf(ask: Ask): string | undefined {
    const call = ask.port === 'approve' ? undefined : callIn(ask);
    return call && callKey(this.#run.runId, this.principal.path, ask.step, call.id);
  }

  /** The idempotency key of a call: without a digest of its arguments in a run started by 0.1. */
  keyOf({ id, input }: Pick<PlannedCall, 'id' | 'input'>, step: number): string {
    const { runId, journal } = this.#run;
    return journal.keys.of(callKey(runId, this.principal.path, step, id), toJson(input));
  }

  /** Its calls in progress. */
  get calls(): readonly string[] {
    const { underWay, startingEffect, children } = this;
    if (underWay.size === 0 && startingEffect === undefined && children.size === 0) return NOTHING;
    const all = startingEffect === undefined ? [...underWay] : [...underWay, startingEffect];
    const calls = all.flatMap(({ ask }) => this.callOf(ask) ?? NOTHING);
    for (const child of children) if (child.isCall) calls.push(...child.calls);
    return calls;
  }

  /** True if everything its machine asked for has started and all its calls are being executed: none waits for a time or an approval. */
  get isAtRest(): boolean {
    if (this.#hasToBegin) return false;
    for (const child of this.children)
      if (child.isCall && (child.#hasToBegin || child.calls.length === 0)) return false;
    return true;
  }

  get #hasToBegin(): boolean {
    return this.heldAsks > 0 || this.#run.hasJobFor(this);
  }

  /** An agent's next step starts when all its calls are done. */
  get awaits(): readonly Wait<Party>[] {
    const { calls } = this;
    return calls.length === 0 ? NOTHING : [{ who: this, on: calls, kind: 'call' }];
  }

  /** Registers that its sponsor waits for it, so that nothing below may wait for the sponsor. */
  beAwaited(): void {
    const { sponsor } = this;
    // A delegating agent does not wait.
    if (sponsor.kind === 'root' || this.isCall) return;
    if (sponsor.kind === 'machine' && sponsor.port === 'delegate') return;
    const key = sponsor.kind === 'effect' ? sponsor.call : undefined;
    // A call is one party in the graph, whatever the form of its key.
    const who = key === undefined ? sponsor.parent.principal : callInKey(key);
    this.#awaited = { who, on: [this], kind: 'child' };
    waits.note(this.#awaited);
  }

  /** Removes it from the wait graph. */
  stopBeingAwaited(): void {
    if (this.#awaited !== undefined) waits.remove(this.#awaited);
    waits.forget(this);
  }

  /** Its placement at the start, with history: earlier turns, then those of its team. */
  placementAt(at: number, restart?: Restart): Placement {
    const { runId, states } = this.#run;
    const { keepsConversation, inputFrom } = this.terms ?? {};
    const history = this.#historyAt(restart);
    this.origins.addTurns(history);
    return {
      runId,
      path: this.path,
      at,
      history,
      state: this.isOfRun ? states?.kept[this.definition.name] : undefined,
      keepsConversation,
      inputFrom,
      phase: this.#workPhase,
      // Agents of 0.1 left them unread, and their journals say so.
      readsPeople: this.sponsor.kind === 'root' && this.#run.journal.keys.hasDigests,
    };
  }

  /** The history from its terms, or else that of its run. */
  #historyAt(restart: Restart | undefined): readonly Turn[] | undefined {
    const { history } = this.#run;
    const { history: own, sees } = this.terms ?? {};
    const before = own ?? (history !== undefined && this.isOfRun ? history : undefined);
    const said = sees === undefined ? before : [...(before ?? []), ...sees];
    if (restart?.note === undefined) return said;
    return [...(said ?? []), { role: 'user', from: 'runtime', text: restart.note }];
  }

  /** The phase of the work that it belongs to: its own, or that of its sponsor. */
  get #workPhase(): string | undefined {
    const { terms, sponsor } = this;
    return terms?.phase ?? (sponsor.kind === 'root' ? undefined : sponsor.parent.#workPhase);
  }

  /** Keeps its conversation and end for its result, its thread and its memories. */
  keepEnd(context: unknown, outcome: Outcome): void {
    if (isAgentContext(context)) {
      this.endedConversation = { history: context.history, promptAt: context.run.promptAt };
      if (this.isOfRun) this.#run.states?.ended(this.agent, context.state);
    }
    this.memory?.rememberEnd(outcome);
  }

  /** The memories, if they were used. */
  get usedMemory(): AgentMemory | undefined {
    return this.#memory;
  }

  /** Tears down its toolsets; undefined if none was set up. */
  teardown(): Promise<readonly ErrorData[]> | undefined {
    return this.#tools?.wasSetUp === true ? this.#tools.teardown() : undefined;
  }

  ask(asks: readonly Ask[]): void {
    this.askingTurns += 1;
    for (const ask of asks) this.#run.enqueue({ kind: 'ask', actor: this, ask, epoch: this.epoch });
  }

  withdraw(): void {
    this.epoch += 1;
    if (this.underWay.size === 0) return;
    const gone = [...this.underWay];
    this.underWay.clear();
    this.#run.enqueue({ kind: 'withdraw', actor: this, gone });
  }

  engage(engagements: readonly Engagement[]): void {
    for (const engagement of engagements) this.#run.enqueue({ kind: 'engage', actor: this, engagement });
  }

  dismiss(paths?: readonly string[], errors?: Readonly<Record<string, ErrorData>>): void {
    if (paths !== undefined) this.#run.enqueue({ kind: 'stop', actor: this, paths, errors });
    else if (this.children.size > 0) this.#run.enqueue({ kind: 'dismiss', actor: this });
  }

  post(to: string, message: Message): void {
    this.#run.enqueue({ kind: 'post', actor: this, to, message });
  }

  enter(phase: string, step: number): void {
    this.#run.entered(this, phase, step);
  }

  emit(body: EventBody, step: number, phase: string | undefined): void {
    this.#run.log.write(body, this, step, phase);
    // A supervisor's event may name a restarted member.
    if (this.definition.agent === undefined) this.#run.mail.heard(body);
    this.#memory?.rememberStep(body);
  }

  deliver(envelope: Envelope): void {
    this.#run.enqueue({ kind: 'deliver', actor: this, envelope });
  }

  end(output: unknown): void {
    this.#run.enqueue({ kind: 'over', actor: this, output });
  }

  #registry(): ToolRegistry {
    const { agent } = this.definition;
    const registry = toolsOf(agent, this.#environmentSet, toolsetHost(this, this.#run.log));
    for (const name of this.terms?.without ?? []) registry.remove(name);
    return registry;
  }

  get #environmentSet(): readonly Toolset[] {
    const { agent } = this.definition;
    return agent?.environment === undefined ? NOTHING : [closingSet(() => this.#environment)];
  }
}

const NOTHING: readonly never[] = [];

/** The receiver of an actor's end: its parent's machine, or an effect that awaits it. */
export type Sponsor =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'machine';
      readonly parent: Actor;
      readonly port: Engagement['port'];
      readonly index: number;
    }
  | {
      readonly kind: 'effect';
      readonly parent: Actor;
      /** The idempotency key of the call that waits for it, if there is one. */
      readonly call: string | undefined;
      settle(outcome: Outcome): void;
    };

/** A job for an actor. */
export type Job = JobContent & { readonly actor: Actor };
