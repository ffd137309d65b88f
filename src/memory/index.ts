/** Memories that an agent keeps beside its conversation, and processors that select what of it its model is shown. */

// Memories
export { windowMemory } from './memories/window-memory.ts';
export type { WindowMemoryOptions } from './memories/window-memory.ts';
export { summaryMemory } from './memories/summary-memory.ts';
export type { SummaryMemoryOptions } from './memories/summary-memory.ts';
export { vectorMemory } from './memories/vector-memory.ts';
export type { VectorMemoryOptions } from './memories/vector-memory.ts';
export { notesMemory } from './memories/notes-memory.ts';
export type { NotesMemoryOptions } from './memories/notes-memory.ts';
export { keyValueMemory } from './memories/key-value-memory.ts';
export type { KeyValueMemory, KeyValueMemoryOptions } from './memories/key-value-memory.ts';
export { hashingEmbedder } from './memories/hashing-embedder.ts';
export type { HashingEmbedderOptions } from './memories/hashing-embedder.ts';
export { memorySource } from './memories/memory-source.ts';
export type { MemoryFile, MemoryOptions } from './memories/memory-source.ts';
export { recall } from './memories/recall.ts';
export type { RecallOptions } from './memories/recall.ts';

// Their building blocks
export type {
  Embedder,
  KeyValueFiles,
  Memory,
  MemoryBlock,
  MemoryKind,
  MemoryPlace,
  MemoryRecord,
  MemoryScope,
  MemorySource,
  RecallFacts,
  RecallPolicy,
  VectorIndex,
} from '../contracts/conversations/memory.ts';

// Conversations across runs
export { threads } from './threads/threads.ts';
export type { ThreadsOptions } from './threads/threads.ts';
export { modelTitle } from './threads/model-title.ts';
export type {
  NewThread,
  SaidTurn,
  SaidTurns,
  SkippedLine,
  Thread,
  ThreadEntry,
  ThreadQuery,
  Threads,
  ThreadTurn,
} from '../contracts/conversations/thread.ts';

// What several agents share
export { insightMemory } from './memories/insight-memory.ts';
export type { InsightMemory, InsightMemoryOptions } from './memories/insight-memory.ts';
export { insightBounds, queryInsights } from './memories/insights.ts';
export type { Insight, InsightBounds, InsightQuery, InsightStatistics } from './memories/insights.ts';
export { advanceCursor, cursorOf, perspective } from './processors/perspective.ts';
export type { Cursors, Perspective, PerspectiveOptions, Utterance } from './processors/perspective.ts';
export { routingContext } from './processors/routing-context.ts';
export type { RoutedTurn, RoutingContext } from './processors/routing-context.ts';

// Message processors
export { compactionPresets, presetProcessors } from './processors/compaction-presets.ts';
export { budgetLadder, defaultRungs } from './processors/budget-ladder.ts';
export { dropOldToolCycles } from './processors/drop-old-tool-cycles.ts';
export { filterTurns } from './processors/filter-turns.ts';
export { keepLast } from './processors/keep-last.ts';
export { keepSteps } from './processors/keep-steps.ts';
export { summariseOlder } from './processors/summarise-older.ts';
export type { SummariseOlderOptions } from './processors/summarise-older.ts';
export { truncateTools } from './processors/truncate-tools.ts';
export { modelSummariser } from './processors/model-summariser.ts';
export { project } from './processors/project.ts';
export type { Projection, ProjectOptions } from './processors/project.ts';
export type {
  CompactionOptions,
  CompactionPreset,
  Processor,
  ProjectionFacts,
  ProjectionNote,
  Summarised,
  Summariser,
  Summary,
  SummaryRequest,
  TokenBudget,
  TokenCounter,
  TurnBlock,
} from '../contracts/conversations/processor.ts';

// Tokens
export { estimatingCounter, TurnCounter } from './tokens/count-tokens.ts';
export { budgetFor, modelLimits } from './tokens/model-limits.ts';
export type { ModelLimit } from './tokens/model-limits.ts';
