import type { Json } from '../../base/json/json.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import { noTotals } from '../../contracts/events/no-totals.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Ask, AskOf } from '../../machines/asks.ts';
import type { Engagement, Output } from '../../machines/outputs.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { callDefinitions } from '../../runtime/define/call-definitions.ts';
import { callEnd, endedBody, outcomeOf, outcomeOfFailure, placeError } from '../../runtime/run/result.ts';
import type { Envelope } from '../../runtime/turn/envelope.ts';
import type { Note } from '../../runtime/turn/mover.ts';
import type { Turned } from '../../runtime/turn/turn.ts';
import { firstTurn, turn } from '../../runtime/turn/turn.ts';
import type { Watched } from './audience.ts';
import { Audience, RUN } from './audience.ts';
import type { Cast } from './cast.ts';
import type { Move } from './environment.ts';
import type { Floor, Speaker } from './floor.ts';
import type { Job, StopJob } from './job.ts';
import type { Memory } from './memory.ts';
import type { CallDesk } from './call-desk.ts';
import type { Player, World } from './world.ts';
import { isCall, principalOf } from './world.ts';
import type { CallEnd } from './call-end.ts';

/** The shared parts of all stages of one proof. */
export interface Theatre extends Watched {
  readonly cast: Cast;
  readonly calls: CallDesk;
  /** Notes the arrows that each definition takes. */
  noteOf(definition: Definition): Note;
}

/**
 * Moves a world by one envelope until all is at rest again. Owns the queue of what is to be done, as a run does.
 *
 * I1 Machines are moved by the runtime's own turn, and what they put out is carried out in order, never inside a turn.
 * I2 A world is not changed: what a move makes is a new one.
 */
export class Stage implements Floor {
  readonly audience: Audience;
  /** States that were entered. */
  readonly entered: string[] = [];
  /** Definitions that were engaged. */
  readonly engaged: Definition[] = [];
  readonly #theatre: Theatre;
  readonly #players: Map<string, Player>;
  readonly #jobs: Job[] = [];
  readonly #memory: Memory | undefined;
  /** By address, the number of withdrawals: what was asked for before one is not carried out. */
  readonly #epochs = new Map<string, number>();
  #now: number;
  #ended: World['ended'];

  /** Without a memory each world is exactly what its moves make, and its events are kept. */
  constructor(theatre: Theatre, world: World, memory?: Memory) {
    this.#theatre = theatre;
    this.#players = new Map(world.players);
    this.audience = new Audience(theatre, world.properties, world.seq, memory);
    this.#now = world.now;
    this.#ended = world.ended;
    this.#memory = memory;
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
    this.emit({ type: 'run.started', input }, { path, agent: path }, definition);
    this.#start(path, definition, path, input, undefined);
    this.engaged.push(definition);
  }

  /** Lets time pass until `at`. */
  passUntil(at: number): void {
    this.#now = Math.max(this.#now, at);
  }

  /** Makes a move: it may have been found for another actor of the same key. */
  make(move: Move): void {
    const { player: of, ask: wanted } = move;
    const player = this.#players.get(of.path) ?? this.#callLike(of);
    if (player === undefined) return;
    const ask = player.pending.find(({ port, index }) => port === wanted?.port && index === wanted.index);
    if (wanted !== undefined && ask === undefined) return;
    move.act(this, player, ask);
  }

  /** Delivers an answer to an ask, which is pending no longer. Equal tokens stand for equal answers. */
  answer(path: string, ask: Ask, kind: 'answered' | 'failed', content: object, token?: object): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    this.#players.set(path, { ...player, pending: player.pending.filter((each) => each !== ask) });
    this.deliver(path, { type: `${kind}.${ask.port}`, at: this.#now, index: ask.index, ...content }, token);
  }

  /** Ends a call of a tool. */
  finishCall(player: Player, ask: AskOf<'act' | 'tool'>, result: CallEnd, token: object): void {
    this.#theatre.calls.finish(this, player, ask, result, token);
  }

  /** A person says yes or no to a call. */
  approveCall(player: Player, ask: AskOf<'approve'>, isApproved: boolean, token: object): void {
    this.#theatre.calls.approve(this, player, ask, isApproved, token);
  }

  deliver(path: string, envelope: Envelope, token?: object): void {
    this.#jobs.push({ kind: 'deliver', path, envelope, token });
  }

  /** Does all that is to be done; the world at rest. */
  settle(): World {
    for (
      let job = this.#jobs.shift();
      job !== undefined && this.#ended === undefined;
      job = this.#jobs.shift()
    )
      this.#do(job);
    const { seq, states } = this.audience;
    const memory = this.#memory;
    if (memory === undefined)
      return { players: this.#players, properties: states, now: this.#now, seq, ended: this.#ended };
    const players = new Map<string, Player>();
    for (const player of this.#players.values()) {
      const standIn = memory.standIn(player);
      players.set(standIn.path, standIn);
    }
    return { players, properties: memory.statesFor(states), now: this.#now, seq, ended: this.#ended };
  }

  /** Publishes an event to the properties. Equal tokens stand for equal events of a type. */
  emit(body: EventBody, { path, agent }: Speaker, token: object, step?: number, phase?: string): void {
    this.audience.hear({ body, step, phase }, { path, agent, at: this.#now }, token);
  }

  #do(job: Job): void {
    const player = this.#players.get(job.path);
    if (player === undefined) return;
    switch (job.kind) {
      case 'ask':
        if (job.epoch === this.#epochOf(job.path)) this.#ask(player, job.ask);
        break;
      case 'deliver':
        this.#move(player, job.envelope, job.token);
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

  #start(
    path: string,
    definition: Definition,
    agent: string,
    input: unknown,
    sponsor: Player['sponsor'],
  ): void {
    const part = this.#theatre.cast.partOf(definition);
    const turned = firstTurn(
      part.chart,
      this.#inputOf(definition, input, path),
      this.#now,
      undefined,
      this.#theatre.noteOf(definition),
    );
    const player: Player = { path, part, agent, record: turned.record, sponsor, pending: [] };
    this.#players.set(path, player);
    this.#carryOut(player, turned);
  }

  #inputOf(definition: Definition, input: unknown, path: string): unknown {
    return definition.start(input, { runId: RUN, path, at: this.#now });
  }

  #move(player: Player, envelope: Envelope, token: object | undefined): void {
    const { part, record } = player;
    if (record.isDone) return;
    const move = (): Turned => turn(part.chart, record, envelope, this.#theatre.noteOf(part.definition));
    const turned = this.#memory === undefined ? move() : this.#memory.turn(record, token, move);
    const moved = { ...player, record: turned.record };
    this.#players.set(player.path, moved);
    this.#carryOut(moved, turned);
  }

  #carryOut({ path, agent }: Player, { record, outputs }: Turned): void {
    this.audience.hearTurn(outputs, { path, agent, at: this.#now });
    for (const output of outputs) this.#put(path, output);
    if (record.isDone) this.#jobs.push({ kind: 'over', path });
  }

  #put(path: string, output: Output): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    switch (output.type) {
      case 'ask':
        for (const ask of output.asks)
          this.#jobs.push({ kind: 'ask', path, ask, epoch: this.#epochOf(path) });
        break;
      case 'withdraw':
        this.#players.set(path, { ...player, pending: [] });
        this.#epochs.set(path, this.#epochOf(path) + 1);
        break;
      case 'engage':
        for (const engagement of output.engagements) this.#jobs.push({ kind: 'engage', path, engagement });
        break;
      case 'dismiss':
        this.#jobs.push({ kind: 'stop', path, paths: output.paths, errors: output.errors });
        break;
      case 'enter':
        this.entered.push(output.phase);
        break;
      case 'emit':
        // It was heard.
        break;
      case 'post':
      // What a delegating agent tells its delegates: they are one step of its tool here.
    }
  }

  /** Asks an effect: preparations and observations are there at once, all else is for the environment to answer. */
  #ask(player: Player, ask: Ask): void {
    switch (ask.port) {
      case 'prepare': {
        const { input } = ask.input;
        const prompt = typeof input === 'string' ? input : JSON.stringify(input);
        this.answer(
          player.path,
          ask,
          'answered',
          { output: { problems: [], input, prompt, models: 1 } },
          ask,
        );
        break;
      }
      case 'observe':
        this.answer(player.path, ask, 'answered', { output: {} }, ask);
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

  #engage(parent: Player, engagement: Engagement): void {
    const { path, actor, input, port, index } = engagement;
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
    this.emit(
      { type: 'member.engaged', member: definition.name },
      { path, agent: definition.name },
      engagement,
    );
    this.#start(path, definition, definition.name, input, sponsor);
  }

  #stopBelow(parent: Player, { paths, errors }: StopJob): void {
    if (paths !== undefined) for (const path of paths) this.#stop(path, errors?.[path]);
    else
      for (const child of this.#childrenOf(parent.path))
        if (child.sponsor?.port !== 'delegate') this.#stop(child.path, undefined);
  }

  /** Stops an actor with all below it; its supervisor is not notified, as it asked for it. */
  #stop(path: string, error: ErrorData | undefined): void {
    const player = this.#players.get(path);
    if (player === undefined) return;
    this.#leave(player);
    if (isCall(player)) return;
    const reason = 'its supervisor stopped it';
    const end =
      error === undefined
        ? ({ status: 'aborted', stopReason: { kind: 'aborted', reason } } as const)
        : ({ status: 'failed', stopReason: { kind: 'failed' }, error } as const);
    this.emit({ type: 'member.ended', member: player.part.definition.name, ...end }, player, end);
  }

  #close(player: Player): void {
    this.#leave(player);
    const { sponsor, record, path } = player;
    const at = this.#now;
    if (sponsor !== undefined && isCall(player)) {
      const { kind, content } = callEnd(record.output);
      this.deliver(
        sponsor.path,
        { type: `${kind}.${sponsor.port}`, at, index: sponsor.index, ...content },
        record,
      );
      return;
    }
    const outcome = placeError(outcomeOf(record.output, at), RUN, path);
    if (sponsor === undefined) {
      this.#ended = outcome.status;
      this.emit(endedBody(outcome, noTotals), player, record);
      return;
    }
    const { status, stopReason, error } = outcome;
    this.emit(
      {
        type: 'member.ended',
        member: player.part.definition.name,
        status,
        stopReason: { ...stopReason },
        ...(error === undefined ? {} : { error }),
      },
      player,
      record,
    );
    const envelope = { type: `answered.${sponsor.port}`, at, index: sponsor.index, path, output: outcome };
    this.deliver(sponsor.path, envelope, record);
  }

  #leave(player: Player): void {
    const { path, pending } = player;
    const speaker = principalOf(player, this.#players);
    this.#players.delete(path);
    for (const child of this.#childrenOf(path)) this.#stop(child.path, undefined);
    for (const ask of pending)
      if (ask.port === 'act' || ask.port === 'tool') this.#theatre.calls.abandon(this, speaker, ask);
  }

  #epochOf(path: string): number {
    return this.#epochs.get(path) ?? 0;
  }

  /** The actor of the same call of an agent: its address has the number of the step in it. */
  #callLike(of: Player): Player | undefined {
    if (!isCall(of)) return undefined;
    return this.#childrenOf(of.sponsor?.path ?? '').find(
      ({ sponsor }) => sponsor?.index === of.sponsor?.index,
    );
  }

  /** The latest first, as those may need the others. */
  #childrenOf(path: string): readonly Player[] {
    return [...this.#players.values()].filter(({ sponsor }) => sponsor?.path === path).toReversed();
  }
}
