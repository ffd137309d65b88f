import { SmallMap } from '../../base/collections/small-map.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';

/** A piece of a text, or of the arguments of a call. */
type AnswerDelta = Extract<ModelDelta, { type: 'text' | 'tool-call' }>;

/** A delta of the call with that key; without an offset it follows what came before. */
export type KeyedDelta = Pick<DeltaEvent, 'key' | 'offset' | 'delta'>;

interface Answer {
  readonly shown: JoinedDeltas;
  readonly unseen: JoinedDeltas;
}

/**
 * Keeps the answers of an agent that are under way, for readers that join late; without reasoning.
 *
 * I1 A delta that nobody reads costs one reference to its text: it is joined and redacted for the first reader.
 */
export class AnswersSoFar {
  /** By key of the call. */
  readonly #answers = new SmallMap<string, Answer>();
  #hasUnseen = false;

  /** Keeps a delta that nobody reads; false for one that is not of an answer. */
  keep(key: string, delta: ModelDelta): boolean {
    if (!isOfAnswer(delta)) return false;
    this.#hasUnseen = true;
    this.#at(key).unseen.push(delta);
    return true;
  }

  /** Keeps a delta as it was shown, or would have been. */
  show(key: string, delta: ModelDelta): void {
    if (isOfAnswer(delta)) this.#at(key).shown.push(delta);
  }

  /** Removes and returns what nobody has read, adjacent deltas of a kind as one. */
  takeUnseen(): readonly KeyedDelta[] {
    // Asked before each delta that is shown.
    if (!this.#hasUnseen) return NONE;
    this.#hasUnseen = false;
    return [...this.#answers].flatMap(([key, { unseen }]) => unseen.take().map((delta) => ({ key, delta })));
  }

  /** The deltas that were shown, adjacent ones of a kind as one. */
  get shown(): readonly KeyedDelta[] {
    return [...this.#answers].flatMap(([key, { shown }]) => shown.joined.map((delta) => ({ key, delta })));
  }

  /** Forgets a call that is over. */
  end(key: string): void {
    this.#answers.delete(key);
  }

  #at(key: string): Answer {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = { shown: new JoinedDeltas(), unseen: new JoinedDeltas() };
    this.#answers.set(key, answer);
    return answer;
  }
}

const NONE: readonly KeyedDelta[] = [];

const isOfAnswer = (delta: ModelDelta): delta is AnswerDelta =>
  delta.type === 'text' || delta.type === 'tool-call';

/** Adjacent deltas of one kind, and their texts. */
interface Row {
  readonly first: AnswerDelta;
  readonly texts: string[];
}

class JoinedDeltas {
  #rows: Row[] = [];

  push(delta: AnswerDelta): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && continues(last.first, delta)) last.texts.push(delta.text);
    // Copied, as the model may reuse its own object.
    else this.#rows.push({ first: { ...delta }, texts: [delta.text] });
  }

  get joined(): readonly AnswerDelta[] {
    return this.#rows.map(({ first, texts }) => ({ ...first, text: texts.join('') }));
  }

  take(): readonly AnswerDelta[] {
    const { joined } = this;
    this.#rows = [];
    return joined;
  }
}

const continues = (first: AnswerDelta, delta: AnswerDelta): boolean => {
  if (delta.type === 'text') return first.type === 'text';
  const { index, name = first.type === 'text' ? undefined : first.name } = delta;
  return first.type === 'tool-call' && first.index === index && first.name === name;
};
