import type { ToolProgress } from '../events/agent-progress.ts';
import type { Json } from '../contracts/json.ts';
import type { Progress } from '../events/progress.ts';
import type { ProgressMessage } from '../events/progress-message.ts';
import type { ProgressRequest } from '../events/progress-request.ts';
import { partialJson } from './partial-json.ts';

/** The requests that wait for a person, oldest first: to be answered by their `id`. */
export const waitingRequests = ({ requests }: Progress): readonly ProgressRequest[] =>
  requests.filter(({ outcome }) => outcome.state === 'open');

/** The tool calls that are under way, and who makes them, oldest first. */
export const runningTools = ({ agents }: Progress): readonly (ToolProgress & { readonly path: string })[] =>
  Object.values(agents)
    .flatMap(({ path, tools }) => Object.values(tools).map((tool) => ({ ...tool, path })))
    .toSorted((one, other) => one.startedAt - other.startedAt);

/** What one agent said, and was told. */
export const messagesOf = ({ messages }: Progress, path: string): readonly ProgressMessage[] =>
  messages.filter((message) => message.path === path);

/** Checks whether a run has come to its end. */
export const isOver = ({ status }: Progress): boolean => status !== 'running' && status !== 'paused';

/**
 * The object that a structured answer is going to be, as far as it has come: of the root, or of the agent at `path`. Once the run has
 * completed, its output. Undefined where nothing of the kind is being said, or a piece of it was missed.
 *
 * Made when it is asked for, once for each piece of text: nothing is read of an answer that nobody wants to see so.
 */
export const partialOutput = (progress: Progress, path = progress.root): Json | undefined => {
  if (progress.output !== undefined && path === progress.root) return progress.output;
  const speech = progress.speeches.findLast((each) => each.path === path && each.text !== '');
  if (speech === undefined) return lastAnswer(progress, path);
  if (!speech.isWhole) return undefined;
  return read(speech, speech.text);
};

/** What was said last, where a run is between its answer and its end. */
const lastAnswer = ({ messages, runId }: Progress, path: string | undefined): Json | undefined => {
  const last = messages.findLast((message) => message.path === path && message.role === 'assistant');
  if (last === undefined || last.calls.length > 0 || !last.id.startsWith(`${runId}#`)) return undefined;
  return read(last, last.text);
};

/** By the very object that a text is of: a new piece makes a new one. */
const known = new WeakMap<object, Json | undefined>();

const read = (of: object, text: string): Json | undefined => {
  if (known.has(of)) return known.get(of);
  const value = partialJson(text);
  known.set(of, value);
  return value;
};
