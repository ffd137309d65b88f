import type { AgentDefinition, CompactionDefinition } from '../../actors/agent-definition.ts';
import type { AgentOptions, ConversationOptions } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { MemorySource } from '../../contracts/conversations/memory.ts';
import type { Processor } from '../../contracts/conversations/processor.ts';
import { presetProcessors } from '../../memory/processors/compaction-presets.ts';

/**
 * The memories and recall policy of an agent.
 *
 * @throws {TroupeError} `agent.invalid` for two of one name.
 */
export const memoryFrom = (
  memory: AgentOptions['memory'] = [],
  name: string,
): Pick<AgentDefinition, 'memories' | 'recall'> => {
  const { sources = [], recall = {} } = isShort(memory) ? { sources: memory } : memory;
  const memories = [sources].flat();
  const known = new Set<string>();
  for (const source of memories) {
    const key = `${source.scope}/${source.name}`;
    if (known.has(key))
      throw new TroupeError(
        'agent.invalid',
        `Cannot define the agent '${name}' as two of its memories have one name: '${source.name}'`,
      );
    known.add(key);
  }
  return { memories, recall };
};

type Memory = NonNullable<AgentOptions['memory']>;

const isShort = (memory: Memory): memory is MemorySource | readonly MemorySource[] =>
  Array.isArray(memory) || 'open' in memory;

/** The policy for shortening an agent's conversation; undefined if there is none. */
export const compactionFrom = (
  compaction: ConversationOptions['compaction'],
): CompactionDefinition | undefined => {
  if (compaction === false) return undefined;
  if (compaction === undefined) return usual;
  if (typeof compaction === 'string') {
    const made = presetProcessors(compaction);
    return { ...usual, processors: () => made, isConstant: true };
  }
  const { processors, budget, counter, summariser, thread = 'cycles' } = compaction;
  return {
    processors: processors === undefined ? usual.processors : () => processors,
    isConstant: processors !== undefined,
    counter,
    budget,
    summariser,
    thread,
  };
};

/** Created for the first long conversation, as most agents have none. */
let balanced: readonly Processor[] | undefined;

const usual: CompactionDefinition = {
  processors: () => (balanced ??= presetProcessors('balanced')),
  isConstant: false,
  counter: undefined,
  budget: undefined,
  summariser: undefined,
  thread: 'cycles',
};
