import type { History } from '../../base/collections/history.ts';
import { append, HistoryView } from '../../base/collections/history.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';
import type { Desk } from '../desk.ts';
import { continuationTurns } from './broken-off.ts';
import type { ModelAttempt } from './next-attempt.ts';
import { stepPrompt } from './prompt-facts.ts';
import { choiceOfTools } from './tool-choice.ts';

/** The request of one attempt of a model call, of the part of the conversation that is shown, without copying messages. */
export const modelRequest = (
  shown: History<Turn>,
  context: AgentContext,
  { nudge, partial }: Pick<ModelAttempt, 'nudge' | 'partial'>,
  desk: Desk,
): ModelRequest => {
  const { definition } = desk;
  const tools = desk.tools.specsIn(context.history);
  const toolChoice = choiceOfTools(context, definition, tools);
  const notes = [nudge ?? '', stepPrompt(context, desk)].filter((text) => text !== '');
  const noted =
    notes.length === 0
      ? shown
      : append<Turn>(shown, ...notes.map((text): Turn => ({ role: 'user', from: 'runtime', text })));
  const said = partial === undefined ? noted : append<Turn>(noted, ...continuationTurns(partial));
  return {
    instructions: desk.systemPrompt,
    messages: new HistoryView(said),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    output: definition.output?.spec,
    settings: definition.settings,
  };
};
