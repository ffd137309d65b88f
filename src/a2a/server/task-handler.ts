import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskState,
} from '@a2a-js/sdk';
import { sha256 } from '../../base/sha256.ts';
import { canonical } from '../../base/json/canonical.ts';
import { randomId } from '../../base/random-id.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { RemoteRequest } from '../../contracts/runs/remote-run.ts';
import { assertMay } from '../../runtime/serve/http/callers.ts';
import type { FoundRun } from '../../runtime/serve/runs/live-run.ts';
import { abortRun, answerRun, requestsOf, sendToRun } from '../../runtime/serve/runs/reach-run.ts';
import { checkContent } from '../../runtime/serve/runs/check-input.ts';
import { answerOf } from '../../runtime/serve/runs/run-people.ts';
import { isInterrupted, STATE } from '../wire.ts';
import { modesOf } from './agent-card.ts';
import type { AgentRequest } from './agent-request.ts';
import { nextRequest, refusalToGrant } from './refusal-to-grant.ts';
import { assertGiven, assertTaken } from './media-types.ts';
import { answerIn, contentIn, inputIn, requestNamedIn } from './read-message.ts';
import { followTask, readTask } from './read-task.ts';
import { listTasks, withHistory } from './task-list.ts';
import { updatesOf } from './task-updates.ts';
import type { TaskStory } from './task-story.ts';

/** A task that was reached, as it is now. */
interface Reached {
  readonly found: FoundRun;
  readonly story: TaskStory;
}

/**
 * Operations that a client may ask of an agent: each task is a run of it, whose journal is all that is known of it.
 *
 * I1  The same message of the same caller begins one task, and is given to a task once, whatever process it reaches.
 * I2  A caller finds the tasks of their tenant and of this agent; of all others there are none.
 */
export class TaskHandler {
  readonly #asked: AgentRequest;

  constructor(asked: AgentRequest) {
    this.#asked = asked;
  }

  async sendMessage(params: SendMessageRequest): Promise<Task> {
    const { configuration } = params;
    const reached = await this.#take(params);
    if (configuration?.returnImmediately !== true)
      for await (const _update of this.#updates(reached, { endsIn: isInterrupted })) {
        // The last of them leaves the story as it then is.
      }
    return withHistory(await reached.story.task(), configuration?.historyLength);
  }

  async *sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const reached = await this.#take(params);
    yield {
      payload: { $case: 'task', value: await this.#taskOf(reached, params.configuration?.historyLength) },
    };
    yield* this.#updates(reached);
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    assertMay(this.#asked.caller, 'watch');
    return this.#taskOf(await this.#reach(id), historyLength);
  }

  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    assertMay(this.#asked.caller, 'watch');
    return listTasks(this.#asked, params);
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { serving, caller, loaded } = this.#asked;
    assertMay(caller, 'control');
    const reached = await this.#reach(id);
    if (!reached.story.isOver)
      try {
        await abortRun(serving, reached.found, `cancelled by '${caller.who}'`);
        const after = await this.#reach(id);
        for await (const _update of this.#updates(after)) {
          // Until it is over.
        }
        return await after.story.task();
      } catch (thrown) {
        if (!isTroupeError(thrown, 'run.ended')) throw thrown;
      }
    throw new loaded.errors.TaskNotCancelableError('Cannot cancel the task as it is over');
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { caller, loaded } = this.#asked;
    assertMay(caller, 'watch');
    const reached = await this.#reach(id);
    if (reached.story.isOver)
      throw new loaded.errors.UnsupportedOperationError('Cannot subscribe to the task as it is over');
    yield { payload: { $case: 'task', value: await reached.story.task() } };
    yield* this.#updates(reached, { isAwaited: true });
  }

  /** Begins a task by a message, or gives the message to the task that it names. */
  async #take({ message, configuration }: SendMessageRequest): Promise<Reached> {
    const { errors } = this.#asked.loaded;
    if (message === undefined || message.messageId === '' || message.messageId.length > MOST_ID)
      throw new errors.RequestMalformedError(
        'Cannot take the message as it has no id, or one that is too long',
      );
    if (configuration?.taskPushNotificationConfig !== undefined)
      throw new errors.PushNotificationNotSupportedError();
    assertTaken(message, this.#asked);
    assertGiven(configuration?.acceptedOutputModes ?? [], this.#asked);
    return message.taskId === '' ? this.#begin(message) : this.#continue(message);
  }

  async #begin(message: Message): Promise<Reached> {
    const { serving, contexts, caller, agent } = this.#asked;
    assertMay(caller, 'start');
    const { runs } = serving;
    const input = inputIn(message, agent);
    const { contextId, thread } = contexts.begin(message.contextId);
    // The body of a message that is sent again is the same but for the context, which is made up here where it has none.
    const key = keyOf(message);
    const digest = digestOf(message);
    const claim = await runs.claim(caller, `${key}:context`, { runId: contextId, digest });
    const settled = claim.digest === digest ? claim.runId : contextId;
    const { runId } = await runs.start(
      agent.name,
      caller,
      { input, ...(thread === undefined ? {} : { thread: settled }) },
      key,
    );
    contexts.keep(runId, settled);
    return this.#reach(runId);
  }

  async #continue(message: Message): Promise<Reached> {
    const { serving, caller, loaded } = this.#asked;
    const { found, story } = await this.#reach(message.taskId);
    if (message.contextId !== '' && message.contextId !== story.contextId)
      throw new loaded.errors.RequestMalformedError(
        'Cannot take the message as its task is of another context',
      );
    if (story.isOver)
      throw new loaded.errors.UnsupportedOperationError('Cannot take the message as its task is over');
    const requests = await this.#openRequests(found);
    const named = requestNamedIn(message);
    const request =
      named === undefined
        ? nextRequest(requests, (each) => refusalToGrant(each, caller))
        : requests.find(({ id }) => id === named);
    // Which request a message was for is settled when it first comes: sent again, it answers no other.
    const mark = request?.id ?? `none:${randomId()}`;
    const claim = await serving.runs.claim(caller, keyOf(message), {
      runId: mark,
      digest: digestOf(message),
    });
    if (claim.runId !== mark) return this.#reach(message.taskId);
    if (request !== undefined) {
      assertMay(caller, 'answer');
      const answer = answerIn(message, request);
      if (answer === undefined) return this.#undecided(message.taskId);
      await answerRun(serving, found, answerOf(request.id, answer, caller));
    } else if (named === undefined) {
      assertMay(caller, 'control');
      const content = contentIn(message);
      checkContent(content, 'message');
      await sendToRun(serving, found, { from: caller.who, content });
    } else
      throw new loaded.errors.RequestMalformedError('Cannot take the message as it answers no open request');
    return this.#reach(message.taskId);
  }

  /** The task after an answer that decided nothing: it waits as before, and says what it expects. */
  async #undecided(taskId: string): Promise<Reached> {
    const reached = await this.#reach(taskId);
    reached.story.expectDecision();
    return reached;
  }

  /** Finds a task of this agent. @throws `TaskNotFoundError` */
  async #reach(id: string): Promise<Reached> {
    const { serving, caller, agent, loaded } = this.#asked;
    const { RequestMalformedError, TaskNotFoundError } = loaded.errors;
    if (id.trim() === '') throw new RequestMalformedError('Cannot find the task as its id is empty');
    try {
      const found = await serving.finder.find(id, caller);
      const name =
        found.live === undefined ? serving.names.of(found.stored.agent)?.name : found.live.agent.name;
      if (name === agent.name) return { found, story: await this.#read(found) };
    } catch (thrown) {
      if (!isTroupeError(thrown, 'journal.unknown')) throw thrown;
    }
    throw new TaskNotFoundError('Cannot find the task as there is none of that id');
  }

  /** The task of a run; a request that was just answered is not open, though its answer may not be on record yet. */
  async #read(found: FoundRun): Promise<TaskStory> {
    const story = await readTask(this.#asked, found);
    if (isInterrupted(story.state)) story.keepOpen(await this.#openRequests(found));
    return story;
  }

  async #openRequests(found: FoundRun): Promise<readonly RemoteRequest[]> {
    const requests = await requestsOf(this.#asked.serving, found);
    return requests.filter(({ isAnswered }) => isAnswered !== true);
  }

  async #taskOf({ story }: Reached, historyLength: number | undefined): Promise<Task> {
    return withHistory(await story.task(), historyLength);
  }

  /** The updates of a task until it is over, or waits for its client; of one that waits from the start there are none, unless they are awaited. */
  async *#updates(
    { found, story }: Reached,
    {
      endsIn = (state: TaskState) => state === STATE.inputRequired,
      isAwaited = false,
    }: { readonly endsIn?: (state: TaskState) => boolean; readonly isAwaited?: boolean } = {},
  ): AsyncGenerator<StreamResponse, void, undefined> {
    if (story.isOver || (endsIn(story.state) && !isAwaited)) return;
    const { agent, signal } = this.#asked;
    const { runId: taskId } = found.live ?? found.stored;
    const isText = modesOf(agent).output.includes('text/plain');
    yield* updatesOf(story, followTask(this.#asked, found, story), {
      taskId,
      contextId: story.contextId,
      endsIn,
      answersAt: isText ? agent.definition.name : undefined,
      signal,
    });
  }
}

/** Characters of the id of a message. */
const MOST_ID = 200;

const keyOf = ({ messageId, taskId }: Message): string => `a2a:${taskId}:${messageId}`;

const digestOf = (message: Message): string => sha256(canonical(contentIn(message)));
