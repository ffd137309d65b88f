import { canonical } from '../../base/json/canonical.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';

/**
 * The arguments that a person means who edited those that the page shows, in which secrets are redacted: what was left as it was shown is
 * what it was. Undefined if nothing was changed.
 *
 * @throws {TroupeError} `input.invalid` where a redacted part was moved or edited: the mark would be used in place of the secret.
 */
export const editedInput = (edited: Json, original: Json, shown: Json): Json | undefined => {
  if (canonical(edited) === canonical(shown)) return undefined;
  const meant = restore(edited, original, shown);
  const mark = markIn(meant);
  if (mark === undefined) return meant;
  throw new TroupeError(
    'input.invalid',
    `Cannot take what was edited as ${mark} stands for a secret that is not shown: leave that value as it is, or write another in its place`,
  );
};

const restore = (edited: Json, original: Json | undefined, shown: Json | undefined): Json => {
  if (original === undefined || shown === undefined) return edited;
  if (canonical(edited) === canonical(shown)) return original;
  if (Array.isArray(edited) && Array.isArray(original) && Array.isArray(shown))
    return edited.map((each: Json, index) => restore(each, original[index], shown[index]));
  if (!isJsonObject(edited) || !isJsonObject(original) || !isJsonObject(shown)) return edited;
  return Object.fromEntries(
    Object.entries(edited).map(([name, each = null]) => [
      name,
      restore(each, fieldOf(original, name), fieldOf(shown, name)),
    ]),
  );
};

const fieldOf = (value: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;

const MARK = /\[redacted [^\]]*\]/;

/** The first mark of a secret in a value, in names too. */
export const markIn = (value: Json): string | undefined => MARK.exec(JSON.stringify(value))?.[0];
