import type { AgentDefinition, ContextDefinition } from '../../actors/agent-definition.ts';
import type { AgentOptions } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import type { MemorySource, RecallPolicy } from '../../contracts/memory.ts';
import type { ContextOptions, Processor, TokenBudget } from '../../contracts/processor.ts';
import { contextPresets, presetProcessors } from '../../memory/context-presets.ts';
import { checkCount } from './check-count.ts';

/**
 * The memories of an agent, and what of them it is told, checked.
 *
 * @throws {TroupeError} `agent.invalid` for something that is no memory, two of one name, or a bound that bounds nothing.
 */
export const memoryFrom = (
  memory: AgentOptions['memory'],
  recall: RecallPolicy = {},
  name: string,
): Pick<AgentDefinition, 'memories' | 'recall'> => {
  const memories = memory === undefined ? [] : isList(memory) ? memory : [memory];
  const known = new Set<string>();
  for (const source of memories) {
    if (!isSource(source)) throw invalid(name, 'its memory is none', typeof source);
    const key = `${source.scope}/${source.name}`;
    if (known.has(key)) throw invalid(name, 'two of its memories have one name', `'${source.name}'`);
    known.add(key);
  }
  if (!isObject(recall)) throw invalid(name, 'its recall is no object', typeof recall);
  const { each, k, timeoutMs, query, kinds } = recall;
  const owner = { code: 'agent.invalid', owner: `the agent '${name}'` } as const;
  if (each !== undefined && each !== 'run' && each !== 'step')
    throw invalid(name, "its recall is neither each 'run' nor each 'step'", String(each));
  if (k !== undefined) checkCount(k, 0, 'recall.k', owner);
  if (timeoutMs !== undefined) checkCount(timeoutMs, 1, 'recall.timeoutMs', owner);
  if (query !== undefined && typeof query !== 'function')
    throw invalid(name, 'its recall.query is no function', typeof query);
  if (kinds !== undefined && !Array.isArray(kinds))
    throw invalid(name, 'its recall.kinds are no list', typeof kinds);
  return { memories, recall };
};

/**
 * How an agent's conversation is kept short, checked; nothing where it is not.
 *
 * @throws {TroupeError} `agent.invalid` for a preset that there is not, or for what is no processor or budget.
 */
export const contextFrom = (
  context: AgentOptions['context'],
  name: string,
): ContextDefinition | undefined => {
  if (context === false) return undefined;
  if (context === undefined) return usual;
  if (typeof context === 'string') {
    if (!Object.hasOwn(contextPresets, context))
      throw invalid(name, `its context is none of ${Object.keys(contextPresets).join(', ')}`, `'${context}'`);
    const processors = presetProcessors(context);
    return { ...usual, processors: () => processors, isConstant: true };
  }
  if (!isObject(context)) throw invalid(name, 'its context is no object', String(context));
  return ownContext(context, name);
};

const ownContext = (
  { processors, budget, counter, summariser, thread = 'cycles' }: ContextOptions,
  name: string,
): ContextDefinition => {
  if (processors !== undefined && !(Array.isArray(processors) && processors.every(isProcessor)))
    throw invalid(name, 'its context.processors are no list of processors', typeof processors);
  if (counter !== undefined && typeof counter.count !== 'function')
    throw invalid(name, 'its context.counter cannot count', typeof counter);
  if (summariser !== undefined && summariser !== false && typeof summariser.summarise !== 'function')
    throw invalid(name, 'its context.summariser cannot summarise', typeof summariser);
  // In JavaScript it may be any text.
  if (!['cycles', 'answers'].includes(thread))
    throw invalid(name, "its context.thread is neither 'cycles' nor 'answers'", String(thread));
  return {
    processors: processors === undefined ? usual.processors : () => processors,
    isConstant: processors !== undefined,
    counter,
    budget: budget === undefined ? undefined : checkedBudget(budget, name),
    summariser,
    thread,
  };
};

const checkedBudget = (budget: Partial<TokenBudget>, name: string): Partial<TokenBudget> => {
  const { soft, hard, reserve } = budget;
  for (const [key, value] of Object.entries({ soft, hard, reserve }))
    if (value !== undefined && !(Number.isFinite(value) && value >= (key === 'reserve' ? 0 : 1)))
      throw invalid(name, `its context.budget.${key} is no number of tokens`, foundText(value));
  if (soft !== undefined && hard !== undefined && soft > hard)
    throw invalid(name, 'its soft budget is past its hard one', `${soft} and ${hard}`);
  if (hard !== undefined && reserve !== undefined && reserve >= hard)
    throw invalid(name, 'its context.budget leaves nothing for the conversation', `${hard} − ${reserve}`);
  return budget;
};

/** Made by the first agent whose conversation gets long: most never do. */
let balanced: readonly Processor[] | undefined;

const usual: ContextDefinition = {
  processors: () => (balanced ??= presetProcessors('balanced')),
  isConstant: false,
  counter: undefined,
  budget: undefined,
  summariser: undefined,
  thread: 'cycles',
};

const invalid = (name: string, reason: string, found: string): TroupeError =>
  new TroupeError('agent.invalid', `Cannot define the agent '${name}' as ${reason}: ${found}`);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isList = (memory: MemorySource | readonly MemorySource[]): memory is readonly MemorySource[] =>
  Array.isArray(memory);

const isSource = (source: unknown): source is MemorySource =>
  isObject(source) &&
  'open' in source &&
  typeof source.open === 'function' &&
  'release' in source &&
  typeof source.release === 'function' &&
  'name' in source &&
  typeof source.name === 'string';

const isProcessor = (processor: unknown): processor is Processor =>
  isObject(processor) && 'project' in processor && typeof processor.project === 'function';
