import { assignedValues, namesSecret } from './assigned-values.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { BeginningFinder } from './beginning-finder.ts';
import type { FieldSecret } from './field-secret.ts';
import { findPublic } from './find-public.ts';
import type { FoundSecret } from './find-public.ts';
import { foldText } from './folded-text.ts';
import type { Form } from './known-forms.ts';
import { encodings, formsOf } from './known-forms.ts';
import type { Place } from './phrase-finder.ts';
import { PhraseFinder } from './phrase-finder.ts';
import { redactPlaces } from './redact-places.ts';

/** Secrets by name: `{ OPENAI_API_KEY: 'sk-…' }`. The name appears in place of the value. */
export type Secrets = Readonly<Record<string, string>>;

/** A known secret, and its place. */
export interface KnownPlace extends FoundSecret {
  /** The encoding of the value there; undefined if it is not reversible. */
  readonly encoding: string | undefined;
  /** The part that belongs to the value alone: base64 digits at its borders are shared with the text around it. */
  readonly own: Place;
  /** It is the value of a field: no variable has it. */
  readonly isField: boolean;
}

interface FieldName {
  readonly shown: string;
  /** It names a secret, as `password` does. */
  readonly isSecret: boolean;
  /** The secret values that it has had. */
  readonly values: ReadonlyMap<string, string> | undefined;
}

interface KnownForm extends Form {
  readonly name: string;
  readonly value: string;
  readonly isField: boolean;
}

/**
 * Finds secrets in texts, and replaces each by `[redacted NAME]`.
 *
 * Known values are found verbatim, escaped as in JSON, URLs and HTML, in hexadecimal, as lists of bytes, within base64, in other
 * case, and broken over lines; undeclared ones by their form, see {@link findPublic}. Takes time proportional to the text.
 */
export class Redactor {
  /** The declared secrets. */
  readonly secrets: Secrets;
  readonly #forms: KnownForm[] = [];
  #finder: PhraseFinder | undefined;
  /** Made when a text first arrives in pieces: each covers at least twice as many forms as the next. */
  readonly #beginnings: { readonly from: number; readonly finder: BeginningFinder }[] = [];
  #begun = 0;
  /** By the name of a field, its values, and what each is called. */
  readonly #fields = new Map<string, Map<string, string>>();
  /** The values of fields. */
  readonly #learned = new Set<string>();
  /** The same by the names that they have here. */
  readonly #values = new Map<string, string>();
  #hasShort = false;
  /** Texts without a secret: names of fields, types and addresses recur with each event. */
  readonly #clean = new Set<string>();
  /** Names of fields recur, too. */
  readonly #names = new Map<string, FieldName>();

  constructor(secrets: Secrets) {
    this.secrets = secrets;
    this.#add(Object.entries(secrets), false);
  }

  /**
   * Adds secret field values under their names: they are then found anywhere in a text, and in a field of that name
   * also if they are numbers, or too short to search for in texts.
   */
  learn(secrets: readonly FieldSecret[]): void {
    for (const { field, name, value } of secrets) {
      if (value.length < 3) this.#hasShort = true;
      const values = this.#fields.get(field) ?? new Map<string, string>();
      this.#fields.set(field, values.set(value, name));
      this.#values.set(name, value);
    }
    this.#names.clear();
    const found = secrets.filter(({ value }) => !this.#learned.has(value));
    for (const { value } of found) this.#learned.add(value);
    this.#add(
      found.map(({ name, value }) => [name, value]),
      true,
    );
  }

  #add(secrets: readonly (readonly [name: string, value: string])[], isField: boolean): void {
    const forms = secrets
      .filter(([, value]) => value.length >= 3)
      .flatMap(([name, value]) => formsOf(value).map((form) => ({ name, value, isField, ...form })));
    if (forms.length === 0) return;
    this.#clean.clear();
    this.#names.clear();
    this.#forms.push(...forms);
    this.#finder ??= new PhraseFinder([]);
    this.#finder.add(forms.map(({ text }) => text));
  }

  /** Returns the text with `[redacted NAME]` in place of each secret; the same string if there is none. */
  text(text: string): string {
    if (this.#clean.has(text)) return text;
    const found = this.find(text);
    if (found.length === 0) {
      this.#noteClean(text);
      return text;
    }
    return redactPlaces(text, found);
  }

  #noteClean(text: string): void {
    if (text.length > LONGEST_CLEAN) return;
    if (this.#clean.size >= MOST_CLEAN) this.#clean.clear();
    this.#clean.add(text);
  }

  /** Redacts all texts and field names of a value; returns the same value if nothing changes. */
  value<Value>(value: Value): Value {
    // Redaction changes texts only, so the type is the same.
    return this.#walk(value, 0) as Value;
  }

  #walk(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
    if (Array.isArray(value)) return this.#list(value, depth);
    return isJsonObject(value) ? this.#object(value, depth) : value;
  }

  /** Copies a list only from the first redacted item on, which is rare. */
  #list(items: readonly unknown[], depth: number): readonly unknown[] {
    for (let index = 0; index < items.length; index += 1) {
      const shown = this.#walk(items[index], depth + 1);
      if (shown === items[index]) continue;
      const rest = items.slice(index + 1).map((item) => this.#walk(item, depth + 1));
      return [...items.slice(0, index), shown, ...rest];
    }
    return items;
  }

  #object(value: JsonObject, depth: number): object {
    const names = Object.keys(value);
    let shown: [string, unknown][] | undefined;
    // Once for each field of each event: without an iterator, and all about a name by one look at it.
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const item = value[name];
      const known = this.#names.get(name) ?? this.#noteName(name);
      const content = this.#field(name, known, item, depth);
      if (shown === undefined && (known.shown !== name || content !== item))
        shown = names.slice(0, index).map((earlier) => [earlier, value[earlier]]);
      shown?.push([known.shown, content]);
    }
    return shown === undefined ? value : Object.fromEntries(shown);
  }

  #noteName(name: string): FieldName {
    const known: FieldName = {
      shown: name.length < SHORTEST ? name : this.text(name),
      isSecret: namesSecret(name),
      values: this.#fields.get(name),
    };
    if (name.length > LONGEST_CLEAN) return known;
    if (this.#names.size >= MOST_CLEAN) this.#names.clear();
    this.#names.set(name, known);
    return known;
  }

  /** Redacts a field's value in the light of its name, as `name="text"`. */
  #field(name: string, { values, isSecret }: FieldName, item: unknown, depth: number): unknown {
    if (values !== undefined) {
      const hidden = hiddenIn(values, item);
      if (hidden !== item) return this.#walk(hidden, depth + 1);
    }
    if (typeof item !== 'string') return typeof item === 'object' ? this.#walk(item, depth + 1) : item;
    const shown = this.text(item);
    return isSecret && shown === item && assignedValues(`${name}=${JSON.stringify(item)}`).length > 0
      ? '[redacted secret]'
      : shown;
  }

  /**
   * Returns the places of secrets, from left to right, none within another. One of known form that begins where a text
   * is cut does not count: it may be the rest of a word.
   */
  find(text: string, isCut = false): readonly FoundSecret[] {
    const known = this.known(text);
    const found = publicBeside(known, text);
    const open = isCut ? found.filter(({ start, from = start }) => from > 0) : found;
    return open.length === 0 ? known : inOrder([...known, ...remaindersBeside(known, makeDisjoint(open))]);
  }

  /** Returns the places of known values, also of those that are escaped, or broken over lines. */
  known(text: string): readonly KnownPlace[] {
    if (this.#finder === undefined) return [];
    const plain = this.#verbatim(this.#finder, text);
    const folded = foldText(text);
    if (folded.text === text) return plain;
    const found = this.#verbatim(this.#finder, folded.text).filter(
      ({ start, end }) => end - start >= SHORTEST,
    );
    const places = folded.unfold(found);
    let index = 0;
    const more = found.flatMap((place, nth): readonly KnownPlace[] => {
      const own = places[nth] ?? place;
      while ((plain[index]?.end ?? Infinity) <= own.start) index += 1;
      // What is there verbatim is known better.
      if ((plain[index]?.start ?? Infinity) < own.end) return [];
      return [{ ...place, ...own, own, encoding: undefined }];
    });
    return more.length === 0 ? plain : [...plain, ...more].toSorted((a, b) => a.start - b.start);
  }

  #verbatim(finder: PhraseFinder, text: string): readonly KnownPlace[] {
    return finder.find(text).flatMap(({ phrase, start, end }): readonly KnownPlace[] => {
      const form = this.#forms[phrase];
      if (form === undefined) return [];
      const { name, value, isWord, isField, shares } = form;
      const written = text.slice(start, end);
      if (isWord === true && !(written === form.text && isApart(text, start, end))) return [];
      const encoding = encodings.find(({ encode }) => encode(value) === written)?.name;
      const [before, after] = shares ?? [0, 0];
      const first = before === 1 && DIGIT.test(text.charAt(start - 1)) ? start - 1 : start;
      let last = after === 1 && DIGIT.test(text.charAt(end)) ? end + 1 : end;
      if (shares !== undefined) while (text[last] === '=') last += 1;
      return [{ start: first, end: last, name, encoding, own: { start, end }, isField }];
    });
  }

  /** Checks whether a known value may occur in a text: one too short to search for may occur in any. */
  mayBeIn(text: string): boolean {
    return this.#hasShort || this.known(text).length > 0;
  }

  /** Returns the secret field values that may occur in a text, by name; those too short to search for may be anywhere. */
  fieldsIn(text: string): Secrets {
    const found = this.known(text).flatMap(({ isField, name }) => (isField ? [name] : []));
    const short = [...this.#fields.values()].flatMap((values) =>
      [...values].flatMap(([value, name]) => (value.length < 3 && text.includes(value) ? [name] : [])),
    );
    return Object.fromEntries([...found, ...short].map((name) => [name, this.#values.get(name) ?? '']));
  }

  /** Returns the secret that a value at a field of that name is, if it is one. */
  hiddenAt(field: string, value: string | number): Pick<FieldSecret, 'name' | 'value'> | undefined {
    const text = String(value).trim();
    const name = this.#fields.get(field)?.get(text);
    return name === undefined ? undefined : { name, value: text };
  }

  /** From where on the end of a text could be the beginning of a value that is known. */
  beginsAt(text: string): number {
    if (this.#begun < this.#forms.length) this.#begin();
    const find = (each: string): number =>
      this.#beginnings.reduce((first, { finder }) => Math.min(first, finder.find(each)), each.length);
    let first = find(text);
    if (this.#beginnings.length === 0) return first;
    // The end may be an escape that is not complete.
    for (const folded of [text, text.replace(OPEN_ESCAPE, '')].map(foldText)) {
      const start = find(folded.text);
      const [place] = folded.unfold([{ start, end: start }]);
      if (start < folded.text.length) first = Math.min(first, place?.start ?? first);
    }
    return first;
  }

  /** Adds forms learned since; smaller finders are merged, so that each form is entered a few times at most. */
  #begin(): void {
    const { length } = this.#forms;
    let from = this.#begun;
    for (let last = this.#beginnings.at(-1); last !== undefined; last = this.#beginnings.at(-1)) {
      if (from - last.from >= 2 * (length - from)) break;
      ({ from } = last);
      this.#beginnings.pop();
    }
    const finder = new BeginningFinder(this.#forms.slice(from).map((form) => form.text));
    this.#beginnings.push({ from, finder });
    this.#begun = length;
  }
}

/** Bounds of the caches of texts without a secret, and of names. */
const LONGEST_CLEAN = 64;
const MOST_CLEAN = 1_000;

/** Redacts a value, or the items of a list, that equal a secret field value. */
const hiddenIn = (values: ReadonlyMap<string, string>, item: unknown): unknown => {
  const shown = (each: unknown): unknown => {
    if (typeof each !== 'string' && typeof each !== 'number') return each;
    const name = values.get(String(each).trim());
    return name === undefined ? each : `[redacted ${name}]`;
  };
  if (!Array.isArray(item)) return shown(item);
  const items = item.map(shown);
  return items.some((each, index) => each !== item[index]) ? items : item;
};

/** The beginning of an escape, of a break, or of a character that nobody sees, at the end of a text. */
const OPEN_ESCAPE =
  /(?:(?:\\{1,7}r)?\\{1,7}|%|=|&(?:amp;){0,2})[^\\%&;\s]{0,7}$|=?\p{Cc}\[?[\d;]{0,20}$|[\uD800-\uDBFF]$/u;

/** Maximum depth: nothing deeper is published. */
const DEEPEST = 200;
const SHORTEST = 8;

const DIGIT = /^[A-Za-z0-9+/_-]$/;

const isApart = (text: string, start: number, end: number): boolean =>
  !/^[A-Za-z0-9]$/.test(text.charAt(start - 1)) && !/^[A-Za-z0-9]$/.test(text.charAt(end));

const inOrder = (places: readonly FoundSecret[]): readonly FoundSecret[] =>
  places.toSorted((a, b) => a.start - b.start || b.end - a.end);

/** Makes places disjoint: of two that overlap, the first is kept, and the remainder of the other. */
const makeDisjoint = (places: readonly FoundSecret[]): readonly FoundSecret[] => {
  let from = 0;
  return inOrder(places).flatMap((place) => {
    const start = Math.max(place.start, from);
    from = Math.max(from, place.end);
    return start < place.end ? [{ ...place, start }] : [];
  });
};

/**
 * Finds secrets of known form also where only a known one touches them, of which nothing is shown: a key is recognised
 * after `KEY]` as it is after a space, so what was redacted once is not redacted further.
 */
export const publicBeside = (known: readonly Place[], text: string): readonly FoundSecret[] => {
  const open = findPublic(text);
  return known.length === 0 ? open : [...open, ...findPublic(withoutKnown(known, text))];
};

/** Returns the text with known places filled with what stands at the borders of a redacted one. */
export const withoutKnown = (known: readonly Place[], text: string): string => {
  let shown = '';
  for (const { start, end } of known.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(start, shown.length);
    if (end > from) shown += text.slice(shown.length, from) + ']'.repeat(end - from);
  }
  return shown + text.slice(shown.length);
};

/** Returns the remainders of places beside known ones, in order, if they are longer than a name. */
const remaindersBeside = (
  known: readonly FoundSecret[],
  places: readonly FoundSecret[],
): readonly FoundSecret[] => {
  let index = 0;
  return places.flatMap((place) => {
    while ((known[index]?.end ?? Infinity) <= place.start) index += 1;
    const left: FoundSecret[] = [];
    let from = place.start;
    for (let next = index; (known[next]?.start ?? Infinity) < place.end; next += 1) {
      const { start = from, end = from } = known[next] ?? {};
      if (start - from >= PIECE) left.push({ ...place, start: from, end: start });
      from = Math.max(from, end);
    }
    const isWhole = from === place.start;
    if (place.end - from >= (isWhole ? 1 : PIECE)) left.push({ ...place, start: from });
    return left;
  });
};

/** A shorter remainder beside a known value is left as it is. */
export const PIECE = 16;
