import * as z from 'zod';
import type { Letter } from '../../../contracts/journal.ts';
import type { Json } from '../../../contracts/json.ts';
import type { Run } from '../../run/run.ts';
import type { Said } from '../../people/request-book.ts';
import type { RunJournal } from '../write/run-journal.ts';

const json: z.ZodType<Json> = z.json();

/** What a letter to a run can say. `id` is that of a request. */
export const letterSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), from: z.string(), text: z.string(), path: z.string().optional() }),
  z.object({ kind: z.literal('abort'), reason: z.string() }),
  z.object({ kind: z.literal('approve'), id: z.string(), input: json.optional() }),
  z.object({ kind: z.literal('deny'), id: z.string(), reason: z.string().optional() }),
  z.object({ kind: z.literal('answer'), id: z.string(), text: z.string() }),
]);

/** What a letter to a run says. */
export type LetterContent = z.infer<typeof letterSchema>;

/**
 * Hands a letter to the run that it is for. It is removed with the commit that has what it brought; what cannot be read, or is
 * for nobody, is removed and an event says so.
 */
export const takeLetter = (letter: Letter, run: Run, journal: RunJournal): void => {
  const content = letterIn(letter);
  const onTaken = (): void => {
    journal.tookLetter(letter.id);
  };
  if (content === undefined) {
    run.person.refuse('it cannot be read');
    onTaken();
    return;
  }
  switch (content.kind) {
    case 'message':
      run.mail.send({ from: content.from, text: content.text }, content.path);
      onTaken();
      break;
    case 'abort':
      run.abort(content.reason);
      onTaken();
      break;
    default: {
      const refused = run.person.settle(content.id, { said: saidIn(content), at: letter.at, onTaken });
      if (refused === undefined) break;
      run.person.refuse(refused, content.id);
      onTaken();
    }
  }
};

/** What a letter says; undefined where it cannot be read. */
export const letterIn = ({ text }: Letter): LetterContent | undefined => {
  try {
    return letterSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const saidIn = (content: Extract<LetterContent, { kind: 'approve' | 'deny' | 'answer' }>): Said => {
  switch (content.kind) {
    case 'approve':
      return { isApproved: true, ...(content.input === undefined ? {} : { input: content.input }) };
    case 'deny':
      return { isApproved: false, ...(content.reason === undefined ? {} : { reason: content.reason }) };
    case 'answer':
      return { text: content.text };
  }
};
