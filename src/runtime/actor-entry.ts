import type { EventBody } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Model } from '../contracts/model.ts';
import type { EffectRecord, Outcome } from '../contracts/run.ts';
import type { Ask } from '../machines/asks.ts';
import type { Carrier, Engagement } from '../machines/outputs.ts';
import type { LazyAbort } from '../tools/lazy-abort.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Definition } from './definition.ts';
import type { Run } from './run.ts';

/** Where an actor's end is reported: to its parent's machine, or to somebody who awaits it. */
export type Sponsor =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'machine';
      readonly parent: ActorEntry;
      readonly port: Engagement['port'];
      readonly index: number;
    }
  | { readonly kind: 'effect'; readonly parent: ActorEntry; settle(outcome: Outcome): void };

/** An effect under way. */
export interface EffectUnderWay {
  readonly abort: LazyAbort;
  readonly record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] };
}

/**
 * One actor of a run, live or driven: its place in the tree, and what is under way for it.
 *
 * It is the carrier of its machine's outputs: it puts them into the run's queue, and nothing happens before the
 * machine has come to rest.
 */
export class ActorEntry implements Carrier {
  readonly run: Run;
  readonly path: string;
  readonly agent: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  readonly children = new Set<ActorEntry>();
  readonly underWay = new Set<EffectUnderWay>();
  /** Grows with every withdrawal: asks from before it are not carried out any more. */
  epoch = 0;
  isOver = false;
  tools: ToolRegistry | undefined;
  models: readonly Model[] | undefined;

  constructor(
    run: Run,
    path: string,
    definition: Definition,
    sponsor: Sponsor,
    agent: string = definition.name,
  ) {
    this.run = run;
    this.path = path;
    this.agent = agent;
    this.definition = definition;
    this.sponsor = sponsor;
    if (sponsor.kind !== 'root') sponsor.parent.children.add(this);
  }

  /** The agent that this actor works for: itself, or for a call machine the agent that made the call. */
  get principal(): ActorEntry {
    return this.isCall && this.sponsor.kind !== 'root' ? this.sponsor.parent.principal : this;
  }

  /** Whether this is the actor of a troubled call, which has no tools or models of its own. */
  get isCall(): boolean {
    return this.sponsor.kind === 'machine' && this.sponsor.port !== 'member';
  }

  ask(asks: readonly Ask[]): void {
    for (const ask of asks) this.run.enqueue({ kind: 'ask', entry: this, ask, epoch: this.epoch });
  }

  withdraw(): void {
    this.epoch += 1;
    if (this.underWay.size === 0) return;
    const gone = [...this.underWay];
    this.underWay.clear();
    this.run.enqueue({ kind: 'withdraw', gone });
  }

  engage(engagements: readonly Engagement[]): void {
    for (const engagement of engagements) this.run.enqueue({ kind: 'engage', entry: this, engagement });
  }

  dismiss(): void {
    if (this.children.size > 0) this.run.enqueue({ kind: 'dismiss', entry: this });
  }

  post(to: string, message: Message): void {
    this.run.enqueue({ kind: 'post', entry: this, to, message });
  }

  enter(phase: string, step: number): void {
    this.run.entered(this, phase, step);
  }

  emit(body: EventBody, step: number, phase: string | undefined): void {
    this.run.log.write(body, this, step, phase);
  }
}
