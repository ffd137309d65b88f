import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import { protocol } from '../../src/tools/messages/protocol.ts';

declare const context: ToolContext;

const review = protocol({
  from: 'writer',
  to: 'critic',
  messages: {
    draft: { schema: z.object({ words: z.number() }), reply: z.object({ isGood: z.boolean() }) },
    note: { schema: z.object({ text: z.string() }) },
  },
});

test('[KAIZEN-82] a protocol has its messages, and no others', () => {
  expectTypeOf(review.tell).parameter(1).toEqualTypeOf<'draft' | 'note'>();
  // @ts-expect-error there is no such message
  void review.tell(context, 'applause', { text: 'bravo' });
  // @ts-expect-error there is no such question
  void review.ask(context, 'applause', { text: 'bravo' });
});

test('[KAIZEN-82] only what has a reply can be asked', () => {
  expectTypeOf(review.ask<'draft'>)
    .parameter(1)
    .toEqualTypeOf<'draft'>();
  // @ts-expect-error it has no reply
  void review.ask(context, 'note', { text: 'thank you' });
});

test('[KAIZEN-82] what is said fits the message', () => {
  expectTypeOf(review.tell<'note'>)
    .parameter(2)
    .toEqualTypeOf<{ text: string }>();
  // @ts-expect-error words are a number
  void review.tell(context, 'draft', { words: 'three' });
  // @ts-expect-error that is the other message
  void review.tell(context, 'note', { words: 3 });
  // @ts-expect-error it says nothing
  void review.ask(context, 'draft', {});
  // @ts-expect-error what kind it is says the protocol
  void review.tell(context, 'note', { text: 'thank you' }, { kind: 'status' });
});

test('[KAIZEN-82] what comes back is of the type of the reply', () => {
  expectTypeOf(review.ask(context, 'draft', { words: 3 })).resolves.toEqualTypeOf<{ isGood: boolean }>();
  // @ts-expect-error it is no text
  const wrong = async (): Promise<string> => review.ask(context, 'draft', { words: 3 });
  expectTypeOf(wrong).toBeFunction();
});
