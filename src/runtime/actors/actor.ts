import { callInKey, callKey } from '../../actors/call-key.ts';
import type { RunTask } from '../../actors/run-task.ts';
import type { ChildTerms } from '../../contracts/delegation.ts';
import type { ErrorData } from '../../contracts/error.ts';
import type { EventBody } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { Message } from '../../contracts/message.ts';
import type { Model } from '../../contracts/model.ts';
import type { Outcome, RunOptions } from '../../contracts/run.ts';
import type { Toolset } from '../../contracts/tool.ts';
import { SmallSet } from '../../contracts/small-set.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { PlannedCall } from '../../machines/call-plan.ts';
import type { Carrier, Engagement, Restart } from '../../machines/outputs.ts';
import type { Wait } from '../../machines/wait-graph.ts';
import { ShownConversation } from '../../memory/shown-conversation.ts';
import type { BudgetAccount } from '../../policy/budget-account.ts';
import { EnvironmentSession } from '../../tools/environments/environment-session.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import type { RememberingRun } from './agent-memory.ts';
import { AgentMemory } from './agent-memory.ts';
import { toolsOf } from './agent-tools.ts';
import type { Definition, Placement } from '../define/definition.ts';
import type { EffectUnderWay } from '../effects/effect-under-way.ts';
import type { Envelope } from '../turn/envelope.ts';
import type { JobContent } from './job-content.ts';
import type { Scope } from '../journal/write/scope.ts';
import { RunCounter } from './run-counter.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import type { RunStates } from '../thread/run-states.ts';
import type { Said } from './said.ts';
import { isAgentContext } from './said.ts';
import type { Party, PlacedParty } from './waits.ts';
import { waits } from './waits.ts';

/** What an actor needs of its run: the run owns the queue, the log and the journal, and which models there are. */
export interface ActorRun extends RememberingRun {
  readonly secrets: RunSecrets;
  readonly task: RunTask | undefined;
  /** What was said before: told to the root, or to the members of a team. */
  readonly history: RunOptions['history'];
  readonly states: RunStates | undefined;
  readonly journal: RememberingRun['journal'] & { readonly keys: { of(call: string, input: Json): string } };
  readonly models: { of(actor: Actor): readonly Model[] };
  readonly mail: { heard(body: EventBody): void };
  /** A machine entered a state. */
  entered(actor: Actor, phase: string, step: number): void;
  /** Puts something into the queue, which is worked off soon, in order. */
  enqueue(job: Job): void;
  hasJobFor(actor: Actor): boolean;
}

/** Who an actor is, when it is enrolled. */
export interface Enrolment {
  readonly path: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  readonly scope: Scope;
  /** Whose call it is, where it is one. */
  readonly agent?: string | undefined;
  readonly terms?: ChildTerms | undefined;
}

/**
 * One actor of a run. Owns its place in the tree, what is under way for it, and what its agent has in this run: tools, environment,
 * memories, models, conversation, each made on first use.
 *
 * It is the carrier of its machine's outputs: it puts them into the run's queue, and nothing happens before the
 * machine has come to rest.
 */
export class Actor implements Carrier, PlacedParty {
  readonly path: string;
  readonly agent: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  /** On what terms it works, where whoever engaged it set some. */
  readonly terms: ChildTerms | undefined;
  /** The part of the journal that tells of it. */
  readonly scope: Scope;
  /** True if this is the actor of a troubled call, which has no tools or models of its own. */
  readonly isCall: boolean;
  /** The agent that this actor works for: itself, or for a call the agent that made it. */
  readonly principal: Actor;
  readonly children = new SmallSet<Actor>();
  readonly underWay = new SmallSet<EffectUnderWay>();
  /** The effect that is being begun: not yet under way, and perhaps done before it ever is. */
  atHand: EffectUnderWay | undefined;
  /** Asks that are held back, be it by the gate or by a store. One that nobody wants any more may stay counted. */
  heldBack = 0;
  /** Turns in which its machine asked for something. */
  askingTurns = 0;
  /** Grows with every withdrawal: asks from before it are not carried out any more. */
  epoch = 0;
  /** The state that its machine entered last. */
  phase = '';
  isOver = false;
  /** What it and all below it use; kept only for one that somebody's work runs, whose result says it. */
  readonly counter: RunCounter | undefined;
  systemPrompt: string | undefined;
  /** What it and all below it may use; its own, or the nearest above it. */
  account: BudgetAccount | undefined;
  /** Once it is over: undefined for a team, and for one that never started. */
  said: Said | undefined;
  readonly #run: ActorRun;
  #tools: ToolRegistry | undefined;
  #environment: EnvironmentSession | undefined;
  #memory: AgentMemory | undefined;
  #conversation: ShownConversation | undefined;
  #models: readonly Model[] | undefined;
  /** Its own wait for whoever has it. */
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
    this.counter = sponsor.kind === 'effect' ? new RunCounter() : undefined;
    if (sponsor.kind !== 'root') sponsor.parent.children.add(this);
  }

  /** The agent or team that engaged it, or whose work runs it; undefined for the root. */
  get parent(): Actor | undefined {
    return this.sponsor.kind === 'root' ? undefined : this.sponsor.parent.principal;
  }

  /** True if it is there for the run itself: its root, or a member of it, however deep. */
  get isOfRun(): boolean {
    let { sponsor } = this;
    while (sponsor.kind === 'machine' && sponsor.port !== 'delegate') ({ sponsor } = sponsor.parent);
    return sponsor.kind === 'root';
  }

  /** The task of the run that it is there for; undefined for one that somebody's work runs for ends of its own. */
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

  /** What its models were shown so far. */
  get conversation(): ShownConversation {
    return (this.#conversation ??= new ShownConversation(
      this.definition.agent?.context ?? { processors: () => [], isConstant: false, counter: undefined },
    ));
  }

  /** Its models in order of preference; throws where one of them cannot be made. */
  get models(): readonly Model[] {
    return (this.#models ??= this.#run.models.of(this));
  }

  /** The run has other models from now on. */
  forgetModels(): void {
    this.#models = undefined;
  }

  /** The counters of those that somebody's work runs, from here upwards: of a run without children, none. */
  get counters(): readonly RunCounter[] {
    if (this.sponsor.kind === 'root') return NOTHING;
    const above = this.sponsor.parent.counters;
    return this.counter === undefined ? above : [this.counter, ...above];
  }

  /** The keys of the calls that wait until it is done, outermost first. */
  get callers(): readonly string[] {
    const { sponsor } = this;
    if (sponsor.kind === 'root') return NOTHING;
    const above = sponsor.parent.callers;
    return sponsor.kind === 'effect' && sponsor.call !== undefined ? [...above, sponsor.call] : above;
  }

  /** The tool call that an ask is about, as one party among those who wait. */
  callOf(ask: Ask): string | undefined {
    const call = ask.port === 'approve' ? undefined : callIn(ask);
    return call && callKey(this.#run.runId, this.principal.path, ask.step, call.id);
  }

  /** The idempotency key of a call: without a digest of its arguments in a run that began before keys had one. */
  keyOf({ id, input }: Pick<PlannedCall, 'id' | 'input'>, step: number): string {
    const { runId, journal } = this.#run;
    return journal.keys.of(callKey(runId, this.principal.path, step, id), toJson(input));
  }

  /** Its calls that have begun and are not over. */
  get calls(): readonly string[] {
    const { underWay, atHand, children } = this;
    if (underWay.size === 0 && atHand === undefined && children.size === 0) return NOTHING;
    const all = atHand === undefined ? [...underWay] : [...underWay, atHand];
    const calls = all.flatMap(({ ask }) => this.callOf(ask) ?? NOTHING);
    for (const child of children) if (child.isCall) calls.push(...child.calls);
    return calls;
  }

  /** True if all that its machine asked for has begun, and each of its calls is being made: none waits for a time or for a yes. */
  get isAtRest(): boolean {
    if (this.#hasToBegin) return false;
    for (const child of this.children)
      if (child.isCall && (child.#hasToBegin || child.calls.length === 0)) return false;
    return true;
  }

  get #hasToBegin(): boolean {
    return this.heldBack > 0 || this.#run.hasJobFor(this);
  }

  /** An agent's next step begins when all its calls are over. */
  get awaits(): readonly Wait<Party>[] {
    const { calls } = this;
    return calls.length === 0 ? NOTHING : [{ who: this, on: calls, kind: 'call' }];
  }

  /** Whoever has a child waits for it, be it a call or an agent: nobody below may wait for them in turn. */
  beAwaited(): void {
    const { sponsor } = this;
    // Whoever delegated work goes on meanwhile.
    if (sponsor.kind === 'root' || this.isCall) return;
    if (sponsor.kind === 'machine' && sponsor.port === 'delegate') return;
    const key = sponsor.kind === 'effect' ? sponsor.call : undefined;
    // A call is one party in the graph, whatever form its key has.
    const who = key === undefined ? sponsor.parent.principal : callInKey(key);
    this.#awaited = { who, on: [this], kind: 'child' };
    waits.note(this.#awaited);
  }

  /** It is over, and nobody waits for it any more. */
  noLongerAwaited(): void {
    if (this.#awaited !== undefined) waits.remove(this.#awaited);
    waits.forget(this);
  }

  /** Its place when it starts; what was said before comes first, then what was said in its team. */
  placementAt(at: number, restart?: Restart): Placement {
    const { runId, states } = this.#run;
    const { keepsConversation, inputFrom } = this.terms ?? {};
    return {
      runId,
      path: this.path,
      at,
      history: this.#beginning(restart),
      state: this.isOfRun ? states?.kept[this.definition.name] : undefined,
      keepsConversation,
      inputFrom,
      phase: this.#workPhase,
    };
  }

  /** What its terms have it go on from, else what was said before the run that it is there for. */
  #beginning(restart: Restart | undefined): RunOptions['history'] {
    const { history } = this.#run;
    const { history: own, sees } = this.terms ?? {};
    const before = own ?? (history !== undefined && this.isOfRun ? history : undefined);
    const said = sees === undefined ? before : [...(before ?? []), ...sees];
    if (restart?.note === undefined) return said;
    return [...(said ?? []), { role: 'user', from: 'runtime', text: restart.note }];
  }

  /** The phase of the work that it is there for: its own, or that of the actor that started it. */
  get #workPhase(): string | undefined {
    const { terms, sponsor } = this;
    return terms?.phase ?? (sponsor.kind === 'root' ? undefined : sponsor.parent.#workPhase);
  }

  /** Keeps what it has heard, said and come to, as its machine knew it: for its result, its thread and its memories. */
  keepEnd(context: unknown, outcome: Outcome): void {
    if (isAgentContext(context)) {
      this.said = { history: context.history, promptAt: context.run.promptAt };
      if (this.isOfRun) this.#run.states?.ended(this.agent, context.state);
    }
    this.memory?.rememberEnd(outcome);
  }

  /** The memories that it came to use. */
  get usedMemory(): AgentMemory | undefined {
    return this.#memory;
  }

  /** Tears its toolsets down; undefined where none was set up. */
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

  dismiss(paths?: readonly string[]): void {
    if (paths !== undefined) this.#run.enqueue({ kind: 'stop', actor: this, paths });
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
    // A supervisor says whom it restarts.
    if (this.definition.agent === undefined) this.#run.mail.heard(body);
    this.#memory?.rememberStep(body);
  }

  /** Its machine is told something, in its turn. */
  deliver(envelope: Envelope): void {
    this.#run.enqueue({ kind: 'deliver', actor: this, envelope });
  }

  /** Its machine has come to its end. */
  end(output: unknown): void {
    this.#run.enqueue({ kind: 'over', actor: this, output });
  }

  #registry(): ToolRegistry {
    const { agent } = this.definition;
    const registry = toolsOf(agent, this.#environmentSet);
    for (const name of this.terms?.without ?? []) registry.remove(name);
    return registry;
  }

  /** The environment's end as a toolset without tools: closed after all others, with their patience and reports. */
  get #environmentSet(): readonly Toolset[] {
    if (this.definition.agent?.environment === undefined) return NOTHING;
    const teardown = async (): Promise<void> => {
      const issues = (await this.#environment?.close()) ?? [];
      if (issues.length > 0) throw new Error(issues.map(({ message }) => message).join('; '));
    };
    return [{ name: 'environment', tools: [], teardown }];
  }
}

const NOTHING: readonly never[] = [];

/** Where an actor's end is reported: to its parent's machine, or to somebody who awaits it. */
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
      /** The idempotency key of the call that waits for it, where it is one. */
      readonly call: string | undefined;
      settle(outcome: Outcome): void;
    };

/** A thing to do for an actor, in its turn. */
export type Job = JobContent & { readonly actor: Actor };
