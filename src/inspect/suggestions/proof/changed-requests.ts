import { append, emptyHistory, HistoryView } from '../../../base/collections/history.ts';
import type { ModelRequest } from '../../../contracts/models/model.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';

/** A request without a tool. */
export const withoutTool = (tool: string, request: ModelRequest): ModelRequest => ({
  ...request,
  tools: request.tools.filter(({ name }) => name !== tool),
});

/**
 * Puts what changes from request to request at its end: lines of the instructions that not all of the recorded ones have come after the
 * conversation, and tools are in the order of their names.
 */
export const withSteadyBeginning = (
  recorded: readonly Pick<WholeRequest, 'instructions'>[],
): ((request: ModelRequest) => ModelRequest) => {
  const [first = '', ...others] = recorded.map(({ instructions }) => instructions);
  const sets = others.map((each) => new Set(each.split('\n')));
  const steady = new Set(first.split('\n').filter((line) => sets.every((lines) => lines.has(line))));
  return (request) => {
    const lines = request.instructions.split('\n');
    const moved = lines.filter((line) => !steady.has(line));
    const tools = request.tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    if (moved.length === 0) return { ...request, tools };
    const turn: Turn = { role: 'user', from: 'runtime', text: moved.join('\n') };
    return {
      ...request,
      tools,
      instructions: lines.filter((line) => steady.has(line)).join('\n'),
      messages: withTurn(request.messages, turn),
    };
  };
};

const withTurn = (messages: ModelRequest['messages'], turn: Turn): ModelRequest['messages'] =>
  new HistoryView(append(messages.history, turn));

/** A request of the judge of a router, which is not shown one of the members. */
export const withoutMember = (member: string, request: ModelRequest): ModelRequest => ({
  ...request,
  messages: new HistoryView(
    append(
      emptyHistory<Turn>(),
      ...request.messages
        .toArray()
        .map((turn) => (turn.role === 'user' ? { ...turn, text: withoutCard(member, turn.text) } : turn)),
    ),
  ),
});

/** The text without the lines of a member: from its name to the name of the next. */
const withoutCard = (member: string, text: string): string => {
  let isWithin = false;
  const lines = text.split('\n').filter((line) => {
    if (line.startsWith('- ') || line.trim() === '')
      isWithin = line === `- ${member}` || line.startsWith(`- ${member}:`);
    return !isWithin;
  });
  return lines.join('\n');
};
