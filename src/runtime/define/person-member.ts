import type { Hook } from '../../contracts/event.ts';
import { act, answer } from '../../contracts/decision.ts';
import { toError } from '../../contracts/error.ts';
import { askPerson } from '../../tools/built-in/ask-person.ts';
import type { Json } from '../../contracts/json.ts';
import { agent } from './agent.ts';
import type { AgentChart } from '../embed/agent-types.ts';
import type { EmbeddableAgent } from './face.ts';

/** Who the person is, for the others. */
export interface PersonOptions {
  readonly name: string;
  /** What they are good for, in a sentence: shown to those who hand out work. */
  readonly description?: string | undefined;
  readonly hooks?: readonly Hook[] | undefined;
}

const people = new WeakSet();

/**
 * A person as a member of a team: an agent without a model, which puts its task to the person as a question and answers with what
 * they say, word for word.
 *
 * The question waits at the inbox of the run, as those of the tool `ask_person` do (`handle.requests`, `handle.reply`, or the
 * `person` of the run); in a stored run it outlives the process. Where nobody can be asked, or not in time, the member fails.
 * It is not restarted: nobody wants to be asked again by a machine.
 *
 * @example
 * const line = pipeline({ name: 'line', stages: [writer, person({ name: 'editor' })] });
 * const handle = line.stream('A poem on tides');
 * handle.reply('Shorter, please.'); // once it is asked: see handle.requests
 *
 * @throws {TroupeError} `agent.invalid` without a usable name.
 */
export const person = ({
  name,
  description,
  hooks,
}: PersonOptions): EmbeddableAgent<string, string, Json, AgentChart> => {
  const member = agent({
    name,
    description,
    hooks,
    tools: [askPerson],
    asMember: { restart: 'temporary' },
    decide: ({ input, results: [said] }) => {
      if (said === undefined) return act({ name: askPerson.name, input: { question: input } });
      if (!said.ok) throw toError(said.error);
      return answer(said.value);
    },
  });
  people.add(member);
  return member;
};

/** Checks whether a member was made by {@link person}. */
export const isPerson = (member: unknown): boolean =>
  typeof member === 'object' && member !== null && people.has(member);
