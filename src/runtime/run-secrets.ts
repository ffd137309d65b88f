import type { ErrorData } from '../contracts/error.ts';
import type { RuntimeEvent } from '../contracts/event.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';
import { StreamRedactor } from '../contracts/secrets/stream-redactor.ts';
import { redactorOf } from '../policy/redaction.ts';

/**
 * The secrets of a run, and the one place where they are taken out of what is told of it: its events, its errors, what its models
 * say in pieces, and what is kept for people to read.
 *
 * I1  What has no secret in it comes back as it is, the very same.
 * I2  Nothing is done before somebody looks: a run that nobody watches, and in which nothing fails, does not look for secrets.
 */
export class RunSecrets {
  readonly #given: Secrets | undefined;
  #found: Redactor | undefined;

  /** Beside those of the process's environment. */
  constructor(given?: Secrets) {
    this.#given = given;
  }

  get redactor(): Redactor {
    return (this.#found ??= redactorOf(undefined, this.#given));
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
