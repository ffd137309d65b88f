import { append, emptyHistory, HistoryView } from '../../contracts/history.ts';
import { toJson } from '../../contracts/json.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../contracts/model.ts';
import type { Strategy } from '../../contracts/strategy.ts';
import type { Transcript, Turn } from '../../contracts/transcript.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { andThen } from '../promises.ts';
import { parseReasoning, REASONING_FORMAT } from './reasoning.ts';
import { withoutCalls } from './single-shot.ts';

/**
 * First reasoning, in a step of its own and without tools; then tools and the answer, with the reasoning in the conversation.
 *
 * Whatever is new to think about (a message, a critic's note) is reasoned about anew. `parseReasoning` reads what was thought.
 *
 * @example agent({ name: 'planner', strategy: chainOfThought(), tools: [search] })
 */
export const chainOfThought = (): Strategy => ({ name: 'chain-of-thought', model: reasoning });

const reasoning = (model: Model): Model =>
  wrapModel(model, (request, call) =>
    hasReasoned(request.messages)
      ? model.answer(after(request), call)
      : andThen(model.answer(before(request), call), thought),
  );

/** Whether the model has said anything since somebody else did. */
const hasReasoned = (messages: Transcript): boolean => {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const turn = messages.at(at);
    if (turn?.role === 'assistant') return true;
    if (turn?.role === 'user' && turn.from !== 'runtime' && turn.from !== 'observation') return false;
  }
  return false;
};

const before = (request: ModelRequest): ModelRequest => ({
  ...request,
  output: undefined,
  toolChoice: 'none',
  messages: and(
    request.messages,
    `Before you do anything, think. Do not answer yet. Write:\n${REASONING_FORMAT}`,
  ),
});

/** The reasoning is the last word only once: then the answer is asked for. */
const after = (request: ModelRequest): ModelRequest => {
  const last = request.messages.at(-1);
  return last?.role === 'assistant' && last.calls === undefined
    ? { ...request, messages: and(request.messages, 'Now act on your decision, or give the answer.') }
    : request;
};

const thought = (answer: ModelAnswer): ModelAnswer => {
  if (answer.finish !== 'stop' && answer.finish !== 'tool-calls' && answer.finish !== 'length') return answer;
  const { text } = answer;
  if (text.trim() === '') return withoutCalls(answer);
  return { ...answer, calls: [], finish: 'pause', metadata: toJson({ reasoning: parseReasoning(text) }) };
};

const and = (messages: Transcript, text: string): Transcript =>
  new HistoryView(append<Turn>(emptyHistory(), ...messages, { role: 'user', from: 'runtime', text }));
