import { oneOf, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import { toJson } from '../../base/json/json.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import type { Transcript, Turn } from '../../contracts/conversations/transcript.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { andThen } from '../../base/promises/thenable.ts';
import type { Reasoning, RoutingReasoning } from './reasoning.ts';
import { parseReasoning, parseRouting, REASONING_FORMAT, ROUTING_FORMAT } from './reasoning.ts';
import { withoutCalls } from './single-shot.ts';

/** Options of {@link chainOfThought}. */
export interface ChainOfThoughtOptions {
  /** `work` (default): situation, options, decision, confidence. `routing`: candidates, the best fit, the phase. */
  readonly form?: 'work' | 'routing' | undefined;
}

const check = optionsCheck<ChainOfThoughtOptions>(
  { code: 'agent.invalid', owner: 'the strategy chainOfThought' },
  () => ({ form: optional(oneOf(['work', 'routing'])) }),
);

/**
 * Reasons first, in a separate step without tools; then come tools and the answer, with the reasoning in the conversation.
 *
 * Anything new (a message, a critic's note) starts another reasoning step. The reasoning is the answer's metadata, as parsed by
 * `parseReasoning` or `parseRouting`: traces and recordings have it (`raw`), a hook by `scope.sent`.
 *
 * @example agent({ name: 'planner', strategy: chainOfThought(), tools: [search] })
 * @example agent({ name: 'router', strategy: [chainOfThought({ form: 'routing' }), routing()] })
 *
 * @throws {TroupeError} `agent.invalid` for a form that there is not.
 */
export const chainOfThought = (options: ChainOfThoughtOptions = {}): Strategy => {
  const { form = 'work' } = check(options);
  return { name: 'chain-of-thought', model: (model) => reasoning(model, FORMS[form]) };
};

interface Form {
  readonly asks: string;
  readonly read: (text: string) => Reasoning | RoutingReasoning;
}

const FORMS: Readonly<Record<'work' | 'routing', Form>> = {
  work: { asks: REASONING_FORMAT, read: parseReasoning },
  routing: { asks: ROUTING_FORMAT, read: parseRouting },
};

const reasoning = (model: Model, form: Form): Model =>
  wrapModel(model, (request, call) =>
    hasReasoned(request.messages)
      ? model.answer(after(request), call)
      : andThen(model.answer(before(request, form), call), (answer) => withReasoning(answer, form)),
  );

/** Checks whether the model has answered since the last message of another party. */
const hasReasoned = (messages: Transcript): boolean => {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const turn = messages.at(at);
    if (turn?.role === 'assistant') return true;
    if (turn?.role === 'user' && turn.from !== 'runtime' && turn.from !== 'observation') return false;
  }
  return false;
};

const before = (request: ModelRequest, { asks }: Form): ModelRequest => ({
  ...request,
  output: undefined,
  toolChoice: 'none',
  messages: and(request.messages, `Before you do anything, think. Do not answer yet. Write:\n${asks}`),
});

/** Asks for the answer once, when the reasoning is the last turn. */
const after = (request: ModelRequest): ModelRequest => {
  const last = request.messages.at(-1);
  return last?.role === 'assistant' && last.calls === undefined
    ? { ...request, messages: and(request.messages, 'Now act on your decision, or give the answer.') }
    : request;
};

const withReasoning = (answer: ModelAnswer, { read }: Form): ModelAnswer => {
  if (answer.finish !== 'stop' && answer.finish !== 'tool-calls' && answer.finish !== 'length') return answer;
  const { text } = answer;
  if (text.trim() === '') return withoutCalls(answer);
  return { ...answer, calls: [], finish: 'pause', metadata: toJson({ reasoning: read(text) }) };
};

const and = (messages: Transcript, text: string): Transcript =>
  new HistoryView(append<Turn>(emptyHistory(), ...messages, { role: 'user', from: 'runtime', text }));
