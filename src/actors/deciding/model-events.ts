import type { EventBody } from '../../contracts/events/event.ts';
import type { Model, ModelAnswer } from '../../contracts/models/model.ts';

type Body<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;

/** The name of a model in events. */
export const nameOf = (model: Model): string => `${model.provider}:${model.id}`;

/** The event of a model call. */
export const askedEvent = (
  model: Model,
  key: string,
  messages: number,
  attempt: number,
): Body<'model.asked'> => ({ type: 'model.asked', model: nameOf(model), key, messages, attempt });

/** The event of a model's answer. */
export const answeredEvent = (
  model: Model,
  key: string,
  answer: ModelAnswer,
  { costUsd, durationMs, cached }: Pick<Body<'model.answered'>, 'costUsd' | 'durationMs' | 'cached'>,
): Body<'model.answered'> => ({
  type: 'model.answered',
  model: answer.model ?? nameOf(model),
  key,
  text: answer.text,
  ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
  calls: answer.calls.length,
  finish: answer.finish,
  usage: answer.usage,
  ...(costUsd === undefined ? {} : { costUsd }),
  durationMs,
  ...(cached === undefined ? {} : { cached }),
  ...(answer.providerCalls === undefined ? {} : { providerCalls: answer.providerCalls }),
  ...(answer.omitted === undefined ? {} : { omitted: answer.omitted }),
});
