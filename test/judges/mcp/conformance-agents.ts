import { setTimeout } from 'node:timers/promises';
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

const rest = tool({
  name: 'rest',
  description: 'Rests.',
  input: z.object({ ms: z.number() }),
  timeoutMs: Infinity,
  execute: async ({ ms }, { signal }) => {
    await setTimeout(ms, undefined, { signal });
    return 'rested';
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

const greeter = agent({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string() }),
  decide: ({ input: { name } }) => answer(`Hello, ${name}!`),
});

/** An agent that asks before it works. */
const askingFirst = agent({
  name: 'test_tool_with_task',
  description: 'Asks, works for a while, and repeats what it heard.',
  input: nothing,
  tools: [askPerson, rest],
  state: '',
  reduce: ({ state, results }) => (state === '' ? (results[0]?.text ?? '') : state),
  decide: ({ state, step }) => {
    if (step === 0) return act({ name: 'ask_person', input: { question: 'What is your name?' } });
    return step === 1 ? act({ name: 'rest', input: { ms: 1_000 } }) : answer(`Done for ${state}.`);
  },
});

/** An agent that works for as many seconds as it is told; a call that takes long becomes a task. */
const slow = agent({
  name: 'slow_compute',
  description: 'Works for a while.',
  input: z.object({ seconds: z.number(), label: z.string().optional() }),
  tools: [rest],
  decide: ({ input: { seconds }, step }) =>
    step === 0 && seconds > 0
      ? act({ name: 'rest', input: { ms: seconds * 1_000 } })
      : answer(`It took ${seconds} s.`),
});

/** An agent that works for a second, and fails. */
const slowlyFailing = (name: string) =>
  agent({
    name,
    description: 'Works for a while, and fails.',
    input: nothing,
    tools: [rest],
    decide: ({ step }) => {
      if (step === 0) return act({ name: 'rest', input: { ms: 1_000 } });
      throw new Error('It does not work.');
    },
  });

/** An agent that asks several questions at once, after a while. */
const askingAtOnce = (name: string, ...questions: readonly string[]) =>
  agent({
    name,
    description: 'Asks, and repeats what it heard.',
    input: z.looseObject({}),
    tools: [askPerson, rest],
    decide: ({ step, results }) => {
      if (step === 0) return act({ name: 'rest', input: { ms: 500 } });
      if (step > 1) return answer(results.map(({ text }) => text).join(' '));
      const [first, ...more] = questions.map((question) => ({ name: 'ask_person', input: { question } }));
      return first === undefined ? answer('Nothing.') : act(first, ...more);
    },
  });

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
  greeter,
  askingFirst,
  slow,
  slowlyFailing('failing_job'),
  slowlyFailing('protocol_error_job'),
  askingAtOnce('confirm_delete', 'Really?'),
  askingAtOnce('multi_input', 'First?', 'Second?'),
];
