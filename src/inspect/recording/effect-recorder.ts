import type { EventOf, RuntimeEvent } from '../../contracts/events/event.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { ChartBook } from './chart-book.ts';
import type { EffectRole } from './effect-charts.ts';
import { effectArrow, effectCharts } from './effect-charts.ts';
import type { GoneStatus, NewEntry } from './entry.ts';

/** An effect of an agent that is not over. */
interface OpenEffect {
  readonly actor: string;
  readonly owner: string;
  readonly role: EffectRole;
  readonly name: string;
  state: string;
}

/**
 * Model and tool calls, questions to people and waits as actors below their agent, by the events of the runtime.
 *
 * I1  Each begins where its chart begins, moves along arrows of its chart, and goes once.
 */
export class EffectRecorder {
  readonly #run: string;
  readonly #charts: ChartBook;
  readonly #add: (entry: NewEntry) => void;
  readonly #open = new Map<string, OpenEffect>();
  /** The keys of model calls that are to be asked again. */
  readonly #toAskAgain = new Set<string>();

  constructor(run: string, charts: ChartBook, add: (entry: NewEntry) => void) {
    this.#run = run;
    this.#charts = charts;
    this.#add = add;
  }

  /** True if the agents wait for people or for a time, and for nothing else. */
  get isWaiting(): boolean {
    const open = [...this.#open.values()];
    const isIdle = ({ role, state }: OpenEffect): boolean =>
      role === 'person' || role === 'wait' || state === 'tool.awaitingApproval' || state === 'tool.ambiguous';
    return open.length > 0 && open.every(isIdle);
  }

  /** Takes in an event of an agent. */
  take(event: RuntimeEvent): void {
    const owner = `${this.#run}/${event.path}`;
    switch (event.type) {
      case 'model.asked':
        this.#goesOn(owner, event);
        return this.#begins(owner, 'model', event.key, event.model, event, { model: event.model });
      case 'model.answered': {
        const { text, usage, durationMs, costUsd } = event;
        return this.#moves(owner, 'model', event.key, event, toJson({ text, usage, durationMs, costUsd }));
      }
      case 'model.failed':
        return this.#moves(owner, 'model', event.key, event, toJson(event.error));
      case 'model.retrying':
        return this.#retries(event);
      case 'tool.requested':
        return this.#begins(owner, 'tool', event.callId, event.tool, event, { input: event.input });
      case 'tool.approval-requested':
      case 'tool.ambiguous':
        this.#moves(owner, 'tool', event.callId, event);
        return this.#begins(owner, 'person', event.id, `whether ${event.tool}`, event, {
          question: event.description,
        });
      case 'tool.approved':
      case 'tool.denied':
        if (event.id !== undefined) this.#moves(owner, 'person', event.id, event);
        return this.#moves(owner, 'tool', event.callId, event);
      case 'tool.started':
        return this.#moves(owner, 'tool', event.callId, event);
      case 'tool.retrying':
        return this.#moves(this.#agentOf(event), 'tool', event.callId, event);
      case 'tool.finished':
        return this.#moves(
          owner,
          'tool',
          event.callId,
          event.ok ? event : { ...event, type: 'tool.failed' },
          event.text,
        );
      case 'person.asked':
        return this.#begins(owner, 'person', event.id, 'a person', event, { question: event.question });
      case 'person.answered':
        return this.#moves(owner, 'person', event.id, event, event.text);
      case 'request.withdrawn':
        return this.#moves(owner, 'person', event.id, event, event.reason);
      case 'agent.waiting':
        return this.#begins(owner, 'wait', String(event.seq), event.reason ?? 'to be woken', event, {});
      case 'phase.entered':
        if (event.phase !== 'waiting') this.#moveAll(owner, 'wait', event);
        return undefined;
      default:
        return undefined;
    }
  }

  /** An agent has ended: so have its pending effects. */
  ends(owner: string, at: number): void {
    for (const [key, effect] of this.#open)
      if (effect.owner === owner || effect.owner.startsWith(`${owner}/`)) {
        this.#open.delete(key);
        this.#add({ kind: 'gone', at, actor: effect.actor, status: 'stopped' });
      }
  }

  /** A model call that failed is to be asked again: the attempt that failed is the one its error names. */
  #retries(event: EventOf<'model.retrying'>): void {
    const owner = this.#agentOf(event);
    const key = keyOf(owner, 'model', event.error.errorId ?? '');
    if (!this.#open.has(key)) return this.#moveAll(owner, 'model', event);
    this.#toAskAgain.add(key);
    this.#moves(owner, 'model', event.error.errorId ?? '', event);
  }

  /** A further attempt has a key of its own: the call goes on under it. */
  #goesOn(owner: string, { key, model }: EventOf<'model.asked'>): void {
    for (const before of this.#toAskAgain) {
      const effect = this.#open.get(before);
      if (effect !== undefined && (effect.owner !== owner || effect.name !== model)) continue;
      this.#toAskAgain.delete(before);
      if (effect === undefined) continue;
      this.#open.delete(before);
      this.#open.set(keyOf(owner, 'model', key), effect);
      return;
    }
  }

  /** The agent for which a call actor makes further attempts. */
  #agentOf({ path }: Pick<RuntimeEvent, 'path'>): string {
    const end = path.indexOf('/~');
    return `${this.#run}/${end === -1 ? path : path.slice(0, end)}`;
  }

  #begins(
    owner: string,
    role: EffectRole,
    id: string,
    name: string,
    { at, type }: About,
    context: JsonObject,
  ): void {
    const known = this.#open.get(keyOf(owner, role, id));
    if (known !== undefined) return this.#move(known, { at, type });
    const actor = `${owner}#${role}.${id}`;
    const state = effectCharts[role].initial[0] ?? role;
    const chart = this.#charts.ofEffect(role, at);
    this.#open.set(keyOf(owner, role, id), { actor, owner, role, name, state });
    this.#add({ kind: 'actor', at, actor, run: this.#run, parent: owner, name, role, chart });
    this.#add({ kind: 'moved', at, actor, on: type, arrows: [], states: [state], patch: context });
  }

  #moves(owner: string, role: EffectRole, id: string, about: About, output?: Json): void {
    const effect = this.#open.get(keyOf(owner, role, id));
    if (effect !== undefined) this.#move(effect, about, output);
  }

  #moveAll(owner: string, role: EffectRole, about: About): void {
    for (const effect of this.#open.values())
      if (effect.owner === owner && effect.role === role) this.#move(effect, about);
  }

  #move(effect: OpenEffect, { at, type }: About, output?: Json): void {
    const arrow = effectArrow(effect.role, effect.state, type);
    if (arrow === undefined) return;
    const { actor } = effect;
    effect.state = arrow.target;
    this.#add({ kind: 'moved', at, actor, on: type, arrows: [arrow.id], states: [arrow.target] });
    if (!arrow.isEnd) return;
    for (const [key, open] of this.#open) if (open === effect) this.#open.delete(key);
    this.#add({
      kind: 'gone',
      at,
      actor,
      status: statusAt(arrow.target),
      ...(output === undefined ? {} : { output }),
    });
  }
}

/** A withdrawn request was not answered. */
const statusAt = (target: string): GoneStatus => {
  if (target.endsWith('.withdrawn')) return 'stopped';
  return target.endsWith('.failed') ? 'failed' : 'done';
};

type About = Pick<RuntimeEvent, 'at'> & { readonly type: string };

const keyOf = (owner: string, role: EffectRole, id: string): string => `${owner} ${role} ${id}`;
