import type { Model, ModelAnswer, ModelCall } from '../../contracts/models/model.ts';
import type { ThinkingOptions, ThinkingParser, ThinkingPiece } from './thinking.ts';
import { thinkingParser } from './thinking.ts';
import { wrapCall } from '../wrap-call.ts';
import { wrapModel } from '../wrap-model.ts';

/**
 * Separates thoughts that a model writes as `<think>` or `<thinking>` blocks within its text: they become its
 * `reasoning`, in streamed pieces as in the answer, and are removed from the text.
 *
 * Blocks may be nested, truncated, or split anywhere between pieces. `openaiChat` does this by itself.
 *
 * @example agent({ name: 'thinker', model: withThinking(localModel) })
 */
export const withThinking = (model: Model, options: ThinkingOptions = {}): Model =>
  wrapModel(model, (request, call) => {
    const parser = thinkingParser(options);
    const answer = model.answer(request, partDeltas(call, parser));
    return 'then' in answer
      ? answer.then((settled) => separateThoughts(settled, call, parser, options))
      : separateThoughts(answer, call, parser, options);
  });

/** The same call, its text taken apart on the way. */
const partDeltas = (call: ModelCall, parser: ThinkingParser): ModelCall =>
  wrapCall(call, {
    delta: (delta) => {
      if (delta.type === 'text') tell(parser.push(delta.text), call);
      else call.delta(delta);
    },
  });

const tell = ({ text, thinking }: ThinkingPiece, call: ModelCall): void => {
  if (thinking !== '') call.delta({ type: 'reasoning', text: thinking });
  if (text !== '') call.delta({ type: 'text', text });
  if (thinking === '' && text === '') call.delta({ type: 'progress' });
};

/** The whole answer is parsed again: a model need not have streamed all of it, or anything. */
const separateThoughts = (
  answer: ModelAnswer,
  call: ModelCall,
  streamed: ThinkingParser,
  options: ThinkingOptions,
): ModelAnswer => {
  tell(streamed.end(), call);
  const parser = thinkingParser(options);
  const text = parser.push(answer.text).text + parser.end().text;
  const thoughts = parser.blocks.map((block) => block.text).filter((thought) => thought !== '');
  if (parser.blocks.length === 0) return answer;
  const reasoning = [answer.reasoning ?? '', ...thoughts].filter((thought) => thought !== '').join('\n\n');
  return { ...answer, text: text.trim(), ...(reasoning === '' ? {} : { reasoning }) };
};
