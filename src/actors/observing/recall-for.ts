import { errorData } from '../../contracts/errors/error.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { MemoryBlock, MemoryKind } from '../../contracts/conversations/memory.ts';
import type { Transcript } from '../../contracts/conversations/transcript.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';
import type { Desk } from '../desk.ts';

/** Longest wait for a memory to answer, or to write the previous step, in ms. */
const PATIENCE_MS = 5_000;

/** Resolves when the previous steps are in the agent's memory; undefined if they are. Never rejects. */
export const awaitWrites = ({ memory, definition }: Desk): Promise<void> | undefined =>
  memory?.written(definition.recall.timeoutMs ?? PATIENCE_MS);

/** Queries the agent's memory if its policy says so in this step; undefined otherwise. Never rejects. */
export const recallFor = (context: AgentContext, desk: Desk): Promise<MemoryBlock> | undefined => {
  const { memory, definition } = desk;
  const { each = 'run', k = 8, kinds = RECALLED, timeoutMs = PATIENCE_MS, query } = definition.recall;
  if (memory === undefined || k === 0 || (each === 'run' && context.step > 0)) return undefined;
  const transcript = new HistoryView(context.history);
  const { input, step } = context;
  let wanted: string;
  try {
    wanted = query === undefined ? lastMessage(transcript) : String(query({ input, step, transcript }));
  } catch (thrown) {
    const message = `Cannot recall anything for '${definition.name}' as its query threw`;
    const error = errorData(thrown, 'agent.threw', { message, operation: 'recall' });
    desk.emit({ type: 'memory.failed', memory: '', work: 'recall', error });
    return undefined;
  }
  return memory
    .recall(wanted, { k, isWanted: ({ kind }) => kinds.includes(kind), timeoutMs })
    .then((block) => {
      desk.emit({ type: 'memory.recalled', query: wanted, records: block.records.length });
      return block;
    });
};

/** Decisions and calls are useless without their results, and the end of a run repeats its task and answer. */
const RECALLED: readonly MemoryKind[] = ['task', 'observation', 'result', 'answer', 'fact', 'note'];

/** The last message of the user or another agent; the runtime's own messages are no query. */
const lastMessage = (transcript: Transcript): string => {
  for (let back = 1; back <= Math.min(transcript.length, FAR); back += 1) {
    const turn = transcript.at(-back);
    if (turn?.role === 'user' && !OWN.has(turn.from ?? '')) return turn.text;
  }
  return '';
};

const OWN: ReadonlySet<string> = new Set(['runtime', 'memory', 'critic']);

/** Number of turns searched. */
const FAR = 64;
