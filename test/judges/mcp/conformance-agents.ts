import { z } from 'zod';
import type { Json } from '../../../src/base/json/json.ts';
import { toJson } from '../../../src/base/json/json.ts';
import type { GivenPart } from '../../../src/contracts/content/part.ts';
import { act, agent, answer, askPerson, dual, tool } from '../../../src/index.ts';
import { png, wav } from '../../content/pictures.ts';

const nothing = z.object({});

const plain = (name: string) =>
  agent({
    name,
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
  decide: ({ step }) => (step < 3 ? act({ name: 'look', input: {} }) : answer('It is done.')),
});

/** An agent that asks a person, and repeats what it hears. */
const asking = (name: string, ...questions: readonly string[]) =>
  agent({
    name,
    description: 'Asks, and repeats what it heard.',
    input: z.object({ message: z.string().optional() }),
    tools: [askPerson],
    decide: ({ step, results }) => {
      const question = questions[step];
      return question === undefined
        ? answer(`User response: ${results.at(-1)?.text ?? 'none'}`)
        : act({ name: 'ask_person', input: { question } });
    },
  });

/** An agent that answers with what its tool shows. */
const showing = (name: string, ...parts: readonly GivenPart[]) => {
  const show = tool({ name: 'show', description: 'Shows.', input: nothing, execute: () => dual({ parts }) });
  return agent({
    name,
    description: 'Shows something.',
    input: nothing,
    tools: [show],
    decide: ({ results }): ReturnType<typeof act> | ReturnType<typeof answer<Json>> => {
      const [shown] = results;
      return shown === undefined ? act({ name: 'show', input: {} }) : answer(toJson(shown.parts));
    },
  });
};

const image: GivenPart = { type: 'image', data: png() };
const file: GivenPart = {
  type: 'file',
  data: new TextEncoder().encode('A resource.'),
  mediaType: 'text/plain',
};

/** The tools of the conformance suite whose work is an agent's, by its own names. */
export const conformanceAgents = [
  plain('test_simple_text'),
  plain('test_logging_tool'),
  showing('test_image_content', image),
  showing('test_audio_content', { type: 'audio', data: wav() }),
  showing('test_embedded_resource', file),
  showing('test_multiple_content_types', { type: 'text', text: 'Several:' }, image, file),
  failing,
  busy,
  asking('test_elicitation', 'Who are you?'),
  asking('test_streaming_elicitation', 'Who are you?'),
  asking('test_input_required_result_elicitation', 'What is your name?'),
  asking('test_input_required_result_request_state', 'Please confirm.'),
  asking('test_input_required_result_multi_round', 'What is your name?', 'What is your favourite colour?'),
  asking('test_input_required_result_tampered_state', 'Please confirm.'),
];
