import { builtEvent } from '../../../contracts/events/noted-event.ts';
import type { EventMoment } from '../../../contracts/events/noted-event.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Entry, NewEntry } from '../entry.ts';
import { eventEntries } from '../notes/event-entries.ts';
import type { MomentRow, Pack, PackRow, Word, WordList } from './pack.ts';
import { LONGEST_WORD } from './pack.ts';
import { mergeFields } from './part-changes.ts';
import { LongForms } from './references.ts';

/** Makes the entries of a pack, in order. */
export function* unpack({ n, rows }: Pack): Generator<Entry, void> {
  const reader = new PackReader();
  let place = n;
  for (const row of rows)
    for (const entry of reader.take(row)) {
      yield { n: place, ...entry };
      place += 1;
    }
}

/** Reads the rows of a pack, with all that they refer to. */
class PackReader {
  readonly #words: string[] = [];
  readonly #lists: (readonly string[])[] = [];
  readonly #parts = new Map<string, Map<string, unknown>>();
  readonly #long = new LongForms();
  #run = '';
  #moment: EventMoment | undefined;
  #at = 0;

  take(row: PackRow): readonly NewEntry[] {
    switch (row[0]) {
      case 0:
        return [row[1]];
      case 1:
        return this.#event(row);
      case 2:
        return this.#turn(row);
    }
  }

  #event([, seq, about, body, steps, sent = 0, firstMs]: Extract<
    PackRow,
    readonly [1, ...unknown[]]
  >): readonly NewEntry[] {
    if (about !== 0) this.#moment = this.#momentOf(about);
    if (this.#moment === undefined) throw new Error('an event without a moment');
    const event = builtEvent(this.#run, { seq, body: this.#long.read(body), moment: this.#moment });
    // With what its model was sent it is still an event of its type.
    const whole = sent === 0 ? event : ({ ...event, ...this.#long.read(sent) } as RuntimeEvent);
    return eventEntries({ event: whole, firstMs, steps });
  }

  #turn([, who, later, event, moves]: Extract<PackRow, readonly [2, ...unknown[]]>): readonly NewEntry[] {
    this.#at += later;
    const [actor, at] = [this.#word(who), this.#at];
    let parts = this.#parts.get(actor);
    if (parts === undefined) this.#parts.set(actor, (parts = new Map<string, unknown>()));
    const entries: NewEntry[] =
      event === null ? [] : [{ kind: 'received', at, actor, event: this.#long.read(event) }];
    for (const [arrows, states, shown = 0, names = 0, on] of moves) {
      const [ways, places] = [this.#list(arrows), this.#list(states)];
      const patch = shown === 0 ? undefined : this.#patch(this.#long.read(shown), names, parts);
      const by = on === undefined ? (event?.type ?? '') : this.#word(on);
      const moved = { kind: 'moved', at, actor, on: by, arrows: ways, states: places } as const;
      entries.push(patch === undefined ? moved : { ...moved, patch });
    }
    return entries;
  }

  /** The patch with all its parts whole. */
  #patch(
    shown: Readonly<Record<string, unknown>>,
    names: readonly Word[] | 0,
    parts: Map<string, unknown>,
  ): Readonly<Record<string, unknown>> {
    const patch: Record<string, unknown> = { ...shown };
    for (const name of names === 0 ? [] : names) {
      const key = this.#word(name);
      patch[key] = mergeFields(parts.get(key), shown[key]);
    }
    for (const key in patch) parts.set(key, patch[key]);
    return patch;
  }

  #momentOf([run, path, agent, later, step, phase]: MomentRow): EventMoment {
    this.#run = this.#word(run);
    this.#at += later;
    const [where, who] = [this.#word(path), this.#word(agent)];
    return {
      path: where,
      agent: who,
      at: this.#at,
      step: step ?? undefined,
      phase: phase === null ? undefined : this.#word(phase),
    };
  }

  #word(word: Word): string {
    if (typeof word === 'number') return this.#words[word] ?? '';
    if (word.length <= LONGEST_WORD) this.#words.push(word);
    return word;
  }

  #list(list: WordList): readonly string[] {
    if (typeof list === 'number') return this.#lists[list] ?? [];
    this.#lists.push(list);
    return list;
  }
}
