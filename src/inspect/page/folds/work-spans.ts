import type { RuntimeEvent } from '../../../contracts/events/runtime-event.ts';
import type { Usage } from '../../../contracts/models/usage.ts';
import type { ActorEntry, Entry } from '../../recording/entry.ts';
import { memberName } from '../../recording/member-name.ts';

/** A kind of work that takes time: of an agent or a team, or in one of them. */
export type SpanKind = 'team' | 'agent' | 'model' | 'tool' | 'wait' | 'person';

/** A piece of work, with its time and its places in the recording. */
export interface Span {
  readonly kind: SpanKind;
  readonly name: string;
  readonly run: string;
  /** The id of its agent or team in the recording. */
  readonly actor: string;
  /** Of an agent the one that engaged it, else its agent. */
  readonly parent: Span | undefined;
  readonly step: number | undefined;
  /** The tool call that it is of. */
  readonly call: string | undefined;
  /** In ms since 1970, by the run's clock. */
  readonly from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  /** Places of the entries at which it began and ended. */
  readonly n: number;
  endedAt: number | undefined;
  hasFailed: boolean;
}

/** Tokens and money that were used at a place of the recording. */
export interface Expense {
  readonly n: number;
  readonly run: string;
  /** The agent or team that it is of. */
  readonly owner: Span | undefined;
  readonly step: number | undefined;
  readonly model: string;
  readonly tokens: number;
  readonly costUsd: number;
}

/** The kind of work in the states of a call; in the others it is none, or that of a person. */
const workIn: Readonly<Record<string, SpanKind>> = {
  'model.asked': 'model',
  'model.waitingToRetry': 'wait',
  'tool.requested': 'wait',
  'tool.running': 'tool',
  'tool.waitingToRetry': 'wait',
  'person.asked': 'person',
  'wait.waiting': 'wait',
};

/** A call, question or wait of an agent. */
interface Effect {
  readonly entry: ActorEntry;
  readonly owner: Span | undefined;
  readonly step: number | undefined;
  readonly call: string | undefined;
  current: Span | undefined;
  /** Its work so far, by kind and time: a resumed run repeats it. */
  readonly begun: Map<string, Span>;
}

/**
 * Timed, nested work of a recording: agents and teams, and in them calls of models and tools, waits and people.
 *
 * W1  At a place there is the work that began before it; what had not ended by then goes on.
 * W2  A call of a tool is a wait until it starts, and while it waits to be tried again.
 */
export class WorkSpans {
  /** In order of the places at which they began. */
  readonly all: Span[] = [];
  /** In order. */
  readonly expenses: Expense[] = [];
  /** Counts changes. */
  changes = 0;
  readonly #actors = new Map<string, Span>();
  readonly #effects = new Map<string, Effect>();
  /** The call of a model that waits to be tried again, by its agent. */
  readonly #retried = new Map<Span | undefined, Effect>();
  /** Ends that may have been those of a part of the run only. */
  readonly #ends = new Map<Span, { readonly to: number; readonly n: number }>();
  /** Models by the key of their call. */
  readonly #asked = new Map<string, string>();
  #last: RuntimeEvent | undefined;

  /** Takes in the next entry. */
  take(entry: Entry): void {
    switch (entry.kind) {
      case 'actor':
        this.#comes(entry);
        return;
      case 'moved': {
        const effect = this.#effects.get(entry.actor);
        if (effect !== undefined) this.#moves(effect, entry);
        return;
      }
      case 'gone': {
        const effect = this.#effects.get(entry.actor);
        this.#end(effect?.current ?? this.#actors.get(entry.actor), entry, entry.status === 'failed');
        if (effect !== undefined) effect.current = undefined;
        return;
      }
      case 'published':
        if (entry.event.type === 'model.delta') return;
        this.#last = entry.event;
        this.#hear(entry, entry.event);
        return;
      default:
    }
  }

  /** Takes in what an event says of tokens and money; one that a resumed run repeats is not given. */
  spend(n: number, event: RuntimeEvent): void {
    switch (event.type) {
      case 'model.asked':
        this.#asked.set(event.key, event.model);
        return;
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
        // The answer names its model as the provider does.
        this.#spend(n, event, this.#asked.get(event.key) ?? event.model, event);
        this.#asked.delete(event.key);
        return;
      case 'context.compacted':
        this.#spend(n, event, event.summariser ?? 'summariser', event);
        return;
      default:
    }
  }

  #spend(
    n: number,
    { runId: run, path, step }: RuntimeEvent,
    model: string,
    { usage, costUsd = 0 }: { readonly usage?: Usage | undefined; readonly costUsd?: number | undefined },
  ): void {
    if (usage === undefined) return;
    this.changes += 1;
    const owner = this.#actors.get(agentOf(`${run}/${path}`));
    this.expenses.push({ n, run, owner, step, model, tokens: usage.input + usage.output, costUsd });
  }

  #comes(entry: ActorEntry): void {
    const { actor, run, role, parent } = entry;
    const above = parent === undefined ? undefined : this.#actors.get(agentOf(parent));
    if (role === 'team' || role === 'agent') {
      const known = this.#actors.get(actor);
      if (known !== undefined) this.#reopen(known);
      else
        this.#actors.set(
          actor,
          this.#begin(
            {
              kind: role,
              name: memberName(entry),
              run,
              actor,
              parent: above,
              step: undefined,
              call: undefined,
            },
            entry,
          ),
        );
      return;
    }
    if (role === 'call' || role === 'other' || this.#effects.has(actor)) return;
    const event = this.#last;
    const isOfEvent = event !== undefined && agentOf(`${run}/${event.path}`) === above?.actor;
    this.#effects.set(actor, {
      entry,
      owner: above,
      step: isOfEvent ? event.step : undefined,
      call: isOfEvent && 'callId' in event ? event.callId : undefined,
      current: undefined,
      begun: new Map(),
    });
  }

  #moves(effect: Effect, entry: Extract<Entry, { kind: 'moved' }>): void {
    const [state = ''] = entry.states;
    this.#turn(effect, workIn[state], entry, state.endsWith('.waitingToRetry'));
  }

  /** Attempts are reported by an agent's helper, so that the call itself does not move. */
  #hear(entry: Entry, event: RuntimeEvent): void {
    const owner = agentOf(`${event.runId}/${event.path}`);
    if (event.type === 'model.retrying' || event.type === 'model.fell-back') {
      const effect = this.#effects.get(`${owner}#model.${event.error.errorId ?? ''}`);
      this.#fail(effect, event.type === 'model.retrying' ? 'wait' : undefined, entry);
    } else if (event.type === 'tool.retrying')
      this.#fail(this.#effects.get(`${owner}#tool.${event.callId}`), 'wait', entry);
    else if (event.type === 'tool.started') {
      const effect = this.#effects.get(`${owner}#tool.${event.callId}`);
      if (effect?.current !== undefined) this.#turn(effect, 'tool', entry, false);
    }
  }

  #fail(effect: Effect | undefined, next: SpanKind | undefined, entry: Entry): void {
    if (effect?.current !== undefined) this.#turn(effect, next, entry, true);
  }

  #turn(effect: Effect, kind: SpanKind | undefined, entry: Entry, hasFailed: boolean): void {
    if (effect.current !== undefined && effect.current.kind === kind) return;
    this.#end(effect.current, entry, hasFailed);
    effect.current = undefined;
    if (kind === undefined) return;
    const key = `${kind} ${entry.at}`;
    const known = effect.begun.get(key);
    if (known !== undefined) {
      this.#reopen(known);
      effect.current = known;
      return;
    }
    const { owner, step, call } = effect;
    const { run, name, role, parent } = effect.entry;
    if (role === 'model' && kind === 'model') this.#endRetries(effect, entry);
    if (owner !== undefined) this.#reopen(owner);
    const actor = owner?.actor ?? parent ?? '';
    effect.current = this.#begin({ kind, name, run, actor, parent: owner, step, call }, entry);
    effect.begun.set(key, effect.current);
    if (role === 'model' && kind === 'wait') this.#retried.set(owner, effect);
  }

  /** An attempt begins: nobody waits for it any more. */
  #endRetries(effect: Effect, entry: Entry): void {
    const other = this.#retried.get(effect.owner);
    this.#retried.delete(effect.owner);
    if (other === undefined || other === effect) return;
    this.#end(other.current, entry, false);
    other.current = undefined;
  }

  #begin(
    given: Pick<Span, 'kind' | 'name' | 'run' | 'actor' | 'parent' | 'step' | 'call'>,
    { n, at }: Entry,
  ): Span {
    this.changes += 1;
    const span: Span = { ...given, n, from: at, to: undefined, endedAt: undefined, hasFailed: false };
    this.all.push(span);
    return span;
  }

  #end(span: Span | undefined, { n, at }: Entry, hasFailed: boolean): void {
    if (span === undefined || span.to !== undefined) return;
    this.changes += 1;
    const before = this.#ends.get(span);
    this.#ends.delete(span);
    span.to = Math.max(span.from, at);
    // An end that is repeated is where it was first.
    span.endedAt = before?.to === span.to ? before.n : n;
    span.hasFailed = hasFailed;
  }

  /** An actor of a resumed run goes on, and those above it. */
  #reopen(span: Span): void {
    for (let each: Span | undefined = span; each?.to !== undefined; each = each.parent) {
      this.changes += 1;
      if (each.endedAt !== undefined) this.#ends.set(each, { to: each.to, n: each.endedAt });
      each.to = undefined;
      each.endedAt = undefined;
    }
  }
}

/** The id of the agent, for that of its helper. */
const agentOf = (actor: string): string => actor.replace(/\/~.*$/u, '');

/** The end of a span at a place of its recording, where the time is `now`; undefined if it had not begun. */
export const endAt = ({ n, from, to, endedAt }: Span, length: number, now: number): number | undefined => {
  if (n >= length) return undefined;
  return to !== undefined && endedAt !== undefined && endedAt < length ? to : Math.max(from, now);
};
