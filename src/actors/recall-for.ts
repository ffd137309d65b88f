import { errorData } from '../contracts/error.ts';
import { HistoryView } from '../contracts/history.ts';
import type { MemoryBlock, MemoryKind } from '../contracts/memory.ts';
import type { Transcript } from '../contracts/transcript.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import type { Desk } from './desk.ts';

/** In ms: a memory that takes longer to be asked, or to have written the step before, is not waited for. */
const PATIENCE_MS = 5_000;

/** Resolves when the steps before this one are in the agent's memory; undefined where they are. Never rejects. */
export const writtenBefore = ({ memory, definition }: Desk): Promise<void> | undefined =>
  memory?.written(definition.recall.timeoutMs ?? PATIENCE_MS);

/** Has the agent's memory asked, where its policy says so in this step; undefined where not. Never rejects. */
export const recallFor = (context: AgentContext, desk: Desk): Promise<MemoryBlock> | undefined => {
  const { memory, definition } = desk;
  const { each = 'run', k = 8, kinds = TOLD, timeoutMs = PATIENCE_MS, query } = definition.recall;
  if (memory === undefined || k === 0 || (each === 'run' && context.step > 0)) return undefined;
  const transcript = new HistoryView(context.history);
  const { input, step } = context;
  let wanted: string;
  try {
    wanted = query === undefined ? lastSaid(transcript) : String(query({ input, step, transcript }));
  } catch (thrown) {
    const message = `Cannot recall anything for '${definition.name}' as its query threw`;
    const error = errorData(thrown, 'agent.threw', { message });
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

/** What was chosen and called is of no use without what came of it, and a run's end says what its task and answer say. */
const TOLD: readonly MemoryKind[] = ['task', 'observation', 'result', 'answer', 'fact', 'note'];

/** What the user, or another agent, said last; the runtime's own words are no question. */
const lastSaid = (transcript: Transcript): string => {
  for (let back = 1; back <= Math.min(transcript.length, FAR); back += 1) {
    const turn = transcript.at(-back);
    if (turn?.role === 'user' && !OWN.has(turn.from ?? '')) return turn.text;
  }
  return '';
};

const OWN: ReadonlySet<string> = new Set(['runtime', 'memory', 'critic']);

/** In turns. */
const FAR = 64;
