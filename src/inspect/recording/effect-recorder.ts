import type { EventBody } from '../../contracts/events/event.ts';
import type { NotedEvent } from '../../contracts/events/noted-event.ts';
import type { ChartBook } from './chart-book.ts';
import type { EffectRole } from './effect-charts.ts';
import { effectArrow, firstState } from './effect-charts.ts';
import type { NewEntry } from './entry.ts';
import type { EffectStep } from './notes/event-entries.ts';
import { effectActor, effectType } from './notes/event-entries.ts';

/** An effect of an agent that is not over. */
interface OpenEffect {
  /** The address of its agent. */
  readonly path: string;
  readonly role: EffectRole;
  /** The id that it began by. */
  readonly id: string;
  readonly name: string;
  /** Its key among those that are open. */
  key: string;
  state: string;
}

/**
 * Model and tool calls, questions to people and waits as actors below their agent, by the events of the runtime.
 *
 * I1  Each begins where its chart begins, moves along arrows of its chart, and goes once.
 * I2  An event moves them by steps, from which `eventEntries` makes entries.
 */
export class EffectRecorder {
  readonly #run: string;
  readonly #charts: ChartBook;
  readonly #add: (entry: NewEntry) => void;
  readonly #open = new Map<string, OpenEffect>();
  /** The keys of model calls that are to be asked again. */
  readonly #toAskAgain = new Set<string>();
  #steps: EffectStep[] = [];

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

  /** Takes in an event of an agent; gives its steps. */
  take(noted: NotedEvent): readonly EffectStep[] {
    if (!TOLD.has(noted.body.type)) return NONE;
    this.#steps = [];
    this.#take(noted);
    return this.#steps;
  }

  #take(noted: NotedEvent): void {
    const { body, moment, seq } = noted;
    const { path } = moment;
    switch (body.type) {
      case 'model.asked':
        this.#goesOn(path, body);
        return this.#begins(noted, 'model', body.key, body.model);
      case 'model.answered':
      case 'model.failed':
        return this.#moves(noted, 'model', body.key);
      case 'model.retrying':
        return this.#retries(noted, body.error.errorId ?? '');
      case 'tool.requested':
        return this.#begins(noted, 'tool', body.callId, body.tool);
      case 'tool.approval-requested':
      case 'tool.ambiguous':
        this.#moves(noted, 'tool', body.callId);
        return this.#begins(noted, 'person', body.id, `whether ${body.tool}`);
      case 'tool.approved':
      case 'tool.denied':
        if (body.id !== undefined) this.#moves(noted, 'person', body.id);
        return this.#moves(noted, 'tool', body.callId);
      case 'tool.started':
      case 'tool.finished':
        return this.#moves(noted, 'tool', body.callId);
      case 'tool.retrying':
        return this.#moves(noted, 'tool', body.callId, agentAt(path));
      case 'person.asked':
        return this.#begins(noted, 'person', body.id, 'a person');
      case 'person.answered':
      case 'request.withdrawn':
        return this.#moves(noted, 'person', body.id);
      case 'agent.waiting':
        return this.#begins(noted, 'wait', String(seq), body.reason ?? 'to be woken');
      case 'phase.entered':
        if (body.phase !== 'waiting') this.#moveAll(noted, 'wait', path);
        return undefined;
      default:
        return undefined;
    }
  }

  /** An agent has ended: so have its pending effects. */
  ends(path: string, at: number): void {
    for (const [key, effect] of this.#open)
      if (effect.path === path || effect.path.startsWith(`${path}/`)) {
        this.#open.delete(key);
        this.#add({ kind: 'gone', at, actor: this.#actorOf(effect), status: 'stopped' });
      }
  }

  /** A model call that failed is to be asked again: the attempt that failed is the one its error names. */
  #retries(noted: NotedEvent, id: string): void {
    const path = agentAt(noted.moment.path);
    const key = keyOf(path, 'model', id);
    const effect = this.#open.get(key);
    if (effect === undefined) return this.#moveAll(noted, 'model', path);
    this.#toAskAgain.add(key);
    this.#move(effect, noted, false);
  }

  /** A further attempt has a key of its own: the call goes on under it. */
  #goesOn(path: string, { key, model }: Extract<EventBody, { type: 'model.asked' }>): void {
    for (const before of this.#toAskAgain) {
      const effect = this.#open.get(before);
      if (effect !== undefined && (effect.path !== path || effect.name !== model)) continue;
      this.#toAskAgain.delete(before);
      if (effect === undefined) continue;
      this.#open.delete(before);
      effect.key = keyOf(path, 'model', key);
      this.#open.set(effect.key, effect);
      return;
    }
  }

  #begins(noted: NotedEvent, role: EffectRole, id: string, name: string): void {
    const { path, at } = noted.moment;
    const key = keyOf(path, role, id);
    const known = this.#open.get(key);
    if (known !== undefined) return this.#move(known, noted, known.id === id);
    const chart = this.#charts.ofEffect(role, at);
    this.#open.set(key, { path, role, id, name, key, state: firstState(role) });
    this.#steps.push(chart === role ? role : { of: role, chart });
  }

  #moves(noted: NotedEvent, role: EffectRole, id: string, path = noted.moment.path): void {
    const effect = this.#open.get(keyOf(path, role, id));
    if (effect !== undefined) this.#move(effect, noted, effect.id === id && path === noted.moment.path);
  }

  #moveAll(noted: NotedEvent, role: EffectRole, path: string): void {
    for (const effect of this.#open.values())
      if (effect.path === path && effect.role === role) this.#move(effect, noted, false);
  }

  /** `isNamed`: the event names the effect by the id that it began by, at the address of its agent. */
  #move(effect: OpenEffect, { body }: NotedEvent, isNamed: boolean): void {
    const { state, key } = effect;
    const arrow = effectArrow(state, effectType(body));
    if (arrow === undefined) return;
    effect.state = arrow.target;
    this.#steps.push(isNamed ? state : { of: state, actor: this.#actorOf(effect) });
    if (arrow.isEnd) this.#open.delete(key);
  }

  #actorOf({ path, role, id }: OpenEffect): string {
    return effectActor(`${this.#run}/${path}`, role, id);
  }
}

const NONE: readonly EffectStep[] = [];

/** Types of event that tell of effects: most tell of none. */
const TOLD: ReadonlySet<string> = new Set<EventBody['type']>([
  'model.asked',
  'model.answered',
  'model.failed',
  'model.retrying',
  'tool.requested',
  'tool.approval-requested',
  'tool.ambiguous',
  'tool.approved',
  'tool.denied',
  'tool.started',
  'tool.retrying',
  'tool.finished',
  'person.asked',
  'person.answered',
  'request.withdrawn',
  'agent.waiting',
  'phase.entered',
]);

/** The address of the agent for which a call actor makes further attempts. */
const agentAt = (path: string): string => {
  const end = path.indexOf('/~');
  return end === -1 ? path : path.slice(0, end);
};

const keyOf = (path: string, role: EffectRole, id: string): string => `${path} ${role} ${id}`;
