import type { EventOf, HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import { endOfCall, outcomeOf } from './end-of-call.ts';
import { FirstError } from './first-error.ts';
import type { Actor, Claims, Engaged, FollowedRun } from './followed-run.ts';
import { callOf, claimOf, isHelper, parentOf, toolOf, waitOf } from './followed-run.ts';
import type { Work, WorkEnd, WorkKind, WorkListener } from './work.ts';

/** The phases that only agents have. */
const agentPhases: ReadonlySet<string> = new Set([
  'preparing',
  'OBSERVE',
  'DECIDE',
  'ACT',
  'REDUCE',
  'CRITIC',
  'CHECK_STOP',
]);
/** No time passes in them. */
const endPhases: ReadonlySet<string> = new Set(['completed', 'stopped', 'aborted', 'failed']);

/** Maximum number of runs followed at the same time; beyond it the oldest is dropped. */
const MOST_RUNS = 10_000;

/**
 * Converts events to work: its start and end, its place, and its parent.
 *
 * F1  Whatever started ends exactly once, at the latest with its run, even if a listener throws.
 * F2  A repeated event (from a hook attached twice) counts once; an actor claimed by another follower is ignored.
 * F3  Nothing of a run is kept once it is over.
 */
export class WorkFollower {
  readonly #listener: WorkListener;
  readonly #claims: Claims;
  readonly #runs = new Map<string, FollowedRun>();

  constructor(listener: WorkListener, claims: Claims = new Map<string, object>()) {
    this.#listener = listener;
    this.#claims = claims;
  }

  /** Processes the next event. @throws the listener's first error, once all is done. */
  take(event: LiveEvent, scope: HookScope = {}): void {
    const run = this.#runs.get(event.runId) ?? this.#enter(event);
    if (run === undefined || this.#isKnown(run, event)) return;
    run.lastAt = event.at;
    if (event.type === 'run.started' || event.type === 'member.engaged')
      run.engaged.set(event.path, { event, scope });
    else if (event.type === 'phase.entered') this.#enterPhase(run, event, scope);
    else this.#follow(run, event);
  }

  /** Returns the innermost current work at the place of an event: its call, or its actor. */
  at(event: Pick<LiveEvent, 'runId' | 'path'>): Work | undefined {
    const run = this.#runs.get(event.runId);
    const actor = run === undefined ? undefined : this.#actorAt(run, event.path);
    return actor === undefined ? undefined : (callOf(actor, event) ?? actor.work);
  }

  /** Checks whether an actor is at work and has nothing open that a phase would end. */
  isWithin(runId: string, path: string): boolean {
    const actor = this.#runs.get(runId)?.actors.get(path);
    if (actor === undefined) return isHelper(path);
    for (const { kind } of actor.calls.values()) if (kind !== 'tool') return false;
    return true;
  }

  /** Ends all open work, as unfinished: its outcome will not be known. */
  close(): void {
    const fault = new FirstError();
    for (const [runId, run] of this.#runs)
      fault.watch(() => {
        this.#abandon(runId, run);
      });
    fault.surface();
  }

  #enter(event: LiveEvent): FollowedRun | undefined {
    // Only from these on: a late event must not start a finished run again.
    if (!['run.started', 'member.engaged', 'phase.entered'].includes(event.type)) return undefined;
    const oldest = this.#runs.entries().next().value;
    if (oldest !== undefined && this.#runs.size >= MOST_RUNS) this.#abandon(...oldest);
    const isWhole = event.type === 'run.started';
    const run: FollowedRun = {
      isWhole,
      lastSeq: -1,
      lastAt: event.at,
      lastDelta: undefined,
      actors: new Map(),
      engaged: new Map(),
    };
    this.#runs.set(event.runId, run);
    return run;
  }

  #isKnown(run: FollowedRun, event: LiveEvent): boolean {
    if (event.type === 'model.delta') {
      const isSame = event === run.lastDelta;
      run.lastDelta = event;
      return isSame;
    }
    if (event.seq <= run.lastSeq) return true;
    run.lastSeq = event.seq;
    return false;
  }

  #enterPhase(run: FollowedRun, event: EventOf<'phase.entered'>, scope: HookScope): void {
    const { path, phase, at } = event;
    if (isHelper(path)) return;
    const actor = run.actors.get(path) ?? this.#begin(run, path, { event, scope }, agentPhases.has(phase));
    if (actor.work === undefined) return;
    const fault = new FirstError();
    // Leaving a phase cancels its calls; the end of a tool is reported in any case.
    for (const [key, call] of actor.calls)
      if (call.kind !== 'tool')
        fault.watch(() => {
          this.#endCall(actor, key, { at, outcome: 'unfinished', by: event });
        });
    fault.watch(() => {
      this.#leavePhase(actor, { at, outcome: 'done', by: event });
    });
    fault.watch(() => this.#listener.noted?.(event, actor.work));
    if (!endPhases.has(phase)) {
      actor.phase = {
        ...actor.work,
        kind: 'phase',
        name: phase,
        phase,
        startedAt: at,
        parent: actor.work,
        by: event,
      };
      const entered = actor.phase;
      fault.watch(() => this.#listener.began?.(entered));
    }
    fault.surface();
  }

  #begin(run: FollowedRun, path: string, found: Engaged, isAgent: boolean): Actor {
    const { event, scope } = run.engaged.get(path) ?? found;
    run.engaged.delete(path);
    const { runId, agent, at } = event;
    const parent = this.#actorAt(run, parentOf(path));
    const key = claimOf(runId, path);
    const isOurs = (this.#claims.get(key) ?? this) === this;
    const work: Work | undefined = isOurs
      ? {
          kind: isAgent ? 'agent' : 'team',
          runId,
          path,
          agent,
          name: agent,
          startedAt: at,
          phase: parent?.phase?.name,
          parent: parent?.work,
          by: event,
          scope,
        }
      : undefined;
    const actor: Actor = { work, calls: new Map(), phase: undefined };
    run.actors.set(path, actor);
    if (work !== undefined) {
      this.#claims.set(key, this);
      this.#listener.began?.(work);
    }
    return actor;
  }

  #follow(run: FollowedRun, event: LiveEvent): void {
    if (event.type === 'run.ended' || event.type === 'member.ended') {
      this.#endActor(run, event);
      return;
    }
    const actor = this.#actorAt(run, event.path);
    // An actor whose phase was never seen, or that another follower has claimed.
    if (actor?.work === undefined) return;
    const fault = new FirstError();
    fault.watch(() => {
      this.#beginCall(actor, actor.work, event);
    });
    fault.watch(() => this.#listener.noted?.(event, callOf(actor, event) ?? actor.work));
    const ended = endOfCall(actor, event);
    if (ended !== undefined)
      fault.watch(() => {
        this.#endCall(actor, ended.key, ended.end);
      });
    fault.surface();
  }

  #beginCall(actor: Actor, owner: Work | undefined, event: LiveEvent): void {
    if (owner === undefined) return;
    const begin = (kind: WorkKind, key: string, name: string, startedAt = event.at): void => {
      if (actor.calls.has(key)) return;
      const call: Work = {
        ...owner,
        kind,
        name,
        startedAt,
        phase: actor.phase?.name,
        parent: owner,
        by: event,
      };
      actor.calls.set(key, call);
      this.#listener.began?.(call);
    };
    if (event.type === 'model.asked') begin('model', event.key, event.model);
    if (event.type === 'tool.requested') begin('wait', waitOf(event.callId), event.tool);
    if (event.type !== 'tool.started' && event.type !== 'tool.finished') return;
    this.#endCall(actor, waitOf(event.callId), { at: event.at, outcome: 'done', by: event });
    // A call that never started (denied, invalid, answered from the cache) has an end nevertheless.
    const lasted = event.type === 'tool.finished' ? event.durationMs : 0;
    begin('tool', toolOf(event.callId), event.tool, Math.max(owner.startedAt, event.at - lasted));
  }

  #endCall(actor: Actor, key: string, end: WorkEnd): void {
    const call = actor.calls.get(key);
    if (call === undefined) return;
    // Forgotten first: a listener that throws must not leave it open.
    actor.calls.delete(key);
    this.#listener.ended?.(call, end);
  }

  #leavePhase(actor: Actor, end: WorkEnd): void {
    const left = actor.phase;
    actor.phase = undefined;
    if (left !== undefined) this.#listener.ended?.(left, end);
  }

  #endActor(run: FollowedRun, event: EventOf<'run.ended' | 'member.ended'>): void {
    const fault = new FirstError();
    const { path, runId, at, status, error } = event;
    const engaged = run.engaged.get(path);
    // It ended before its first phase: its kind will never be known.
    if (engaged !== undefined)
      fault.watch(() => {
        this.#begin(run, path, engaged, true);
      });
    const actor = run.actors.get(path);
    if (actor?.work !== undefined) fault.watch(() => this.#listener.noted?.(event, actor.work));
    const within = [...run.actors].filter(([other]) => other.startsWith(`${path}/`));
    for (const [other, each] of within.toReversed())
      fault.watch(() => {
        this.#release(run, runId, other, each, { at, outcome: 'unfinished', by: event });
      });
    const outcome = outcomeOf(status, error);
    if (actor !== undefined)
      fault.watch(() => {
        this.#release(run, runId, path, actor, { at, outcome, error, by: event });
      });
    if (event.type === 'run.ended' || (!run.isWhole && run.actors.size === 0)) this.#runs.delete(runId);
    fault.surface();
  }

  #release(run: FollowedRun, runId: string, path: string, actor: Actor, end: WorkEnd): void {
    const fault = new FirstError();
    run.actors.delete(path);
    const { at, by } = end;
    for (const key of actor.calls.keys())
      fault.watch(() => {
        this.#endCall(actor, key, { at, outcome: 'unfinished', by });
      });
    const outcome = end.outcome === 'unfinished' ? 'unfinished' : 'done';
    fault.watch(() => {
      this.#leavePhase(actor, { at, outcome, by });
    });
    if (actor.work !== undefined) {
      const { work } = actor;
      this.#claims.delete(claimOf(runId, path));
      fault.watch(() => this.#listener.ended?.(work, end));
    }
    fault.surface();
  }

  #abandon(runId: string, run: FollowedRun): void {
    const fault = new FirstError();
    this.#runs.delete(runId);
    for (const [path, actor] of [...run.actors].toReversed()) {
      fault.watch(() => {
        this.#release(run, runId, path, actor, { at: run.lastAt, outcome: 'unfinished', by: undefined });
      });
    }
    fault.surface();
  }

  /** The actor at an address, or the nearest above it. */
  #actorAt(run: FollowedRun, path: string): Actor | undefined {
    for (let place = path; place !== ''; place = parentOf(place)) {
      const found = run.actors.get(place);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
