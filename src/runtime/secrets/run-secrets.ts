import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import type { FieldSecret } from '../../contracts/secrets/field-secret.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../contracts/secrets/stream-redactor.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import { passThrown } from '../../contracts/errors/thrown-by.ts';
import { redactorOf } from '../../policy/redaction.ts';
import type { SecretFields } from '../../tools/schemas/secret-fields.ts';

/**
 * The secrets of a run, and the one place where they are redacted from what it publishes: events, errors, streamed deltas, and stored
 * titles.
 *
 * I1 A value without secrets is returned unchanged, as the same object.
 * I2 Nothing is searched before something is read: an unobserved run without failures does not look for secrets.
 * I3 The value of a secret field is redacted from then on, wherever it occurs.
 */
export class RunSecrets {
  #given: Secrets | undefined;
  #found: Redactor | undefined;
  /** The run's own redactor, which learns; the other is shared. */
  #own: Redactor | undefined;
  /** Values of secret fields, in order of discovery. */
  readonly hidden: FieldSecret[] = [];
  /** The same, by value. */
  readonly #fields = new SmallMap<string, FieldSecret>();
  readonly #names = new SmallSet<string>();
  readonly #seen = new SmallSet<string>();
  /** One entry per field in which a value occurred. */
  readonly #all: FieldSecret[] = [];
  /** Added to the redactor on the next access. */
  #new: FieldSecret[] = [];
  readonly #listeners: ((secret: FieldSecret) => void)[] = [];

  /** Secrets beside those in the process's environment. */
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

  /** Registers the values of the secret fields in `value`; `whole` names a value that is secret as a whole. */
  hide(fields: SecretFields | undefined, value: Json, whole: string): void {
    if (fields === undefined) return;
    for (const secret of fields.find(value))
      this.#learn(secret.name === '' ? { ...secret, name: whole } : secret);
  }

  /** Registers a text as secret. */
  hideText(text: string, name: string): void {
    const value = text.trim();
    if (value !== '') this.#learn({ name, field: '', value });
  }

  /** Adds secrets under names by which a process that resumes the run knows them, too. */
  give(secrets: Secrets): void {
    const given = this.#given ?? {};
    const found = Object.entries(secrets).filter(([name, value]) => given[name] !== value);
    if (found.length === 0) return;
    this.#given = { ...given, ...Object.fromEntries(found) };
    this.#found = undefined;
    this.#own = undefined;
    this.#new = [...this.#all];
    for (const next of this.#listeners) for (const [name, value] of found) next({ name, field: '', value });
  }

  /** Adds the secret fields of an earlier part of the run, with the names they had. */
  know(secrets: Secrets): void {
    for (const [name, value] of Object.entries(secrets)) this.#learn({ name, field: fieldOf(name), value });
  }

  /** Calls `next` with each secret that only this run knows, now and as they are added. */
  tell(next: (secret: FieldSecret) => void): void {
    for (const [name, value] of Object.entries(this.#given ?? {})) next({ name, field: '', value });
    for (const secret of this.hidden) next(secret);
    this.#listeners.push(next);
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
    for (const next of this.#listeners) next(secret);
  }

  /** Numbers the values of a field to distinguish them. */
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

  /** Redacts the content of an event; its envelope stays as it is. */
  event(event: RuntimeEvent): RuntimeEvent {
    const { v, seq, at, runId, path, agent, ...body } = event;
    const shown = this.redactor.value(body);
    // Only texts in it changed.
    return shown === body
      ? event
      : ({ v, seq, at, runId, path, agent, ...shown, type: event.type } as RuntimeEvent);
  }

  /** Redacts the content of an event that has no envelope yet. */
  content(body: EventBody): EventBody {
    const shown = this.redactor.value(body);
    // Only texts in it changed.
    return shown === body ? body : ({ ...shown, type: body.type } as EventBody);
  }

  error(error: ErrorData): ErrorData {
    const shown = this.redactor.value(error);
    return shown === error ? error : passThrown(error, shown);
  }

  /** Redacts the failures in an effect's answer, which people and models read; everything else is the run's data. */
  answer(output: unknown): unknown {
    if (!isJsonObject(output)) return output;
    const { result, error, problems } = output;
    if (isJsonObject(result) && result['ok'] === false) return { ...output, result: this.value(result) };
    if (error !== undefined) return { ...output, error: this.value(error) };
    if (Array.isArray(problems) && problems.length > 0) return { ...output, problems: this.value(problems) };
    return output;
  }

  /** A redactor for streamed text. */
  stream(): StreamRedactor {
    return new StreamRedactor(this.redactor);
  }
}

/** The last part of a name, without its number. */
const fieldOf = (name: string): string => name.replace(/ \d+$/, '').split('.').at(-1) ?? '';
