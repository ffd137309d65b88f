/** Memories that an agent keeps beside its conversation, and processors that select what of it its model is shown. */

// Memories
export { windowMemory } from './window-memory.ts';
export type { WindowMemoryOptions } from './window-memory.ts';
export { summaryMemory } from './summary-memory.ts';
export type { SummaryMemoryOptions } from './summary-memory.ts';
export { vectorMemory } from './vector-memory.ts';
export type { VectorMemoryOptions } from './vector-memory.ts';
export { notesMemory } from './notes-memory.ts';
export type { NotesMemoryOptions } from './notes-memory.ts';
export { keyValueMemory } from './key-value-memory.ts';
export type { KeyValueMemory, KeyValueMemoryOptions } from './key-value-memory.ts';
export { hashingEmbedder } from './hashing-embedder.ts';
export type { HashingEmbedderOptions } from './hashing-embedder.ts';
export { memorySource } from './memory-source.ts';
export type { MemoryFile, MemoryOptions } from './memory-source.ts';
export { recall } from './recall.ts';
export type { RecallOptions } from './recall.ts';

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
} from '../contracts/memory.ts';

// Conversations across runs
export { threads } from './threads.ts';
export type { ThreadsOptions } from './threads.ts';
export { modelTitle } from './model-title.ts';
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
} from '../contracts/thread.ts';

// What several agents share
export { insightMemory } from './insight-memory.ts';
export type { InsightMemory, InsightMemoryOptions } from './insight-memory.ts';
export { insightBounds, queryInsights } from './insights.ts';
export type { Insight, InsightBounds, InsightQuery, InsightStatistics } from './insights.ts';
export { advanceCursor, cursorOf, perspective } from './perspective.ts';
export type { Cursors, Perspective, PerspectiveOptions, Utterance } from './perspective.ts';
export { routingContext } from './routing-context.ts';
export type { RoutedTurn, RoutingContext } from './routing-context.ts';

// Message processors
export { compactionPresets, presetProcessors } from './compaction-presets.ts';
export { budgetLadder, defaultRungs } from './budget-ladder.ts';
export { dropOldToolCycles } from './drop-old-tool-cycles.ts';
export { filterTurns } from './filter-turns.ts';
export { keepLast } from './keep-last.ts';
export { keepSteps } from './keep-steps.ts';
export { summariseOlder } from './summarise-older.ts';
export type { SummariseOlderOptions } from './summarise-older.ts';
export { truncateTools } from './truncate-tools.ts';
export { modelSummariser } from './model-summariser.ts';
export { project } from './project.ts';
export type { Projection, ProjectOptions } from './project.ts';

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
} from '../contracts/processor.ts';

// Tokens
export { estimatingCounter, TurnCounter } from './count-tokens.ts';
export { budgetFor, modelLimits } from './model-limits.ts';
export type { ModelLimit } from './model-limits.ts';
