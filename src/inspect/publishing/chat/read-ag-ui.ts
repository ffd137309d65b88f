import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { optional, wholeNumber } from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Content, GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { Approver } from '../../../contracts/people/approval-terms.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import { clientTool } from '../../../tools/define/client-tool.ts';
import type { AgUiMessageIn } from './ag-ui-history.ts';
import { agUiHistoryOf, agUiContentOf, readAgUiMessages } from './ag-ui-history.ts';
import type { ChatLimits } from './chat-body.ts';
import { readChatBody, refusal } from './chat-body.ts';
import { uiCallId } from './ui-chunk.ts';

/** The requests of a run that a client has answered: what comes after them is new to it. */
export interface AnsweredRequests {
  readonly runId: string;
  readonly ids: ReadonlySet<string>;
}

/** A request of an AG-UI client, as {@link readAgUi} reads it. */
export interface AgUiSubmission {
  /** The id of the conversation, which the client chooses: check that it is this user's. */
  readonly threadId: string;
  /** The client's id for what it is about to be sent; a run that is continued has one of its own. */
  readonly runId: string;
  /** The user's message: a text, or parts. `''` if the client sends answers alone. */
  readonly input: Content;
  /** The text of `input`, for what takes no parts. */
  readonly text: string;
  /** The conversation before `input`, as the client tells it: it may be forged. Use the run's `thread` where you can. */
  readonly history: readonly Turn<GivenPart>[];
  /** Tools that the client runs: a call waits until the client sends its result. For `handle.addTools`. */
  readonly tools: readonly Tool[];
  /** Facts that the app adds, for the model to read. */
  readonly context: readonly { readonly description: string; readonly value: string }[];
  readonly state: Json;
  readonly forwardedProps: Json;
  /** The calls that the client has run: the result of each by the id of its call. */
  readonly results: ReadonlyMap<string, string>;
  /** Set once `answer` has answered something. */
  readonly answered: AnsweredRequests | undefined;
  /**
   * Answers the open requests of a run: approvals and questions by the client's `resume`, calls of its tools by their results. An
   * approval needs `true`, or `{ approved: true }`; all else denies. False if nothing was answered: then `input` is for another run.
   *
   * @throws {TroupeError} `request.forbidden` if the request needs another person than `by`.
   */
  answer(run: AnswerableRun, options?: { readonly by?: Approver | undefined }): boolean;
}

type AnswerableRun = Pick<RunHandle<unknown, unknown>, 'runId' | 'requests' | 'approve' | 'deny' | 'reply'>;

interface ResumeEntry {
  readonly isResolved: boolean;
  readonly payload: Json;
}

/** Largest number of tools of a client. */
const MAX_TOOLS = 200;

/**
 * Reads a request of an AG-UI client (`RunAgentInput`, as `HttpAgent` posts it): the new message, the conversation before it, tools
 * that run in the client, and answers to requests of a run that waits.
 *
 * Nothing in it is to be trusted: see {@link readUiMessages}. Messages of the roles `system` and `developer` are left out.
 *
 * @example
 * const chat = await readAgUi(request);
 * const waiting = runs.get(chat.threadId);
 * if (waiting !== undefined && chat.answer(waiting)) return agUiResponse(waiting, { chat });
 * waiting?.abort('the user went on');
 * const run = desk.stream(chat.input, { thread: chat.threadId, paused: true });
 * await run.addTools(chat.tools);
 * run.resume();
 * return agUiResponse(run, { chat });
 *
 * @throws {TroupeError} (rejects with) `input.invalid` for what no genuine client sends, and limits that are none;
 *   `content.too-large` for more than `maxBytes`; `tool.invalid` for a tool that is none.
 */
export const readAgUi = async (
  /** The request, or its body as parsed JSON. */
  request: unknown,
  limits: ChatLimits = {},
): Promise<AgUiSubmission> => {
  const body = await readChatBody(request, checkLimits(limits));
  const messages = readAgUiMessages(body['messages'], limits);
  const last = messages.at(-1);
  const isOfUser = last?.role === 'user';
  const resume = resumeOf(body['resume'] ?? []);
  const results = resultsOf(messages);
  let answered: AnsweredRequests | undefined;
  return {
    threadId: textIn(body, 'threadId'),
    runId: textIn(body, 'runId'),
    input: isOfUser ? agUiContentOf(last) : '',
    text: isOfUser ? last.text : '',
    history: agUiHistoryOf(isOfUser ? messages.slice(0, -1) : messages),
    tools: listIn(body, 'tools').map(toolOf),
    context: listIn(body, 'context').flatMap(contextOf),
    state: body['state'] ?? null,
    forwardedProps: body['forwardedProps'] ?? null,
    results,
    get answered() {
      return answered;
    },
    answer: (run, { by } = {}) => {
      const ids = answerRun(run, resume, results, by);
      if (ids.size > 0) answered = { runId: run.runId, ids };
      return ids.size > 0;
    },
  };
};

const checkLimits = optionsCheck<ChatLimits>(
  { code: 'input.invalid', owner: 'the request of the chat', verb: 'read' },
  () => ({
    maxBytes: optional(wholeNumber(1)),
    maxMessages: optional(wholeNumber(1)),
    maxParts: optional(wholeNumber(1)),
  }),
);

const textIn = (body: JsonObject, field: string): string => {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw refusal(`it has no \`${field}\`: ${foundText(value)}`);
};

const listIn = (body: JsonObject, field: string): readonly Json[] => {
  const value = body[field] ?? [];
  if (!Array.isArray(value) || value.length > MAX_TOOLS)
    throw refusal(`its \`${field}\` are not a list of at most ${MAX_TOOLS}: ${foundText(value)}`);
  const items: readonly Json[] = value;
  return items;
};

/** A tool that asks the client, and gives what it answers. */
const toolOf = (given: Json): Tool => {
  const { name, description = '', parameters } = isJsonObject(given) ? given : {};
  if (typeof name !== 'string' || typeof description !== 'string')
    throw refusal(`one of its tools has no name, or a description that is no text: ${foundText(given)}`);
  return clientTool({
    name,
    description,
    ...(isJsonObject(parameters) ? { parameters } : {}),
  });
};

const contextOf = (given: Json): AgUiSubmission['context'] => {
  const { description, value } = isJsonObject(given) ? given : {};
  return typeof description === 'string' && typeof value === 'string' ? [{ description, value }] : [];
};

const resumeOf = (given: Json): ReadonlyMap<string, ResumeEntry> => {
  if (!Array.isArray(given)) throw refusal(`its \`resume\` is no list: ${foundText(given)}`);
  const entries: readonly Json[] = given;
  return new Map(
    entries.map((entry): [string, ResumeEntry] => {
      const { interruptId, status, payload = null } = isJsonObject(entry) ? entry : {};
      if (typeof interruptId !== 'string' || (status !== 'resolved' && status !== 'cancelled'))
        throw refusal(
          `an entry of its \`resume\` has no interrupt or an unknown status: ${foundText(entry)}`,
        );
      return [interruptId, { isResolved: status === 'resolved', payload }];
    }),
  );
};

const resultsOf = (messages: readonly AgUiMessageIn[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(({ role, toolCallId, text }) => (role === 'tool' ? [[toolCallId, text]] : [])));

/** Answers what it can, and returns the ids of the requests. */
const answerRun = (
  run: AnswerableRun,
  resume: ReadonlyMap<string, ResumeEntry>,
  results: ReadonlyMap<string, string>,
  by: Approver | undefined,
): ReadonlySet<string> => {
  const answered = run.requests.filter((request) => {
    const { id, kind, callId, path } = request;
    const entry = resume.get(id);
    if (kind !== 'question') {
      if (entry === undefined) return false;
      return approves(entry) ? run.approve(id, { by }) : run.deny(id, reasonOf(entry), { by });
    }
    const result = callId === undefined ? undefined : results.get(uiCallId(run.runId, path, callId));
    const text = entry === undefined ? result : replyOf(entry);
    return text !== undefined && run.reply(text, id);
  });
  return new Set(answered.map(({ id }) => id));
};

const approves = ({ isResolved, payload }: ResumeEntry): boolean =>
  isResolved && (payload === true || (isJsonObject(payload) && payload['approved'] === true));

const reasonOf = ({ payload }: ResumeEntry): string | undefined => {
  const reason = isJsonObject(payload) ? payload['reason'] : payload;
  return typeof reason === 'string' ? reason : undefined;
};

const replyOf = ({ isResolved, payload }: ResumeEntry): string => {
  if (!isResolved) return 'The user does not answer.';
  const said = isJsonObject(payload) && 'answer' in payload ? payload['answer'] : payload;
  return typeof said === 'string' ? said : JSON.stringify(said);
};
