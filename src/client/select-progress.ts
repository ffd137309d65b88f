import type { ToolProgress } from '../events/progress/agent-progress.ts';
import { isEndPhase } from '../events/progress/agent-progress.ts';
import type { Json } from '../base/json/json.ts';
import type { Progress } from '../events/progress/progress.ts';
import { lastAnswerOf } from '../events/progress/progress-message.ts';
import type { ProgressMessage } from '../events/progress/progress-message.ts';
import type { ProgressRequest } from '../events/progress/progress-request.ts';
import { isOpen } from '../events/progress/progress-request.ts';
import { partialJson } from '../base/json/partial-json.ts';

/** Open requests for people, oldest first: answered by their `id`. */
export const waitingRequests = ({ requests }: Progress): readonly ProgressRequest[] =>
  requests.filter(isOpen);

/** Tool calls in progress with their agents, oldest first. */
export const runningTools = ({ agents }: Progress): readonly (ToolProgress & { readonly path: string })[] =>
  Object.values(agents)
    .flatMap(({ path, tools }) => Object.values(tools).map((tool) => ({ ...tool, path })))
    .toSorted((one, other) => one.startedAt - other.startedAt);

/** Messages of one agent, including those to it. */
export const messagesOf = ({ messages }: Progress, path: string): readonly ProgressMessage[] =>
  messages.filter((message) => message.path === path);

/** Checks whether a run is over. */
export const isOver = ({ status }: Progress): boolean => isEndPhase(status);

/**
 * The structured answer as far as it has streamed, of the root or the agent at `path`; after completion, the run's output. Undefined if no
 * such answer is streaming, or part of it was missed.
 *
 * Parsed on demand, once per delta.
 */
export const partialOutput = (progress: Progress, path = progress.root): Json | undefined => {
  if (progress.output !== undefined && path === progress.root) return progress.output;
  const speech = progress.speeches.findLast((each) => each.path === path && each.text !== '');
  // Between its end and that of the run, an answer is a message.
  const said = speech ?? lastAnswerOf(progress.messages, path, progress.runId);
  return said === undefined || speech?.isWhole === false ? undefined : readText(said);
};

/** Cached by the object of the text, which is new for each delta. */
const known = new WeakMap<object, Json | undefined>();

const readText = (said: { readonly text: string }): Json | undefined => {
  if (!known.has(said)) known.set(said, partialJson(said.text));
  return known.get(said);
};
