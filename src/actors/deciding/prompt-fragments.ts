import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type {
  PromptFacts,
  PromptFragment,
  RunFragment,
  StepFacts,
  StepFragment,
} from '../../contracts/agents/prompt.ts';

/** Priorities of the runtime's own fragments, with room between them. */
export const promptOrder = {
  instructions: 100,
  project: 200,
  agents: 300,
  tools: 400,
  phase: 500,
  lessons: 600,
  format: 700,
} as const;

/** The agent's instructions. */
export const instructionsFragment = (text: string): RunFragment => ({
  name: 'instructions',
  priority: promptOrder.instructions,
  text,
});

const projectFragment = (text: string): RunFragment => ({
  name: 'project',
  priority: promptOrder.project,
  text: `# Project\n${text}`,
});

/** The available delegates, if any. Every agent has it, unless it defines its own fragment of the name `agents`. */
export const agentsFragment: RunFragment = {
  name: 'agents',
  priority: promptOrder.agents,
  text: ({ members }) =>
    members.length === 0
      ? undefined
      : `# Agents\n${members.map(({ name, description }) => (description === '' ? `- ${name}` : `- ${name}: ${description}`)).join('\n')}`,
};

const toolsFragment: RunFragment = {
  name: 'tools',
  priority: promptOrder.tools,
  text: ({ tools }) =>
    tools.length === 0 ? undefined : `# Tools\n${tools.map(({ name }) => `- ${name}`).join('\n')}`,
};

/**
 * Fragments for the prompt of an agent, beside its instructions.
 *
 * @example
 * agent({ name: 'clerk', conversation: { fragments: [promptFragments.project('A shop for tea.'), promptFragments.tools] } })
 */
export const promptFragments = {
  /** The project that the work is about. */
  project: projectFragment,
  /** The available delegates, if any. Every agent has it, unless it defines its own fragment of the name `agents`. */
  agents: agentsFragment,
  /** The names of the tools: providers tell the model the rest. */
  tools: toolsFragment,
} as const;

/**
 * Composes the system prompt: fragments of the run, lowest priority first, then in the order given.
 *
 * Equal facts give equal bytes. Of two fragments with one name the later one counts, at its own position.
 *
 * @example
 * composePrompt([instructionsFragment('Be brief.'), promptFragments.tools], facts) // => 'Be brief.\n\n# Tools\n- add'
 *
 * @throws {TroupeError} `agent.threw` if a fragment does.
 */
export const composePrompt = (fragments: readonly PromptFragment[], facts: PromptFacts): string =>
  joinFragments(orderFragments(fragments).filter(isOfRun), facts);

/** Composes the text at the end of the conversation in this step; empty if there is none. */
export const composeStep = (fragments: readonly PromptFragment[], facts: StepFacts): string =>
  joinFragments(orderFragments(fragments).filter(isOfStep), facts);

const isOfRun = (fragment: PromptFragment): fragment is RunFragment => fragment.each !== 'step';

const isOfStep = (fragment: PromptFragment): fragment is StepFragment => fragment.each === 'step';

const orderFragments = (fragments: readonly PromptFragment[]): readonly PromptFragment[] => {
  const standing = new Map<string, PromptFragment>();
  for (const fragment of fragments) {
    standing.delete(fragment.name);
    standing.set(fragment.name, fragment);
  }
  return [...standing.values()].toSorted((a, b) => a.priority - b.priority);
};

const joinFragments = <Facts extends PromptFacts>(
  fragments: readonly {
    readonly name: string;
    readonly text: string | ((facts: Facts) => string | undefined);
  }[],
  facts: Facts,
): string => {
  const texts: string[] = [];
  for (const { name, text } of fragments) {
    const said = (typeof text === 'string' ? text : textIn(name, text, facts))?.trim();
    if (said !== undefined && said !== '') texts.push(said);
  }
  return texts.join('\n\n');
};

const textIn = <Facts extends PromptFacts>(
  name: string,
  text: (facts: Facts) => string | undefined,
  facts: Facts,
): string | undefined => {
  try {
    return text(facts);
  } catch (thrown) {
    throw new TroupeError(
      'agent.threw',
      `Cannot compose the prompt of '${facts.agent}' as its fragment '${name}' threw: ${messageOf(thrown)}`,
      { cause: thrown },
    );
  }
};
