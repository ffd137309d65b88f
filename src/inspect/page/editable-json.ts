/** JSON as it was read, or what is wrong with it. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Reads JSON that a person wrote. A number that would become another one is refused. */
export const readJson = (text: string): ReadJson => {
  if (text.trim() === '') return { ok: false, problem: 'It is empty: write JSON.' };
  try {
    const value: unknown = JSON.parse(text);
    const inexact = inexactIn(value);
    return inexact === undefined
      ? { ok: true, value }
      : { ok: false, problem: `The number ${inexact} is too long to be kept exactly: write it as a text.` };
  } catch (thrown) {
    return { ok: false, problem: `It is not JSON: ${thrown instanceof Error ? thrown.message : ''}` };
  }
};

/** An integer beyond those that are exact, or a number beyond all of them. */
const inexactIn = (value: unknown): number | undefined => {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      ? undefined
      : value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of Object.values(value)) {
    const found = inexactIn(each);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A value as JSON to be edited, in which nothing is invisible: such characters are escapes, which read back as what they are. */
export const editableJson = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? '').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) =>
    found === '\n' ? found : Array.from({ length: found.length }, (_, at) => escapeOf(found, at)).join(''),
  );

const escapeOf = (text: string, at: number): string =>
  `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
