import { SmallMap } from '../../base/collections/small-map.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';
import type { Speaker } from './lazy-log.ts';

/** A model call whose answer is under way. */
export interface AnsweredCall {
  readonly key: string;
  readonly speaker: Speaker;
  readonly step: number;
  /** Checks whether a delta is shown only once the whole is known. */
  readonly waits: (delta: ModelDelta) => boolean;
}

/** A piece of a text, of reasoning, or of the arguments of a call. */
type AnswerDelta = Exclude<ModelDelta, { type: 'progress' }>;

interface Answer {
  readonly shown: JoinedDeltas<DeltaEvent>;
  readonly unseen: JoinedDeltas<AnsweredCall>;
}

/** A call that is over; `count` is the number of events that a reader has been shown who knows. */
interface EndedCall {
  readonly key: string;
  readonly count: number;
}

/**
 * Keeps the answers of models that are under way, for readers that join late.
 *
 * I1 A delta that nobody reads costs one reference to its text: it is joined and redacted for the first reader.
 * I2 An answer is kept until its end is shown: a store may have to commit that first, and a reader join meanwhile.
 */
export class AnswersSoFar {
  /** By key of the call. */
  readonly #answers = new SmallMap<string, Answer>();
  #ended: EndedCall[] = [];
  #hasUnseen = false;

  /** Keeps a delta that nobody reads; false for one that is not of an answer. */
  keep(delta: ModelDelta, call: AnsweredCall): boolean {
    if (delta.type === 'progress') return false;
    this.#hasUnseen = true;
    this.#at(call.key).unseen.push(delta, call);
    return true;
  }

  /** Keeps a delta that was shown to all who read. */
  show(event: DeltaEvent): void {
    if (event.delta.type !== 'progress') this.#at(event.key).shown.push(event.delta, event);
  }

  /** Removes and returns what nobody has read, adjacent deltas of a kind as one. */
  takeUnseen(): readonly Joined<AnsweredCall>[] {
    // Asked before each delta that is shown.
    if (!this.#hasUnseen) return NONE;
    this.#hasUnseen = false;
    return [...this.#answers].flatMap(([, { unseen }]) => unseen.take());
  }

  /** The deltas that were shown, adjacent ones of a kind as one, each with its first event. */
  get shown(): readonly Joined<DeltaEvent>[] {
    return [...this.#answers].flatMap(([, { shown }]) => shown.joined);
  }

  /** Forgets a call once readers have been shown `count` events; at once what nobody has read of it: that would follow its end. */
  end(key: string, count: number): void {
    this.#answers.get(key)?.unseen.take();
    // Also of a call of which nothing is shown yet: its deltas may wait for a store.
    this.#ended.push({ key, count });
  }

  /** Forgets the calls of which readers know that they are over, as they have been shown `count` events. */
  told(count: number): void {
    if (this.#ended.length === 0) return;
    for (const ended of this.#ended) if (ended.count <= count) this.#answers.delete(ended.key);
    this.#ended = this.#ended.filter((ended) => ended.count > count);
  }

  #at(key: string): Answer {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = { shown: new JoinedDeltas<DeltaEvent>(), unseen: new JoinedDeltas<AnsweredCall>() };
    this.#answers.set(key, answer);
    return answer;
  }
}

const NONE: readonly never[] = [];

/** Adjacent deltas of one kind as one, and what the first of them came with. */
interface Joined<Origin> {
  readonly delta: AnswerDelta;
  readonly origin: Origin;
}

interface Row<Origin> {
  readonly first: AnswerDelta;
  readonly origin: Origin;
  readonly texts: string[];
}

class JoinedDeltas<Origin> {
  #rows: Row<Origin>[] = [];

  push(delta: AnswerDelta, origin: Origin): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && continues(last.first, delta)) last.texts.push(delta.text);
    // Copied, as the model may reuse its own object.
    else this.#rows.push({ first: { ...delta }, origin, texts: [delta.text] });
  }

  get joined(): readonly Joined<Origin>[] {
    return this.#rows.map(({ first, origin, texts }) => ({
      delta: { ...first, text: texts.join('') },
      origin,
    }));
  }

  take(): readonly Joined<Origin>[] {
    const { joined } = this;
    this.#rows = [];
    return joined;
  }
}

const continues = (first: AnswerDelta, delta: AnswerDelta): boolean =>
  delta.type === 'tool-call'
    ? first.type === 'tool-call' && first.index === delta.index && (delta.name ?? first.name) === first.name
    : first.type === delta.type;
