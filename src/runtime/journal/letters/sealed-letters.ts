import type { Letter } from '../../../contracts/journal.ts';
import type { Json } from '../../../contracts/json.ts';
import { isJsonObject } from '../../../contracts/json.ts';
import type { Redactor, Secrets } from '../../../contracts/secrets/redactor.ts';
import type { SecretKey } from '../../../contracts/secrets/secret-key.ts';
import { openData, sealData } from '../../../persistence/sealed-data.ts';
import type { LetterContent } from './letters.ts';

const placeOf = (runId: string): string => `${runId}\nletter`;

/** The text of a letter: what it says is sealed, and the request that it answers can be read. */
export const letterText = async (
  content: LetterContent,
  runId: string,
  { redactor, key }: { readonly redactor: Redactor; readonly key: SecretKey | undefined },
): Promise<string> => {
  // What a letter says is JSON.
  const data = content as Json;
  const sealed = await sealData(data, { place: placeOf(runId), redactor, key, isUnknown: true });
  if (sealed === data || !isJsonObject(sealed) || !('id' in content)) return JSON.stringify(sealed);
  return JSON.stringify({ ...sealed, id: content.id });
};

/** Letters as they were before they were sealed; one that cannot be opened stays as it is, and cannot be read. */
export const openLetters = (
  letters: readonly Letter[],
  known: { readonly secrets: Secrets; readonly key: SecretKey | undefined },
): Promise<readonly Letter[]> =>
  Promise.all(
    letters.map(async (letter) => {
      try {
        // A letter is JSON, or cannot be read.
        const data = JSON.parse(letter.text) as Json;
        const { data: opened } = await openData(data, { place: placeOf(letter.runId), ...known });
        return opened === data ? letter : { ...letter, text: JSON.stringify(opened) };
      } catch {
        return letter;
      }
    }),
  );

/** The request that a letter answers, sealed or not. */
export const requestIn = ({ text }: Letter): string | undefined => {
  try {
    const data: unknown = JSON.parse(text);
    const id = isJsonObject(data) ? data['id'] : undefined;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
};
