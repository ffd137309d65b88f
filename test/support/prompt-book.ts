import type { Model } from '../../src/contracts/models/model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

/** That a model, asked for the n-th time for a call, gave that reply of its script. */
export interface PromptNote {
  readonly model: number;
  readonly key: string;
  readonly time: number;
  readonly index: number;
}

/**
 * Which reply of a script was given for which call: an agent that is made again to go on with a run finds its place in it.
 *
 * A script follows the order of what it is asked, and a run that goes on asks only for what is left of it.
 */
export class PromptBook {
  static #open: PromptBook | undefined;
  readonly #replies = new Map<string, number[]>();
  /** The last reply that each model has given. */
  readonly #last = new Map<number, number>();
  readonly #note: (note: PromptNote) => void;
  #models = 0;

  /** `known` are the notes of a process that is no more; `note` is told each before its reply is given. */
  constructor(known: readonly PromptNote[] = [], note: (note: PromptNote) => void = () => undefined) {
    this.#note = note;
    for (const each of known) this.#keep(each);
  }

  /** Makes something whose models look into this book. */
  with<T>(make: () => T): T {
    const before = PromptBook.#open;
    PromptBook.#open = this;
    this.#models = 0;
    try {
      return make();
    } finally {
      PromptBook.#open = before;
    }
  }

  /** The model of a script, in the book that is open; without one it is plainly scripted. */
  static model(script: readonly ScriptedReply[], id?: string): Model {
    const book = PromptBook.#open;
    return book === undefined ? scriptedModel(script, id) : book.#modelOf(script, id);
  }

  #keep({ model, key, time, index }: PromptNote): void {
    const place = placeOf(model, key);
    const known = this.#replies.get(place) ?? [];
    this.#replies.set(place, known);
    known[time] = index;
    this.#last.set(model, Math.max(this.#last.get(model) ?? -1, index));
  }

  #modelOf(script: readonly ScriptedReply[], id?: string): Model {
    const model = (this.#models += 1);
    /** How often this very model was asked for each call. */
    const asked = new Map<string, number>();
    const plain = scriptedModel([], id);
    return {
      ...plain,
      answer: (request, call) => {
        const { key } = call;
        const time = asked.get(key) ?? 0;
        asked.set(key, time + 1);
        const index = this.#replies.get(placeOf(model, key))?.[time] ?? (this.#last.get(model) ?? -1) + 1;
        const note = { model, key, time, index };
        this.#note(note);
        this.#keep(note);
        const reply = script[index];
        return scriptedModel(reply === undefined ? [] : [reply], id).answer(request, call);
      },
    };
  }
}

const placeOf = (model: number, key: string): string => `${model} ${key}`;

/** Like `scriptedModel`; within {@link PromptBook.with} it finds its place in the script. */
export const scripted = (script: readonly ScriptedReply[], id?: string): Model =>
  PromptBook.model(script, id);
