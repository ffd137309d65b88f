import type { EventBody } from '../contracts/event.ts';
import type { Model, ModelAnswer } from '../contracts/model.ts';

type Body<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;

/** A model as events name it. */
export const nameOf = (model: Model): string => `${model.provider}:${model.id}`;

/** The event of a model that is asked. */
export const askedEvent = (
  model: Model,
  key: string,
  messages: number,
  attempt: number,
): Body<'model.asked'> => ({ type: 'model.asked', model: nameOf(model), key, messages, attempt });

/** The events of a model that has answered. */
export const answeredEvent = (
  model: Model,
  key: string,
  answer: ModelAnswer,
  took: { readonly costUsd: number | undefined; readonly durationMs: number },
): Body<'model.answered'> => ({
  type: 'model.answered',
  model: answer.model ?? nameOf(model),
  key,
  text: answer.text,
  ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
  calls: answer.calls.length,
  finish: answer.finish,
  usage: answer.usage,
  ...(took.costUsd === undefined ? {} : { costUsd: took.costUsd }),
  durationMs: took.durationMs,
});
