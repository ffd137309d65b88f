import type { Json } from '../../../base/json/json.ts';
import type { ToolContext } from '../../../contracts/tools/tool.ts';
import { fenceText, spoken } from '../../../contracts/conversations/speaker.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';

/** The input of a function that prepares a delegate's task. */
export interface GivingView {
  readonly task: string;
  /** Name of the delegating agent. */
  readonly agent: string;
  readonly conversation: readonly Turn[];
  readonly state: Json;
}

/**
 * The part of the delegating agent's conversation that a delegate sees.
 *
 * `task`: none, `summary`: the last three rounds, shortened, `conversation`: all; or a function that returns the whole
 * input.
 */
export type Sees = 'task' | 'summary' | 'conversation' | ((view: GivingView) => string | Promise<string>);

const ROUNDS = 3;
/** In characters, of one turn. */
const CUT = 500;

/** Builds the input of a delegate. */
export const inputFor = async (sees: Sees, task: string, context: ToolContext): Promise<string> => {
  if (sees === 'task') return task;
  const { conversation, agent, state } = context;
  if (typeof sees === 'function') return sees({ task, agent, conversation, state });
  const said =
    sees === 'conversation'
      ? conversation.map((turn) => lineOf(turn))
      : lastRounds(conversation).map(shortLine);
  const lines = said.filter((line) => line !== '');
  return lines.length === 0
    ? task
    : `${task}\n\nThe conversation of '${agent}' in which this came up:\n${lines.join('\n')}`;
};

/** A round starts with a message to the agent. */
const lastRounds = (conversation: readonly Turn[]): readonly Turn[] => {
  const starts = conversation.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return conversation.slice(starts.at(-ROUNDS) ?? 0);
};

const lineOf = (turn: Turn): string => {
  switch (turn.role) {
    case 'user':
      return turn.from === undefined ? `[user] ${fenceText(turn.text)}` : spoken(turn.from, turn.text);
    case 'assistant': {
      const calls = (turn.calls ?? []).map(({ name, input }) => `calls ${name} ${JSON.stringify(input)}`);
      const said = [...(turn.text === '' ? [] : [turn.text]), ...calls].join('; ');
      return said === '' ? '' : `[assistant] ${said}`;
    }
    case 'tool':
      return `[${turn.tool}${turn.failed === true ? ', failed' : ''}] ${fenceText(turn.text)}`;
  }
};

const shortLine = (turn: Turn): string => {
  if (turn.role === 'tool') return '';
  const line = lineOf(turn);
  return line.length <= CUT ? line : `${line.slice(0, CUT)} …`;
};
