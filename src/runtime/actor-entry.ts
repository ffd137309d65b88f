import type { ChildTerms } from '../contracts/delegation.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Model } from '../contracts/model.ts';
import type { Ask } from '../machines/asks.ts';
import type { Wait } from '../machines/wait-graph.ts';
import type { Engagement } from '../machines/outputs.ts';
import type { MemorySession } from '../memory/memory-session.ts';
import type { ShownConversation } from '../memory/shown-conversation.ts';
import type { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { BudgetAccount } from '../policy/budget-account.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { callsOf } from './callers.ts';
import type { Definition } from './definition.ts';
import { rememberStep } from './memory-of.ts';
import { RunCounter } from './run-counter.ts';
import type { Scope } from './journal/scope.ts';
import type { Actor, EffectUnderWay, Recorder, Sponsor, Stage } from './stage.ts';
import type { Party } from './waits.ts';

/** What is said of an actor when it is enrolled, beside who it is. */
export interface Enrolment {
  /** Whose call it is, where it is one. */
  readonly agent?: string | undefined;
  readonly terms?: ChildTerms | undefined;
}

/**
 * One actor of a run: its place in the tree, and what is under way for it.
 *
 * It is the carrier of its machine's outputs: it puts them into the run's queue, and nothing happens before the
 * machine has come to rest.
 */
export class ActorEntry implements Actor {
  readonly run: Stage;
  readonly path: string;
  readonly agent: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  readonly terms: ChildTerms | undefined;
  readonly scope: Scope;
  readonly children = new Set<Actor>();
  readonly underWay = new Set<EffectUnderWay>();
  atHand: EffectUnderWay | undefined;
  heldBack = 0;
  askingTurns = 0;
  /** Grows with every withdrawal: asks from before it are not carried out any more. */
  epoch = 0;
  phase = '';
  isOver = false;
  readonly counter: RunCounter | undefined;
  tools: ToolRegistry | undefined;
  environment: EnvironmentSession | undefined;
  memory: MemorySession | undefined;
  conversation: ShownConversation | undefined;
  models: readonly Model[] | undefined;
  systemPrompt: string | undefined;
  account: BudgetAccount | undefined;

  constructor(
    run: Stage,
    path: string,
    definition: Definition,
    sponsor: Sponsor,
    { agent = definition.name, terms }: Enrolment = {},
  ) {
    this.run = run;
    this.path = path;
    this.agent = agent;
    this.definition = definition;
    this.sponsor = sponsor;
    this.terms = terms;
    this.scope = scopeFor(path, sponsor, run.journal);
    this.counter = sponsor.kind === 'effect' ? new RunCounter() : undefined;
    if (sponsor.kind !== 'root') sponsor.parent.children.add(this);
    if (!this.isCall) this.account = run.money.accountOf(this);
  }

  /** The agent that this actor works for: itself, or for a call machine the agent that made the call. */
  get principal(): Actor {
    return this.isCall && this.sponsor.kind !== 'root' ? this.sponsor.parent.principal : this;
  }

  /** Whether this is the actor of a troubled call, which has no tools or models of its own. */
  get isCall(): boolean {
    const { sponsor } = this;
    return sponsor.kind === 'machine' && (sponsor.port === 'decide' || sponsor.port === 'act');
  }

  /** An agent's next step begins when all its calls are over. */
  get awaits(): readonly Wait<Party>[] {
    const calls = callsOf(this);
    return calls.length === 0 ? NOTHING : [{ who: this, on: calls, kind: 'call' }];
  }

  ask(asks: readonly Ask[]): void {
    this.askingTurns += 1;
    for (const ask of asks) this.run.enqueue({ kind: 'ask', actor: this, ask, epoch: this.epoch });
  }

  withdraw(): void {
    this.epoch += 1;
    if (this.underWay.size === 0) return;
    const gone = [...this.underWay];
    this.underWay.clear();
    this.run.enqueue({ kind: 'withdraw', actor: this, gone });
  }

  engage(engagements: readonly Engagement[]): void {
    for (const engagement of engagements) this.run.enqueue({ kind: 'engage', actor: this, engagement });
  }

  dismiss(paths?: readonly string[]): void {
    if (paths !== undefined) this.run.enqueue({ kind: 'stop', actor: this, paths });
    else if (this.children.size > 0) this.run.enqueue({ kind: 'dismiss', actor: this });
  }

  post(to: string, message: Message): void {
    this.run.enqueue({ kind: 'post', actor: this, to, message });
  }

  enter(phase: string, step: number): void {
    this.run.entered(this, phase, step);
  }

  emit(body: EventBody, step: number, phase: string | undefined): void {
    this.run.log.write(body, this, step, phase);
    this.run.mail.heard(body);
    if (this.memory !== undefined) rememberStep(this, body);
  }
}

const NOTHING: readonly never[] = [];

/** What an effect runs is told apart: what an effect has answered is not gone through again. */
const scopeFor = (path: string, sponsor: Sponsor, journal: Recorder): Scope => {
  if (sponsor.kind === 'root') return journal.root;
  return sponsor.kind === 'machine' ? sponsor.parent.scope : journal.scopeAt(path);
};
