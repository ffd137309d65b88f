import * as z from 'zod/mini';
import type { Approver } from '../../../contracts/people/approval-terms.ts';
import type { Letter } from '../../../contracts/journals/journal.ts';
import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { Redactor, Secrets } from '../../../contracts/secrets/redactor.ts';
import type { SecretKey } from '../../../contracts/secrets/secret-key.ts';
import { openData, sealData } from '../../../persistence/sealed-data.ts';
import type { LetterContent } from './letters.ts';

const placeOf = (runId: string): string => `${runId}\nletter`;

/** Serializes a letter: its content is sealed, the id of its request stays readable. */
export const letterText = async (
  content: LetterContent,
  runId: string,
  { redactor, key }: { readonly redactor: Redactor; readonly key: SecretKey | undefined },
): Promise<string> => {
  // The content of a letter is JSON.
  const data = content as Json;
  const sealed = await sealData(data, { place: placeOf(runId), redactor, key, isUnknown: true });
  if (sealed === data || !isJsonObject(sealed) || !('id' in content)) return JSON.stringify(sealed);
  return JSON.stringify({ ...sealed, id: content.id });
};

/** Decrypts letters; one that cannot be opened is returned unchanged, and is unreadable. */
export const openLetters = (
  letters: readonly Letter[],
  known: { readonly secrets: Secrets; readonly key: SecretKey | undefined },
): Promise<readonly Letter[]> =>
  Promise.all(
    letters.map(async (letter) => {
      try {
        // A letter is JSON, or unreadable.
        const data = JSON.parse(letter.text) as Json;
        const { data: opened } = await openData(data, { place: placeOf(letter.runId), ...known });
        return opened === data ? letter : { ...letter, text: JSON.stringify(opened) };
      } catch {
        return letter;
      }
    }),
  );

/** An answer that a letter brings, as far as it can be read without a key. */
export interface PostedAnswer {
  /** The request. */
  readonly id: string;
  /** The person who approves, if they said who they are. */
  readonly by?: Approver | undefined;
  readonly isDenied: boolean;
}

/** The answer that a letter brings; undefined for a letter that answers nothing. */
export const answerIn = ({ text }: Letter): PostedAnswer | undefined => {
  try {
    const { data } = postedSchema.safeParse(JSON.parse(text));
    if (data === undefined) return undefined;
    const { id, kind, by } = data;
    return { id, isDenied: kind === 'deny', ...(kind === 'approve' && by !== undefined ? { by } : {}) };
  } catch {
    return undefined;
  }
};

const postedSchema = z.object({
  id: z.string(),
  kind: z.optional(z.string()),
  by: z.optional(z.object({ name: z.string(), roles: z.optional(z.array(z.string())) })),
});
