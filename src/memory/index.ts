/** Memories that an agent keeps beside its conversation, and processors that select what of it its model is shown. */

// Memories
export { windowMemory } from './memories/window-memory.ts';
export { summaryMemory } from './memories/summary-memory.ts';
export { vectorMemory } from './memories/vector-memory.ts';
export { notesMemory } from './memories/notes-memory.ts';
export { keyValueMemory } from './memories/key-value-memory.ts';
export { hashingEmbedder } from './memories/hashing-embedder.ts';
export { memorySource } from './memories/memory-source.ts';
export { recall } from './memories/recall.ts';

// Their building blocks
export type {
  Embedder,
  Memory,
  MemoryRecord,
  MemorySource,
  Reranker,
  VectorIndex,
} from '../contracts/conversations/memory.ts';

// Conversations across runs
export { threads } from './threads/threads.ts';
export { modelTitle } from './threads/model-title.ts';
export type { Threads } from '../contracts/conversations/thread.ts';

// What several agents share
export { insightMemory } from './memories/insight-memory.ts';
export { queryInsights } from './memories/insights.ts';

// Message processors
export { compactionPresets } from './processors/compaction-presets.ts';
export { budgetLadder } from './processors/budget-ladder.ts';
export { dropOldToolCycles } from './processors/drop-old-tool-cycles.ts';
export { filterTurns } from './processors/filter-turns.ts';
export { keepLast } from './processors/keep-last.ts';
export { keepSteps } from './processors/keep-steps.ts';
export { summariseOlder } from './processors/summarise-older.ts';
export { truncateTools } from './processors/truncate-tools.ts';
export { modelSummariser } from './processors/model-summariser.ts';
export { project } from './processors/project.ts';
export type { Processor, Summariser, TokenCounter } from '../contracts/conversations/processor.ts';
