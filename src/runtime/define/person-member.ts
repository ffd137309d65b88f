import type { Hook } from '../../contracts/events/event.ts';
import { act, answer } from '../../contracts/agents/decision.ts';
import { toError } from '../../contracts/errors/error.ts';
import { askPerson } from '../../tools/built-in/ask-person.ts';
import type { Json } from '../../base/json/json.ts';
import { agent } from './agent.ts';
import type { AgentChart } from '../embed/agent-types.ts';
import type { EmbeddableAgent } from './embeddable-agent.ts';

/** Options of {@link person}. */
export interface PersonOptions {
  readonly name: string;
  /** One sentence about their abilities, shown to members that assign work. */
  readonly description?: string | undefined;
  readonly hooks?: readonly Hook[] | undefined;
}

const people = new WeakSet();

/**
 * Defines a person as a member of a team: an agent without a model that passes its task to the person as a question and answers with their
 * text, word for word.
 *
 * The question is a request of the run, as those of the tool `ask_person` are (`handle.requests`, `handle.reply`, or the `person` of the
 * run); in a stored run it outlives the process. If nobody can answer, or not in time, the member fails. It is not restarted, so that no
 * question is repeated.
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
    failures: { asMember: { restart: 'temporary' } },
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
