import type { ErrorData } from '../../contracts/error.ts';
import type { RuntimeEvent } from '../../contracts/event.ts';
import { isJsonObject } from '../../contracts/json.ts';
import type { Json } from '../../contracts/json.ts';
import type { FieldSecret } from '../../contracts/secrets/field-secret.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../contracts/secrets/stream-redactor.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import { SmallSet } from '../../contracts/small-set.ts';
import { redactorOf } from '../../policy/redaction.ts';
import type { SecretFields } from '../../tools/secret-fields.ts';

/**
 * The secrets of a run, and the one place where they are redacted from what is published of it: its events, its errors, what its models
 * say in pieces, and what is kept for people to read.
 *
 * I1  What has no secret in it comes back as it is, the very same.
 * I2  Nothing is done before somebody looks: a run that nobody watches, and in which nothing fails, does not look for secrets.
 * I3  What stood at a field that its schema marks as secret is taken out from then on, wherever it stands.
 */
export class RunSecrets {
  #given: Secrets | undefined;
  #found: Redactor | undefined;
  /** The run's own, which learns; the other is shared. */
  #own: Redactor | undefined;
  /** The values of fields, in the order in which they became known. */
  readonly hidden: FieldSecret[] = [];
  /** The same, by value. */
  readonly #fields = new SmallMap<string, FieldSecret>();
  readonly #names = new SmallSet<string>();
  readonly #seen = new SmallSet<string>();
  /** With each field that a value stood at. */
  readonly #all: FieldSecret[] = [];
  /** Learned when somebody looks. */
  #new: FieldSecret[] = [];
  readonly #told: ((secret: FieldSecret) => void)[] = [];

  /** Beside those of the process's environment. */
  constructor(given?: Secrets) {
    this.#given = given;
  }

  get redactor(): Redactor {
    this.#found ??= redactorOf(undefined, this.#given);
    if (this.#new.length > 0) {
      this.#found = this.#own ??= new Redactor(this.#found.secrets);
      this.#own.learn(this.#new);
      this.#new = [];
    }
    return this.#found;
  }

  /** What stands in a value at the fields that its schema marks as secret is one from now on; `whole` names a value that is one itself. */
  hide(fields: SecretFields | undefined, value: Json, whole: string): void {
    if (fields === undefined) return;
    for (const secret of fields.find(value))
      this.#learn(secret.name === '' ? { ...secret, name: whole } : secret);
  }

  /** A text is secret from now on. */
  hideText(text: string, name: string): void {
    const value = text.trim();
    if (value !== '') this.#learn({ name, field: '', value });
  }

  /** More is known from now on, by names under which whoever goes on with the run knows it, too. */
  give(secrets: Secrets): void {
    const given = this.#given ?? {};
    const found = Object.entries(secrets).filter(([name, value]) => given[name] !== value);
    if (found.length === 0) return;
    this.#given = { ...given, ...Object.fromEntries(found) };
    this.#found = undefined;
    this.#own = undefined;
    this.#new = [...this.#all];
    for (const next of this.#told) for (const [name, value] of found) next({ name, field: '', value });
  }

  /** What was hidden in the run before, by the names that it had then. */
  know(secrets: Secrets): void {
    for (const [name, value] of Object.entries(secrets)) this.#learn({ name, field: fieldOf(name), value });
  }

  /** Calls `next` with each secret that only this run knows, at once and as it becomes known. */
  tell(next: (secret: FieldSecret) => void): void {
    for (const [name, value] of Object.entries(this.#given ?? {})) next({ name, field: '', value });
    for (const secret of this.hidden) next(secret);
    this.#told.push(next);
  }

  #learn(given: FieldSecret): void {
    const place = `${given.field}\n${given.value}`;
    if (this.#seen.has(place)) return;
    this.#seen.add(place);
    const before = this.#fields.get(given.value);
    const secret = { ...given, name: before?.name ?? this.#freeName(given.name) };
    if (before === undefined) {
      this.#fields.set(secret.value, secret);
      this.hidden.push(secret);
    }
    this.#all.push(secret);
    this.#new.push(secret);
    for (const next of this.#told) next(secret);
  }

  /** Several values of a field are distinguished. */
  #freeName(wanted: string): string {
    let name = wanted;
    for (let count = this.#names.size + 1; this.#names.has(name); count += 1) name = `${wanted} ${count}`;
    this.#names.add(name);
    return name;
  }

  text(text: string): string {
    return this.redactor.text(text);
  }

  value<Value>(value: Value): Value {
    return this.redactor.value(value);
  }

  /** What an event tells; who tells it, when and where, stays as it is. */
  event(event: RuntimeEvent): RuntimeEvent {
    const shown = this.redactor.value(event);
    if (shown === event) return event;
    const { v, type, seq, at, runId, path, agent } = event;
    const who = { v, seq, at, runId, path, agent };
    // An event of its type, but for what its texts say.
    return { ...shown, ...who, type } as RuntimeEvent;
  }

  error(error: ErrorData): ErrorData {
    return this.redactor.value(error);
  }

  /** What an effect gave: the failures in it are for people and models to read, all else is what the run goes on with. */
  answer(output: unknown): unknown {
    if (!isJsonObject(output)) return output;
    const { result, error, problems } = output;
    if (isJsonObject(result) && result['ok'] === false) return { ...output, result: this.value(result) };
    if (error !== undefined) return { ...output, error: this.value(error) };
    if (Array.isArray(problems) && problems.length > 0) return { ...output, problems: this.value(problems) };
    return output;
  }

  /** For a text that comes in pieces. */
  stream(): StreamRedactor {
    return new StreamRedactor(this.redactor);
  }
}

/** The last part of a name, without the number that distinguishes it. */
const fieldOf = (name: string): string => name.replace(/ \d+$/, '').split('.').at(-1) ?? '';
