import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { ActorProfile, Profile, ProfileRow, StackTime } from './profile-shape.ts';
import { usageIn } from '../work/usage-in.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/** A place where time is spent; its parts cover some of that time. */
interface Frame {
  readonly frames: readonly string[];
  readonly outer: Frame | undefined;
  readonly startedAt: number;
  /** Number of its current parts, and the time since when there is one. */
  inner: number;
  coveredSince: number;
  coveredMs: number;
  isOver: boolean;
}

interface Row {
  count: number;
  ms: number;
  tokens: number;
  costUsd: number;
}

interface Stack {
  readonly frames: readonly string[];
  ms: number;
  tokens: number;
  costUsd: number;
}

interface ActorRows {
  ms: number;
  costUsd: number;
  readonly phases: Map<string, Row>;
}

/** Adds up one run. */
export class RunProfile {
  readonly #root: Work;
  readonly #open = new Map<Work, Frame>();
  /** The phase that each actor is in. */
  readonly #phases = new Map<Work, Work>();
  readonly #actors = new Map<Work, ActorRows>();
  readonly #agentRows = new Map<string, Row>();
  readonly #phaseRows = new Map<string, Row>();
  readonly #modelRows = new Map<string, Row>();
  readonly #toolRows = new Map<string, Row>();
  readonly #stacks = new Map<string, Stack>();
  #end: WorkEnd | undefined;

  constructor(root: Work) {
    this.#root = root;
  }

  began(work: Work): void {
    const { kind, parent, startedAt, name } = work;
    const isPhase = kind === 'phase';
    if (isActor(work)) this.#actors.set(work, { ms: 0, costUsd: 0, phases: new Map() });
    if (isPhase && parent !== undefined) this.#phases.set(parent, work);
    const phase = parent === undefined || isPhase ? undefined : this.#phases.get(parent);
    const around = phase ?? parent;
    const outer = around === undefined ? undefined : this.#open.get(around);
    const frames = [...(outer?.frames ?? []), kind === 'wait' ? `waiting for ${name}` : name];
    if (outer !== undefined && !outer.isOver) {
      if (outer.inner === 0) outer.coveredSince = startedAt;
      outer.inner += 1;
    }
    this.#open.set(work, {
      frames,
      outer,
      startedAt,
      inner: 0,
      coveredSince: 0,
      coveredMs: 0,
      isOver: false,
    });
  }

  ended(work: Work, end: WorkEnd): void {
    const frame = this.#open.get(work);
    if (frame === undefined) return;
    this.#open.delete(work);
    this.#leave(frame, end.at);
    const ms = end.at - work.startedAt;
    if (isActor(work)) this.#actorEnded(work, ms);
    else if (work.kind === 'phase') this.#phaseEnded(work, ms);
    else if (work.kind === 'model') {
      add(this.#modelRows, work.name, { count: 1, ms, ...NOTHING });
    } else if (work.kind === 'tool') add(this.#toolRows, work.name, { count: 1, ms, ...NOTHING });
    if (work === this.#root) this.#end = end;
  }

  /** Adds what an event says of tokens and money to the call that it is about, or to its actor. */
  noted(event: LiveEvent, about: Work | undefined): void {
    const used = useOf(event);
    if (used === undefined || about === undefined) return;
    const { model, count, tokens, costUsd } = used;
    const call = about.kind === 'model' ? about : undefined;
    const owner = call?.parent ?? about;
    const phase = this.#phases.get(owner);
    const name = call?.name ?? model;
    add(this.#modelRows, name, { count, ms: 0, tokens, costUsd });
    this.#spent(owner, call?.phase ?? phase?.name, { tokens, costUsd });
    const frames =
      call === undefined
        ? [...(this.#open.get(phase ?? owner)?.frames ?? []), name]
        : (this.#open.get(call)?.frames ?? [name]);
    const stack = this.#stackOf(frames);
    stack.tokens += tokens;
    stack.costUsd += costUsd;
  }

  get profile(): Profile {
    const { runId, agent, startedAt } = this.#root;
    const { ms = 0, costUsd: own = 0 } = this.#actors.get(this.#root) ?? {};
    const costUsd = [...this.#actors].reduce(
      (sum, [actor, each]) => (actor === this.#root ? sum : sum + each.costUsd),
      own,
    );
    const status = this.#end?.by?.type === 'run.ended' ? this.#end.by.status : undefined;
    return {
      runId,
      agent,
      status,
      startedAt,
      ms,
      costUsd,
      agents: rowsOf(this.#agentRows),
      phases: rowsOf(this.#phaseRows),
      models: rowsOf(this.#modelRows),
      tools: rowsOf(this.#toolRows),
      actors: [...this.#actors].map(([work, rows]) => actorOf(work, rows)),
      stacks: [...this.#stacks.values()].filter(
        ({ ms: self, tokens, costUsd: spent }) => self > 0 || tokens > 0 || spent > 0,
      ) satisfies StackTime[],
    };
  }

  #leave(frame: Frame, at: number): void {
    if (frame.inner > 0) frame.coveredMs += at - frame.coveredSince;
    frame.isOver = true;
    const { outer, frames } = frame;
    this.#stackOf(frames).ms += at - frame.startedAt - frame.coveredMs;
    if (outer === undefined || outer.isOver) return;
    outer.inner -= 1;
    if (outer.inner === 0) outer.coveredMs += at - outer.coveredSince;
  }

  #stackOf(frames: readonly string[]): Stack {
    const key = frames.join('\n');
    let stack = this.#stacks.get(key);
    if (stack === undefined) this.#stacks.set(key, (stack = { frames, ms: 0, ...NOTHING }));
    return stack;
  }

  #actorEnded(work: Work, ms: number): void {
    const rows = this.#actors.get(work);
    if (rows === undefined) return;
    rows.ms = ms;
    this.#phases.delete(work);
    add(this.#agentRows, work.name, { count: 1, ms, ...NOTHING });
  }

  #phaseEnded(work: Work, ms: number): void {
    const row = { count: 1, ms, ...NOTHING };
    add(this.#phaseRows, work.name, row);
    const actor = work.parent === undefined ? undefined : this.#actors.get(work.parent);
    if (actor !== undefined) add(actor.phases, work.name, row);
  }

  /** Attributes use to an agent, in the state that asked. */
  #spent(owner: Work, phase: string | undefined, used: Pick<Row, 'tokens' | 'costUsd'>): void {
    const actor = this.#actors.get(owner);
    if (actor === undefined) return;
    const row = { count: 0, ms: 0, ...used };
    actor.costUsd += used.costUsd;
    add(this.#agentRows, owner.name, row);
    if (phase === undefined) return;
    add(actor.phases, phase, row);
    add(this.#phaseRows, phase, row);
  }
}

const NOTHING = { tokens: 0, costUsd: 0 };

const isActor = ({ kind }: Work): boolean => kind === 'agent' || kind === 'team';

/** Tokens and money that an event reports; a summary is a call of its own, which nothing else reports. */
const useOf = (event: LiveEvent): (Omit<Row, 'ms'> & { readonly model: string }) | undefined => {
  const { usage, costUsd = 0, model } = usageIn(event) ?? {};
  if (usage === undefined || model === undefined) return undefined;
  // An answer belongs to a call that is counted when it ends; a summary is counted here.
  const count = event.type === 'context.compacted' ? 1 : 0;
  return { model, count, tokens: usage.input + usage.output, costUsd };
};

const add = (rows: Map<string, Row>, name: string, more: Row): void => {
  const row = rows.get(name) ?? { count: 0, ms: 0, tokens: 0, costUsd: 0 };
  row.count += more.count;
  row.ms += more.ms;
  row.tokens += more.tokens;
  row.costUsd += more.costUsd;
  rows.set(name, row);
};

const rowsOf = (rows: ReadonlyMap<string, Row>): ProfileRow[] =>
  [...rows].map(([name, row]) => ({ name, ...row })).sort((one, other) => other.ms - one.ms);

const actorOf = ({ path, agent }: Work, { ms, costUsd, phases }: ActorRows): ActorProfile => ({
  path,
  agent,
  ms,
  costUsd,
  phases: rowsOf(phases),
});
