import * as z from 'zod/mini';
import type { Letter } from '../../../contracts/journals/journal.ts';
import type { Json } from '../../../base/json/json.ts';
import { byOf } from '../../../contracts/people/check-answer.ts';
import type { Run } from '../../run/run.ts';
import type { PersonAnswer } from '../../people/request-book.ts';
import type { RunJournal } from '../write/run-journal.ts';

const json: z.ZodMiniType<Json> = z.json();
const by = z.optional(z.object({ name: z.string(), roles: z.optional(z.readonly(z.array(z.string()))) }));

/** Content of a letter to a run. `id` is that of a request. */
export const letterSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), from: z.string(), text: z.string(), path: z.optional(z.string()) }),
  z.object({ kind: z.literal('abort'), reason: z.string() }),
  z.object({ kind: z.literal('pause') }),
  z.object({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('approve'), id: z.string(), input: z.optional(json), by }),
  z.object({ kind: z.literal('deny'), id: z.string(), reason: z.optional(z.string()), by }),
  z.object({ kind: z.literal('answer'), id: z.string(), text: z.string() }),
]);

/** Content of a letter to a run. */
export type LetterContent = z.infer<typeof letterSchema>;

/**
 * Delivers a letter to its run. The commit that records its effect removes it; a letter that is unreadable or addressed to nobody is
 * removed, and an event says so.
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
    case 'pause':
    case 'resume':
      run[content.kind]();
      onTaken();
      break;
    default: {
      const said = answerOf(content);
      const refused = run.person.settle(content.id, { said, at: letter.at, onTaken });
      if (refused === undefined) break;
      run.person.refuse(refused, content.id, said);
      onTaken();
    }
  }
};

/** The parsed letter; undefined if it is not readable. */
const letterIn = ({ text }: Letter): LetterContent | undefined => {
  try {
    return letterSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const answerOf = (content: Extract<LetterContent, { kind: 'approve' | 'deny' | 'answer' }>): PersonAnswer => {
  switch (content.kind) {
    case 'approve':
      return {
        isApproved: true,
        ...(content.input === undefined ? {} : { input: content.input }),
        ...byOf(content.by),
      };
    case 'deny':
      return {
        isApproved: false,
        ...(content.reason === undefined ? {} : { reason: content.reason }),
        ...byOf(content.by),
      };
    case 'answer':
      return { text: content.text };
  }
};
