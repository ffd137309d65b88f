import { z } from 'zod';
import { agent, answer, askPerson, tool } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';

const nothing = z.object({});

const plain = agent({
  name: 'test_simple_text',
  description: 'Says one sentence.',
  input: nothing,
  decide: () => answer('This is a simple text response for testing.'),
});

const failing = agent({
  name: 'test_error_handling',
  description: 'Fails.',
  input: nothing,
  decide: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
});

const look = tool({ name: 'look', description: 'Looks.', input: nothing, execute: () => 'seen' });

const busy = agent({
  name: 'test_tool_with_progress',
  description: 'Works in steps.',
  input: nothing,
  tools: [look],
  model: scriptedModel([
    calls({ name: 'look', input: {} }),
    calls({ name: 'look', input: {} }),
    calls({ name: 'look', input: {} }),
    'It is done.',
  ]),
});

/** An agent that asks a person, under each of the names by which the suite calls a tool that does. */
const asking = (name: string, ...questions: readonly string[]) =>
  agent({
    name,
    description: 'Asks, and repeats what it heard.',
    input: z.object({ message: z.string().optional() }),
    tools: [askPerson],
    model: scriptedModel([
      ...questions.map((question) => calls({ name: 'ask_person', input: { question } })),
      'User response: thank you.',
    ]),
  });

/** The agents that the conformance suite judges as tools: those of its tools whose work is an agent's. */
export const conformanceAgents = [
  plain,
  failing,
  busy,
  asking('test_elicitation', 'Who are you?'),
  asking('test_input_required_result_elicitation', 'What is your name?'),
  asking('test_input_required_result_request_state', 'Please confirm.'),
  asking('test_input_required_result_multi_round', 'What is your name?', 'What is your favourite colour?'),
  asking('test_input_required_result_tampered_state', 'Please confirm.'),
  asking('test_input_required_result_capabilities', 'What is your name?'),
];
