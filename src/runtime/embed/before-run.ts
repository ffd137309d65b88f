import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { sealFields } from '../../persistence/field-vault.ts';
import { replaceSecrets } from '../../persistence/secret-references.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { Definition } from '../define/definition.ts';
import { hideInput } from '../secrets/hide-fields.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import type { LogicOptions } from './logic-options.ts';

/** The persisted form of a run that has not started: its input, with references in place of secrets. */
export class BeforeRun {
  readonly secrets: RunSecrets;
  readonly #input: unknown;
  #sealed: ReadonlyMap<string, string> = new Map();

  constructor(definition: Definition, runId: string, input: unknown, { secrets, secretKey }: LogicOptions) {
    this.#input = input;
    this.secrets = new RunSecrets(secrets);
    hideInput(this.secrets, definition, input);
    if (this.secrets.hidden.length > 0) void this.#seal(runId, secretKey);
  }

  /** The input to persist; values of secret fields are included once they are sealed, shortly after the actor was created. */
  keep(): Json {
    return replaceSecrets(toJson(this.#input), this.secrets.redactor, (name) => this.#sealed.get(name));
  }

  async #seal(runId: string, secretKey: LogicOptions['secretKey']): Promise<void> {
    try {
      const key = secretKeyOf(secretKey);
      if (key !== undefined) this.#sealed = await sealFields(runId, this.secrets.hidden, key);
    } catch {
      // The start of the run reports an invalid key.
    }
  }
}
