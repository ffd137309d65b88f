import { z } from 'zod';
import type { Letter } from '../../contracts/journal.ts';
import type { Run } from '../run.ts';
import type { RunJournal } from './run-journal.ts';

/** What a letter to a run can say. */
export const letterSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), from: z.string(), text: z.string(), path: z.string().optional() }),
  z.object({ kind: z.literal('abort'), reason: z.string() }),
  z.object({ kind: z.literal('approve'), callId: z.string() }),
  z.object({ kind: z.literal('deny'), callId: z.string(), reason: z.string().optional() }),
  z.object({ kind: z.literal('answer'), text: z.string() }),
]);

/** What a letter to a run says. */
export type LetterContent = z.infer<typeof letterSchema>;

/** Hands a letter to the run that it is for; what cannot be read, or is for nobody, is removed and nothing else. */
export const takeLetter = (letter: Letter, run: Run, journal: RunJournal): void => {
  const content = contentOf(letter);
  if (content !== undefined) deliver(content, run);
  journal.tookLetter(letter.id);
};

const contentOf = ({ text }: Letter): LetterContent | undefined => {
  try {
    return letterSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const deliver = (content: LetterContent, run: Run): void => {
  switch (content.kind) {
    case 'message':
      run.send({ from: content.from, text: content.text }, content.path);
      break;
    case 'abort':
      run.abort(content.reason);
      break;
    case 'approve':
      run.person.settle(content.callId, { isApproved: true });
      break;
    case 'deny':
      run.person.settle(content.callId, { isApproved: false, reason: content.reason });
      break;
    case 'answer':
      run.person.reply(content.text);
  }
};
