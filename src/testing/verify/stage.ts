import type { Json } from '../../base/json/json.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { Property, Violation } from '../../contracts/properties/property.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Ask, AskOf } from '../../machines/asks.ts';
import type { Engagement, Output } from '../../machines/outputs.ts';
import { statesAfter, violationsIn } from '../../policy/properties/property-monitor.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { callDefinitions } from '../../runtime/define/call-definitions.ts';
import { callEnd, endedBody, outcomeOf, outcomeOfFailure, placeError } from '../../runtime/run/result.ts';
import type { Envelope } from '../../runtime/turn/envelope.ts';
import type { Note } from '../../runtime/turn/mover.ts';
import type { Turned } from '../../runtime/turn/turn.ts';
import { firstTurn, turn } from '../../runtime/turn/turn.ts';
import type { Cast } from './cast.ts';
import type { CallDesk } from './call-desk.ts';
import type { Player, World } from './world.ts';
import { isCall, principalOf } from './world.ts';

/** The id of the run of a proof. */
export const RUN = 'proof';

/** What stages share in one proof. */
export interface Theatre {
  readonly cast: Cast;
  /** Asserted first, then those that the policy enforces. */
  readonly properties: readonly Property[];
  readonly asserted: number;
  readonly calls: CallDesk;
  /** Notes the arrows that each definition takes. */
  noteOf(definition: Definition): Note;
}

type Job =
  | { readonly kind: 'ask'; readonly path: string; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly path: string; readonly envelope: Envelope }
  | { readonly kind: 'engage'; readonly path: string; readonly engagement: Engagement }
  | {
      readonly kind: 'stop';
      readonly path: string;
      readonly paths?: readonly string[] | undefined;
      readonly errors?: Readonly<Record<string, ErrorData>> | undefined;
    }
  | { readonly kind: 'over'; readonly path: string };

/**
 * Moves a world by one envelope until all is at rest again. Owns the queue of what is to be done, as a run does.
 *
 * I1 Machines are moved by the runtime's own turn, and what they put out is carried out in order, never inside a turn.
 * I2 A world is not changed: what a move makes is a new one.
 */
export class Stage {
  readonly violations: Violation[] = [];
  readonly events: RuntimeEvent[] = [];
  /** States that were entered. */
  readonly entered: string[] = [];
  /** Definitions that were engaged. */
  readonly engaged: Definition[] = [];
  readonly #theatre: Theatre;
  readonly #players: Map<string, Player>;
  readonly #jobs: Job[] = [];
  readonly #keepsEvents: boolean;
  #properties: World['properties'];
  #now: number;
  #seq: number;
  #ended: World['ended'];

  constructor(theatre: Theatre, world: World, keepsEvents = false) {
    this.#theatre = theatre;
    this.#players = new Map(world.players);
    this.#properties = world.properties;
    this.#now = world.now;
    this.#seq = world.seq;
    this.#ended = world.ended;
    this.#keepsEvents = keepsEvents;
  }

  get now(): number {
    return this.#now;
  }
  get players(): ReadonlyMap<string, Player> {
    return this.#players;
  }

  /** Starts the run. */
  begin(definition: Definition, input: Json): void {
    const path = definition.name;
    this.emit({ type: 'run.started', input }, { path, agent: path });
    this.#start(path, definition, path, input, undefined);
    this.engaged.push(definition);
  }

  /** Lets time pass until `at`. */
  passUntil(at: number): void {
    this.#now = Math.max(this.#now, at);
  }

  /** Delivers an answer to an ask, which is pending no longer. */
  answer(path: string, ask: Ask, kind: 'answered' | 'failed', content: object): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    this.#players.set(path, { ...player, pending: player.pending.filter((each) => each !== ask) });
    this.deliver(path, { type: `${kind}.${ask.port}`, at: this.#now, index: ask.index, ...content });
  }

  /** Ends a call of a tool. */
  finishCall(player: Player, ask: AskOf<'act' | 'tool'>, isOk: boolean): void {
    this.#theatre.calls.finish(this, player, ask, isOk);
  }

  /** A person says yes or no to a call. */
  approveCall(player: Player, ask: AskOf<'approve'>, isApproved: boolean): void {
    this.#theatre.calls.approve(this, player, ask, isApproved);
  }

  deliver(path: string, envelope: Envelope): void {
    this.#jobs.push({ kind: 'deliver', path, envelope });
  }

  /** Does all that is to be done; the world at rest. */
  settle(): World {
    for (let job = this.#jobs.shift(); job !== undefined && this.#ended === undefined; job = this.#jobs.shift())
      this.#do(job);
    return {
      players: this.#players,
      properties: this.#properties,
      now: this.#now,
      seq: this.#seq,
      ended: this.#ended,
    };
  }

  /** Publishes an event to the properties. */
  emit(body: EventBody, { path, agent }: Pick<Player, 'path' | 'agent'>, step?: number, phase?: string): void {
    const { properties, asserted } = this.#theatre;
    if (properties.length > 0 || this.#keepsEvents) {
      const event = this.#eventOf(body, path, agent, step, phase);
      if (this.#keepsEvents) this.events.push(event);
      const after = statesAfter(properties, this.#properties, event);
      const isJudged = after !== this.#properties || event.type === 'run.ended';
      this.#properties = after;
      if (isJudged)
        this.violations.push(...violationsIn(properties.slice(0, asserted), after, event));
    }
    this.#seq += 1;
  }

  /** The first violation of an enforced property that an event would be. */
  wouldViolate(body: EventBody, { path, agent }: Pick<Player, 'path' | 'agent'>, step: number): Violation | undefined {
    const { properties, asserted } = this.#theatre;
    if (properties.length === asserted) return undefined;
    const event = this.#eventOf(body, path, agent, step, undefined);
    const after = statesAfter(properties, this.#properties, event);
    return violationsIn(properties.slice(asserted), after.slice(asserted), event)[0];
  }

  #eventOf(body: EventBody, path: string, agent: string, step?: number, phase?: string): RuntimeEvent {
    const place = { ...(step === undefined ? {} : { step }), ...(phase === undefined ? {} : { phase }) };
    // A body with the common fields is an event of its type.
    return { v: EVENT_VERSION, seq: this.#seq, at: this.#now, runId: RUN, path, agent, ...place, ...body } as RuntimeEvent;
  }

  #do(job: Job): void {
    const player = this.#players.get(job.path);
    if (player === undefined) return;
    switch (job.kind) {
      case 'ask':
        if (job.epoch === player.epoch) this.#ask(player, job.ask);
        break;
      case 'deliver':
        this.#moved(player, (note) => turn(player.part.chart, player.record, job.envelope, note));
        break;
      case 'engage':
        this.#engage(player, job.engagement);
        break;
      case 'stop':
        this.#stopBelow(player, job);
        break;
      case 'over':
        this.#close(player);
    }
  }

  #start(path: string, definition: Definition, agent: string, input: unknown, sponsor: Player['sponsor']): void {
    const part = this.#theatre.cast.partOf(definition);
    const turned = firstTurn(part.chart, this.#inputOf(definition, input, path), this.#now, undefined, this.#theatre.noteOf(definition));
    const player: Player = { path, part, agent, record: turned.record, sponsor, pending: [], epoch: 0 };
    this.#players.set(path, player);
    this.#carryOut(player, turned);
  }

  #inputOf(definition: Definition, input: unknown, path: string): unknown {
    return definition.start(input, { runId: RUN, path, at: this.#now });
  }

  #moved(player: Player, move: (note: Note) => Turned): void {
    if (player.record.isDone) return;
    const turned = move(this.#theatre.noteOf(player.part.definition));
    const moved = { ...player, record: turned.record };
    this.#players.set(player.path, moved);
    this.#carryOut(moved, turned);
  }

  #carryOut({ path }: Player, { record, outputs }: Turned): void {
    for (const output of outputs) this.#put(path, output);
    if (record.isDone) this.#jobs.push({ kind: 'over', path });
  }

  #put(path: string, output: Output): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    switch (output.type) {
      case 'ask':
        for (const ask of output.asks) this.#jobs.push({ kind: 'ask', path, ask, epoch: player.epoch });
        break;
      case 'withdraw':
        this.#players.set(path, { ...player, pending: [], epoch: player.epoch + 1 });
        break;
      case 'engage':
        for (const engagement of output.engagements) this.#jobs.push({ kind: 'engage', path, engagement });
        break;
      case 'dismiss':
        this.#jobs.push({ kind: 'stop', path, paths: output.paths, errors: output.errors });
        break;
      case 'enter':
        this.entered.push(output.phase);
        this.emit({ type: 'phase.entered', phase: output.phase }, player, output.step, output.phase);
        break;
      case 'emit':
        this.emit(output.body, player, output.step, output.phase);
        break;
      case 'post':
        // What a delegating agent tells its delegates: they are one step of its tool here.
    }
  }

  /** What an agent prepares and observes is there at once; all else is for the environment to answer. */
  #ask(player: Player, ask: Ask): void {
    switch (ask.port) {
      case 'prepare': {
        const { input } = ask.input;
        const prompt = typeof input === 'string' ? input : JSON.stringify(input);
        this.answer(player.path, ask, 'answered', { output: { problems: [], input, prompt, models: 1 } });
        break;
      }
      case 'observe':
        this.answer(player.path, ask, 'answered', { output: {} });
        break;
      case 'act':
      case 'tool':
        if (!this.#theatre.calls.begin(this, player, ask)) this.#wait(player, ask);
        break;
      case 'approve':
        this.#theatre.calls.ask(this, player, ask);
        this.#wait(player, ask);
        break;
      default:
        this.#wait(player, ask);
    }
  }

  #wait({ path }: Player, ask: Ask): void {
    const player = this.#players.get(path);
    if (player !== undefined) this.#players.set(path, { ...player, pending: [...player.pending, ask] });
  }

  #engage(parent: Player, { path, actor, input, port, index }: Engagement): void {
    const sponsor = { path: parent.path, port, index };
    if (!('name' in actor)) {
      this.#start(path, callDefinitions[actor.kind], parent.agent, input, sponsor);
      return;
    }
    const definition = actor.kind === 'member' ? parent.part.definition.members.get(actor.name) : undefined;
    if (definition === undefined) {
      const output = outcomeOfFailure('agent.unknown', `Cannot engage '${actor.name}' in a proof`, this.#now);
      this.deliver(parent.path, { type: `answered.${port}`, at: this.#now, index, path, output });
      return;
    }
    this.engaged.push(definition);
    this.emit({ type: 'member.engaged', member: definition.name }, { path, agent: definition.name });
    this.#start(path, definition, definition.name, input, sponsor);
  }

  #stopBelow(parent: Player, { paths, errors }: Extract<Job, { kind: 'stop' }>): void {
    if (paths !== undefined) for (const path of paths) this.#stop(path, errors?.[path]);
    else
      for (const child of this.#childrenOf(parent.path))
        if (child.sponsor?.port !== 'delegate') this.#stop(child.path, undefined);
  }

  /** Stops an actor with all below it; nobody is told, as it was its supervisor that asked for it. */
  #stop(path: string, error: ErrorData | undefined): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    this.#leave(player);
    if (isCall(player)) return;
    const reason = 'its supervisor stopped it';
    const end = error === undefined ? { status: 'aborted', stopReason: { kind: 'aborted', reason } } as const : { status: 'failed', stopReason: { kind: 'failed' }, error } as const;
    this.emit({ type: 'member.ended', member: player.part.definition.name, ...end }, player);
  }

  #close(player: Player): void {
    this.#leave(player);
    const { sponsor, record, path } = player;
    const at = this.#now;
    if (sponsor !== undefined && isCall(player)) {
      const { kind, content } = callEnd(record.output);
      this.deliver(sponsor.path, { type: `${kind}.${sponsor.port}`, at, index: sponsor.index, ...content });
      return;
    }
    const outcome = placeError(outcomeOf(record.output, at), RUN, path);
    if (sponsor === undefined) {
      this.#ended = outcome.status;
      this.emit(endedBody(outcome, NO_TOTALS), player);
      return;
    }
    const { status, stopReason, error } = outcome;
    this.emit(
      { type: 'member.ended', member: player.part.definition.name, status, stopReason: { ...stopReason }, ...(error === undefined ? {} : { error }) },
      player,
    );
    this.deliver(sponsor.path, { type: `answered.${sponsor.port}`, at, index: sponsor.index, path, output: outcome });
  }

  #leave(player: Player): void {
    const { path, pending } = player;
    const speaker = principalOf(player, this.#players);
    this.#players.delete(path);
    for (const child of this.#childrenOf(path)) this.#stop(child.path, undefined);
    for (const ask of pending)
      if (ask.port === 'act' || ask.port === 'tool') this.#theatre.calls.abandon(this, speaker, ask);
  }

  /** The latest first, as those may need the others. */
  #childrenOf(path: string): readonly Player[] {
    return [...this.#players.values()].filter(({ sponsor }) => sponsor?.path === path).toReversed();
  }
}

const NO_TOTALS = {
  steps: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  durationMs: 0,
};
