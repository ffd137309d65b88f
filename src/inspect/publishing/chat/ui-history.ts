import { isJsonObject } from '../../../base/json/json.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { UiMessageIn, UiPartIn } from './ui-message-in.ts';
import { textOfContent } from './text-of-content.ts';
import { contentOf, textOfPart, toolPartOf } from './ui-message-in.ts';

/**
 * Converts messages of a chat to turns of a conversation, as the option `history` takes them.
 *
 * Calls without a result are left out, and so is what members of a team said and called, unless nothing else was said.
 */
export const historyOf = (messages: readonly UiMessageIn[]): readonly Turn<GivenPart>[] => {
  let calls = 0;
  const numbered = (): string => {
    calls += 1;
    // Ids of a client may be of any form, and providers refuse some.
    return `ui_${calls}`;
  };
  return messages.flatMap((message) =>
    message.role === 'user' ? [userTurn(message)] : assistantTurns(message, numbered),
  );
};

const userTurn = (message: UiMessageIn): Turn<GivenPart> => {
  const content = contentOf(message);
  if (typeof content === 'string') return { role: 'user', text: content };
  return { role: 'user', text: textOfContent(content), parts: content };
};

const assistantTurns = ({ parts }: UiMessageIn, numbered: () => string): readonly Turn<GivenPart>[] => {
  const own = parts.filter((part) => !isOfMember(part) && !isDiscarded(part));
  const isSilent = own.every(({ type }) => type !== 'text');
  return stepsOf(isSilent ? parts.filter((part) => !isDiscarded(part)) : own).flatMap((step) =>
    turnsOf(step, numbered),
  );
};

const turnsOf = (step: readonly UiPartIn[], numbered: () => string): readonly Turn<GivenPart>[] => {
  const text = step
    .map(textOfPart)
    .filter((each) => each !== '')
    .join('\n\n');
  const called = step.flatMap((part) => {
    const call = toolPartOf(part);
    return call?.text === undefined || call.isOfMember ? [] : [{ ...call, text: call.text, id: numbered() }];
  });
  if (text === '' && called.length === 0) return [];
  const calls = called.map(({ id, tool, input }) => ({ id, name: tool, input }));
  return [
    { role: 'assistant', text, ...(calls.length === 0 ? {} : { calls }) },
    ...called.map(({ id, tool, text: result, isFailed }) => ({
      role: 'tool' as const,
      callId: id,
      tool,
      text: result,
      ...(isFailed ? { failed: true } : {}),
    })),
  ];
};

const stepsOf = (parts: readonly UiPartIn[]): readonly (readonly UiPartIn[])[] => {
  const steps: UiPartIn[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
};

const markOf = ({ providerMetadata }: UiPartIn) => {
  const mark = isJsonObject(providerMetadata) ? providerMetadata['troupe'] : undefined;
  return isJsonObject(mark) ? mark : {};
};

const isOfMember = (part: UiPartIn): boolean => typeof markOf(part)['path'] === 'string';

const isDiscarded = (part: UiPartIn): boolean => markOf(part)['isDiscarded'] === true;
