import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { InputOf, KeptOf } from '../../base/schemas/schema.ts';
import type { AnswerDecision } from '../../contracts/agents/decision.ts';
import { act, answer } from '../../contracts/agents/decision.ts';
import type { Described, InputSchemaOf, OutputSchemaOf } from '../../contracts/agents/signature.ts';
import type { Content } from '../../contracts/content/part.ts';
import { toError } from '../../contracts/errors/error.ts';
import { agent } from '../../runtime/define/agent.ts';
import type { EmbeddableAgent } from '../../runtime/define/embeddable-agent.ts';
import type { AgentChart } from '../../runtime/embed/agent-types.ts';
import type { A2aAgentOptions } from './a2a-options.ts';
import { checkA2aAgent } from './a2a-options.ts';
import { NAMESPACE, remoteToolset } from './remote-toolset.ts';

/**
 * Defines an agent that is somewhere else, and speaks A2A (1.0, or 0.3), as a member of a team: it passes its task on, and answers with what
 * comes back, parsed by its `output` schema if it has one.
 *
 * Its card is read when it is first needed. What it does and says on the way is progress (`tool.progressed`), a question of it is a request
 * to a person of this run, and what it says is of the origin `a2a.NAME`. In a stored run it is not sent a task twice, and an aborted run
 * cancels it there. Needs the package `@a2a-js/sdk`.
 *
 * @example
 * const researcher = a2aAgent({ name: 'researcher', url: 'https://agents.example.com/a2a/researcher' });
 * const desk = pipeline({ name: 'desk', stages: [researcher, writer] });
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit. A run fails with `tool.package-missing`; `message.undelivered` if it
 * cannot be reached, `server.refused` if it wants other credentials, `tool.denied` for a card that leads to other hosts, `message.invalid`
 * for what does not follow the protocol; `message.refused`, `tool.failed` and `tool.cancelled` by the end of its task, `tool.timeout`; and
 * `tool.ambiguous` where nobody can tell if it has the task.
 */
export const a2aAgent = <Input extends Described = undefined, Output extends Described = undefined>(
  options: A2aAgentOptions<Input, Output>,
): EmbeddableAgent<
  InputOf<InputSchemaOf<Input, Output>, Content>,
  KeptOf<OutputSchemaOf<Input, Output>>,
  Json,
  AgentChart
> => {
  const { url, headers, auth, hosts, fetch, timeoutMs, ...own } = checkA2aAgent(
    options,
    `the agent '${String(options.name)}' over A2A`,
  );
  const { name, output } = own;
  const hasOutput = output !== undefined;
  return agent<Input, Output>({
    ...own,
    tools: [remoteToolset({ name, url, headers, auth, hosts, fetch, timeoutMs })],
    decide: ({ input, results: [said] }) => {
      if (said === undefined) return act({ name: `${NAMESPACE}.${name}`, input: { task: input } });
      if (!said.ok) throw toError(said.error);
      // Parsed by the output schema, whatever that is.
      return answer(answerIn(said.value, said.text, hasOutput)) as AnswerDecision<never>;
    },
  });
};

/** The answer: with a schema the data, or a text that is JSON; else the text, and data only where there is no text. */
const answerIn = (value: Json, shown: string, hasOutput: boolean): Json => {
  const { text, data } = isJsonObject(value) ? value : {};
  const [first] = Array.isArray(data) ? (data as readonly Json[]) : [];
  if (!hasOutput) return typeof text === 'string' && text !== '' ? text : shown;
  if (first !== undefined) return first;
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Json) : null;
  } catch {
    return text ?? null;
  }
};
