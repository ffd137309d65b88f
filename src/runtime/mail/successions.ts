import type { EventBody } from '../../contracts/event.ts';
import type { DropReason } from '../../contracts/message.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import type { Actor } from '../actors/actor.ts';

/** Checks whether another may follow an actor: one that a supervisor at work has engaged. */
export const isMember = ({ sponsor }: Actor): boolean =>
  sponsor.kind === 'machine' && sponsor.port === 'member' && !sponsor.parent.isOver;

/** Checks whether an event tells what a supervisor does about a member. */
export const tellsOfSuccession = ({ type }: EventBody): boolean =>
  type === 'child.supervised' || type === 'child.quarantined' || type === 'child.restarted';

/** A member that is over and that nobody follows: why its messages reach nobody. */
export interface Left {
  readonly actor: Actor;
  readonly reason: DropReason;
}

type Verdict = 'restart' | Extract<DropReason, 'escalated' | 'quarantined'>;

/**
 * Members that are over and may be restarted, and where those sit who follow them.
 *
 * I1  A member that came to its own end waits here until its supervisor has been told of it: nobody knows before whether another follows.
 * I2  An address leads to whoever sits there, or follows those who did.
 */
export class Successions {
  readonly #waiting = new SmallMap<string, Actor>();
  /** What supervisors said of members, by address. */
  readonly #verdicts = new SmallMap<string, Verdict>();
  /** Who follows whom, by address. */
  readonly #next = new SmallMap<string, string>();

  /** Where whoever follows the one at an address sits, or will. */
  leadsTo(path: string): string {
    let last = path;
    for (let next = this.#next.get(last); next !== undefined; next = this.#next.get(last)) last = next;
    return last;
  }

  /** The member that was at an address and may be followed. */
  at(path: string): Actor | undefined {
    return this.#waiting.get(path);
  }

  /** Members that may be followed and whom `from` can talk to by name. */
  near(from: Actor): readonly Actor[] {
    if (this.#waiting.size === 0) return [];
    const { parent } = from;
    return [...this.#waiting.values()].filter(
      ({ parent: above }) => above === from || (above !== undefined && above === parent),
    );
  }

  /** A supervisor told what it does about a member. */
  heard(body: EventBody): void {
    if (body.type === 'child.supervised') {
      if (body.directive === 'escalate') this.#verdicts.set(body.child, 'escalated');
      for (const child of body.children) this.#verdicts.set(child, 'restart');
    } else if (body.type === 'child.quarantined') this.#verdicts.set(body.child, 'quarantined');
    else if (body.type === 'child.restarted') this.#restarted(body.of, body.child);
  }

  /** A member is over: why its messages reach nobody; undefined while another may follow it. */
  gone(actor: Actor, isItsEnd: boolean): DropReason | undefined {
    const { path } = actor;
    if (!isMember(actor)) return 'unread';
    const verdict = this.#verdicts.get(path);
    if (verdict !== 'restart' && (verdict !== undefined || !isItsEnd)) return verdict ?? 'unread';
    this.#waiting.set(path, actor);
    return undefined;
  }

  /** The supervisor of the member at an address was told of its end: if nobody will follow it, it is left. */
  judged(path: string): Left | undefined {
    const verdict = this.#verdicts.get(path);
    const actor = this.#waiting.get(path);
    if (actor === undefined || verdict === 'restart') return undefined;
    this.#waiting.delete(path);
    return { actor, reason: verdict ?? 'unread' };
  }

  /** Whom an actor that begins follows. */
  followedBy(actor: Actor): Actor | undefined {
    const before = this.#waiting.get(actor.path);
    this.#waiting.delete(actor.path);
    return before;
  }

  /** A supervisor is over: nobody follows its members any more. */
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

  /** The address of the one that follows is known; until it begins the other waits there. */
  #restarted(of: string, child: string): void {
    this.#next.set(of, child);
    this.#verdicts.delete(of);
    const before = this.#waiting.get(of);
    if (before === undefined) return;
    this.#waiting.delete(of);
    this.#waiting.set(child, before);
  }
}
