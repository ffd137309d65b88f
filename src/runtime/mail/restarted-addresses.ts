import type { EventBody } from '../../contracts/events/event.ts';
import type { DropReason } from '../../contracts/messages/message.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { Actor } from '../actors/actor.ts';

/** Checks whether an actor may have a successor: a member whose supervisor is running. */
export const isMember = ({ sponsor }: Actor): boolean =>
  sponsor.kind === 'machine' && sponsor.port === 'member' && !sponsor.parent.isOver;

/** Checks whether an event reports a supervisor's decision about a member. */
export const tellsOfSuccession = ({ type }: EventBody): boolean =>
  type === 'child.supervised' || type === 'child.quarantined' || type === 'child.restarted';

/** An ended member without a successor, and the reason why its messages are undeliverable. */
export interface Left {
  readonly actor: Actor;
  readonly reason: DropReason;
}

type Verdict = 'restart' | Extract<DropReason, 'escalated' | 'quarantined'>;

/**
 * Ended members that may be restarted, and the addresses of their successors.
 *
 * I1 A member that ended by itself waits here until its supervisor has handled its end: only then it is known whether it is
 * restarted.
 * I2 An address leads to its current actor or the latest successor.
 */
export class RestartedAddresses {
  readonly #waiting = new SmallMap<string, Actor>();
  /** Decisions of supervisors, by the member's address. */
  readonly #verdicts = new SmallMap<string, Verdict>();
  /** Addresses of successors, by the predecessor's. */
  readonly #next = new SmallMap<string, string>();

  /** The address of the latest successor. */
  leadsTo(path: string): string {
    let last = path;
    for (let next = this.#next.get(last); next !== undefined; next = this.#next.get(last)) last = next;
    return last;
  }

  /** The ended member at an address, if it may be restarted. */
  at(path: string): Actor | undefined {
    return this.#waiting.get(path);
  }

  /** Members that may be restarted and that `from` can address by name. */
  near(from: Actor): readonly Actor[] {
    if (this.#waiting.size === 0) return [];
    const { parent } = from;
    return [...this.#waiting.values()].filter(
      ({ parent: above }) => above === from || (above !== undefined && above === parent),
    );
  }

  /** Registers a supervisor's decision. */
  heard(body: EventBody): void {
    if (body.type === 'child.supervised') {
      if (body.directive === 'escalate') this.#verdicts.set(body.child, 'escalated');
      for (const child of body.children) this.#verdicts.set(child, 'restart');
    } else if (body.type === 'child.quarantined') this.#verdicts.set(body.child, 'quarantined');
    else if (body.type === 'child.restarted') this.#restarted(body.of, body.child);
  }

  /** Registers an ended member; returns why its messages are undeliverable, or undefined if it may be restarted. */
  gone(actor: Actor, isItsEnd: boolean): DropReason | undefined {
    const { path } = actor;
    if (!isMember(actor)) return 'unread';
    const verdict = this.#verdicts.get(path);
    if (verdict !== 'restart' && (verdict !== undefined || !isItsEnd)) return verdict ?? 'unread';
    this.#waiting.set(path, actor);
    return undefined;
  }

  /** Registers that the supervisor has handled a member's end; returns the member if it is not restarted. */
  judged(path: string): Left | undefined {
    const verdict = this.#verdicts.get(path);
    const actor = this.#waiting.get(path);
    if (actor === undefined || verdict === 'restart') return undefined;
    this.#waiting.delete(path);
    return { actor, reason: verdict ?? 'unread' };
  }

  /** The predecessor of a new actor. */
  followedBy(actor: Actor): Actor | undefined {
    const before = this.#waiting.get(actor.path);
    this.#waiting.delete(actor.path);
    return before;
  }

  /** Registers an ended supervisor, whose members are not restarted any more. */
  withoutSupervisor(supervisor: Actor): readonly Left[] {
    const isIts = (path: string): boolean => path.startsWith(`${supervisor.path}/`);
    const hasEscalated = [...this.#verdicts].some(
      ([path, verdict]) => verdict === 'escalated' && isIts(path),
    );
    for (const path of this.#verdicts.keys()) if (isIts(path)) this.#verdicts.delete(path);
    const left = [...this.#waiting].filter(([, actor]) => actor.parent === supervisor);
    for (const [path] of left) this.#waiting.delete(path);
    return left.map(([, actor]) => ({ actor, reason: hasEscalated ? 'escalated' : 'unread' }));
  }

  /** Registers a successor's address; until it starts, the predecessor waits there. */
  #restarted(of: string, child: string): void {
    this.#next.set(of, child);
    this.#verdicts.delete(of);
    const before = this.#waiting.get(of);
    if (before === undefined) return;
    this.#waiting.delete(of);
    this.#waiting.set(child, before);
  }
}
