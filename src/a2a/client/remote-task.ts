import type { Message, Part, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import type { Client, RequestOptions } from '@a2a-js/sdk/client';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ToolContext } from '../../contracts/tools/tool.ts';
import { isInterrupted, isTerminal, ROLE, STATE } from '../wire.ts';
import { dataPart, textPart } from '../wire-parts.ts';
import { isUnknownTask, isUnsupported, remoteError } from './a2a-errors.ts';
import { findTask } from './find-task.ts';
import { ProgressLines } from './progress-lines.ts';
import type { Received } from './received-parts.ts';
import { readReceived, textOf } from './received-parts.ts';
import type { TaskCheckpoint } from './task-checkpoint.ts';
import { checkpointIn, checkpointJson } from './task-checkpoint.ts';

/** Times between two looks at a task that cannot be followed, in ms. */
const POLL_MS = 1_000;
const LONGEST_POLL_MS = 30_000;
/** Failures in a row that may pass, and the wait after the first, in ms. */
const MOST_FAILURES = 8;
const FAILURE_MS = 500;
/** Questions of one task. */
const MOST_QUESTIONS = 100;
/** Characters of a question that a person is asked. */
const QUESTION = 4_000;
/** Characters of an id. */
const MOST_ID = 1_000;

/** A task for another agent, and the call that it is done for. */
export interface RemoteTaskSetup {
  /** The name of the agent here. */
  readonly name: string;
  readonly client: Client;
  readonly context: Pick<ToolContext, 'key' | 'signal' | 'resumedFrom' | 'checkpoint' | 'ask' | 'progress'>;
}

/**
 * Gives a task to another agent, and follows it to its end.
 *
 * I1  What is sent is committed before it is sent, with the id that it has each time: executed again, the call looks for it.
 * I2  A person's answer is committed before it is sent, so that they are not asked again.
 */
export class RemoteTask {
  readonly #setup: RemoteTaskSetup;
  readonly #progress: ProgressLines;
  #saved: TaskCheckpoint;
  #status: TaskStatus | undefined;
  /** The task, where it was given whole since its last change. */
  #whole: Task | undefined;
  /** An answer without a task. */
  #reply: Message | undefined;
  #failures = 0;
  #canSubscribe = true;
  #pollMs = POLL_MS;
  /** True once nothing more will be done for it there. */
  isOver = false;

  constructor(setup: RemoteTaskSetup) {
    this.#setup = setup;
    this.#progress = new ProgressLines(setup.context.progress);
    this.#saved = checkpointIn(setup.context.resumedFrom, setup.name) ?? {
      agent: setup.name,
      messageId: setup.context.key,
      turn: 0,
    };
  }

  /** Its id there; of one that was sent and is not known yet, the id by which it is found. @throws what the client throws */
  async idThere(options: RequestOptions): Promise<string | undefined> {
    const { taskId, messageId } = this.#saved;
    return taskId ?? (await findTask(this.#setup.client, messageId, options))?.id;
  }

  /** Sends the task, unless it is there already, and resolves with its result. */
  async follow(parts: readonly Part[]): Promise<Received> {
    await this.#resume(parts);
    for (;;) {
      if (this.#reply !== undefined) return this.#conclude(this.#reply);
      const state = this.#status?.state;
      if (state !== undefined && isTerminal(state)) return this.#end();
      if (state === STATE.inputRequired) await this.#answer();
      else if (state === STATE.authRequired) await this.#awaitAuthorization();
      else await this.#watch();
    }
  }

  async #resume(parts: readonly Part[]): Promise<void> {
    const isNew = this.#setup.context.resumedFrom === undefined;
    const { taskId, answer } = this.#saved;
    if (isNew) await this.#commit();
    const message = answer === undefined ? this.#message(parts) : this.#answerMessage(answer);
    if (taskId !== undefined && answer === undefined) await this.#look();
    else if (isNew || !(await this.#isThere(message))) await this.#deliver(message);
    if (answer !== undefined) await this.#forgetAnswer();
  }

  /** Sends a message until it is there; one that may be is looked for before it is sent again. */
  async #deliver(message: Message): Promise<void> {
    for (;;)
      try {
        const request = { tenant: '', message, configuration: CONFIGURATION, metadata: undefined };
        await this.#hearAll(this.#setup.client.sendMessageStream(request, this.#options));
        return;
      } catch (thrown) {
        await this.#bear(thrown);
        if (await this.#isThere(message, thrown)) return;
      }
  }

  /** Checks whether a message arrived, which may have been sent. @throws {TroupeError} `tool.ambiguous` where nobody can tell */
  async #isThere(message: Message, thrown?: unknown): Promise<boolean> {
    if (this.#saved.taskId !== undefined) {
      const { history } = await this.#look();
      const isFirst = message.taskId === '';
      return (
        isFirst ||
        history.some(({ messageId }) => messageId === message.messageId) ||
        this.#status?.state !== STATE.inputRequired
      );
    }
    if (isRefusedConnection(thrown)) return false;
    const { client, name } = this.#setup;
    try {
      const task = await findTask(client, message.messageId, this.#options);
      if (task === undefined) return false;
      await this.#take(task);
      // A list has no artifacts.
      this.#whole = undefined;
      return true;
    } catch (failed) {
      if (!isUnsupported(failed)) {
        await this.#bear(failed);
        return this.#isThere(message, thrown);
      }
      throw new TroupeError(
        'tool.ambiguous',
        `Cannot tell if '${name}' has the task, which may have been sent before, as it lists no tasks`,
        { retryable: 'no', cause: failed },
      );
    }
  }

  /** Asks a person what the other agent asks, and sends their answer. */
  async #answer(): Promise<void> {
    const { name, context } = this.#setup;
    const { turn } = this.#saved;
    if (turn >= MOST_QUESTIONS)
      throw new TroupeError(
        'message.refused',
        `Cannot answer '${name}' as it asks more than ${MOST_QUESTIONS} times`,
      );
    const asked = this.#status?.message;
    const answer = await context.ask(`'${name}' asks: ${this.#words(asked, 'for more, without a question')}`);
    this.#saved = {
      ...this.#saved,
      messageId: `${context.key}:${turn + 1}`,
      turn: turn + 1,
      answer,
      request: requestIn(asked),
    };
    await this.#commit();
    this.#status = undefined;
    await this.#deliver(this.#answerMessage(answer));
    await this.#forgetAnswer();
  }

  /** Credentials are never sent in a message: a person gives them where they belong, and says so here. */
  async #awaitAuthorization(): Promise<void> {
    const { name, context } = this.#setup;
    const words = this.#words(this.#status?.message, 'authorization');
    await context.ask(
      `'${name}' waits for authorization, which you give it there: ${words}. Answer once that is done; your answer is not sent`,
    );
    this.#saved = { ...this.#saved, turn: this.#saved.turn + 1 };
    await this.#pause(POLL_MS);
    await this.#look();
  }

  #words(message: Message | undefined, otherwise: string): string {
    const text = printable(textOf(message)).slice(0, QUESTION);
    return text.trim() === '' ? otherwise : text;
  }

  /** Follows the task as it goes on; where that cannot be, looks at it from time to time. */
  async #watch(): Promise<void> {
    const { client } = this.#setup;
    const id = this.#saved.taskId;
    if (id === undefined) throw invalid(this.#setup.name, 'it named no task, and gave no answer');
    if (this.#canSubscribe) {
      // A stream that ends before the task does is not asked for at once again.
      this.#canSubscribe = false;
      try {
        this.#canSubscribe = await this.#hearAll(client.resubscribeTask({ tenant: '', id }, this.#options));
      } catch (thrown) {
        if (this.#setup.context.signal.aborted) throw thrown;
      }
    } else {
      await this.#pause(this.#pollMs);
      this.#pollMs = Math.min(this.#pollMs * 2, LONGEST_POLL_MS);
    }
    const state = this.#status?.state;
    if (state === undefined || !isTerminal(state)) await this.#look();
  }

  /** The task as it is now. */
  async #look(): Promise<Task> {
    const { client, name } = this.#setup;
    const id = this.#saved.taskId ?? '';
    for (;;)
      try {
        const task = await client.getTask({ tenant: '', id }, this.#options);
        this.#failures = 0;
        await this.#take(task);
        return task;
      } catch (thrown) {
        if (isUnknownTask(thrown)) this.isOver = true;
        await this.#bear(thrown, `ask '${name}' for its task`);
      }
  }

  /** Takes in a stream; true if it told of a change. */
  async #hearAll(events: AsyncIterable<StreamResponse>): Promise<boolean> {
    let hasChanged = false;
    for await (const { payload } of events) {
      this.#failures = 0;
      if (payload?.$case === 'task') await this.#take(payload.value);
      else if (payload?.$case === 'message') this.#reply = payload.value;
      else if (payload?.$case === 'statusUpdate' && payload.value.taskId === this.#saved.taskId) {
        hasChanged = true;
        this.#setStatus(payload.value.status);
        // Where it waits for somebody here, the stream may stay open.
        if (isInterrupted(payload.value.status?.state ?? 0)) break;
      } else if (payload?.$case === 'artifactUpdate' && payload.value.artifact !== undefined) {
        hasChanged = true;
        this.#progress.received(payload.value.artifact, payload.value.append);
      }
    }
    this.#progress.flush();
    return hasChanged;
  }

  /** The task as the other party gives it; its id is committed before anything follows from it. */
  async #take(task: Task): Promise<void> {
    const { id, contextId, status } = task;
    const known = this.#saved.taskId;
    if (
      id === '' ||
      id.length > MOST_ID ||
      contextId.length > MOST_ID ||
      (known !== undefined && id !== known)
    )
      throw invalid(this.#setup.name, 'its task has an id that is empty, too long, or another one');
    this.#setStatus(status);
    this.#whole = task;
    if (known !== undefined) return;
    this.#saved = { ...this.#saved, taskId: id, contextId };
    await this.#commit();
  }

  #setStatus(status: TaskStatus | undefined): void {
    this.#status = status;
    this.#whole = undefined;
    if (status === undefined || isTerminal(status.state)) return;
    this.#pollMs = POLL_MS;
    this.#progress.heard(status.message);
  }

  async #end(): Promise<Received> {
    const { name } = this.#setup;
    this.isOver = true;
    const { artifacts, status } = this.#whole ?? (await this.#look());
    const said = oneLine(textOf(status?.message), 500);
    const why = said === '' ? 'it gives no reason' : said;
    switch (status?.state) {
      case STATE.completed:
        return readReceived(artifacts, status.message);
      case STATE.rejected:
        throw new TroupeError(
          'message.refused',
          `Cannot have it done by '${name}' as it rejects the task: ${why}`,
          { retryable: 'no' },
        );
      case STATE.canceled:
        throw new TroupeError(
          'tool.cancelled',
          `Cannot have it done by '${name}' as the task was cancelled there: ${why}`,
          { retryable: 'no' },
        );
      default:
        throw new TroupeError('tool.failed', `Cannot have it done by '${name}' as it failed: ${why}`, {
          retryable: 'no',
        });
    }
  }

  #conclude(reply: Message): Received {
    this.isOver = true;
    return readReceived([], reply);
  }

  /** Waits after a failure that may pass; throws any other. */
  async #bear(thrown: unknown, doing = `give the task to '${this.#setup.name}'`): Promise<void> {
    const error = remoteError(thrown, doing);
    if (this.#setup.context.signal.aborted || error.retryable !== 'yes') throw error;
    this.#failures += 1;
    if (this.#failures > MOST_FAILURES) throw error;
    await this.#pause(error.retryAfterMs ?? FAILURE_MS * 2 ** (this.#failures - 1));
  }

  #pause(ms: number): Promise<void> {
    return this.#setup.context.checkpoint(checkpointJson(this.#saved), Math.min(ms, LONGEST_POLL_MS));
  }

  #commit(): Promise<void> {
    return this.#setup.context.checkpoint(checkpointJson(this.#saved));
  }

  async #forgetAnswer(): Promise<void> {
    this.#saved = { ...this.#saved, answer: undefined, request: undefined };
    await this.#commit();
  }

  #answerMessage(answer: string): Message {
    const { request } = this.#saved;
    const parts = [textPart(answer)];
    return this.#message(request === undefined ? parts : [...parts, dataPart({ request })]);
  }

  #message(parts: readonly Part[]): Message {
    const { messageId, taskId = '', contextId = '' } = this.#saved;
    return {
      messageId,
      taskId,
      contextId,
      role: ROLE.user,
      parts: [...parts],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }

  get #options(): RequestOptions {
    return { signal: this.#setup.context.signal };
  }
}

/** A server without streams answers at once: the task is then looked at. */
const CONFIGURATION = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  returnImmediately: true,
};

/** The id of a request to a person that servers of troupe send along, so that an answer is for that one alone. */
const requestIn = (message: Message | undefined): string | undefined => {
  for (const { content } of message?.parts ?? []) {
    const data = content?.$case === 'data' ? toJson(content.value) : undefined;
    const request = isJsonObject(data) ? data['request'] : undefined;
    if (typeof request === 'string' && request.length <= MOST_ID) return request;
  }
  return undefined;
};

/** True for a request that nobody received. */
const isRefusedConnection = (thrown: unknown): boolean => {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1)
    if ('code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND')) return true;
  return false;
};

const invalid = (name: string, why: string): TroupeError =>
  new TroupeError('message.invalid', `Cannot follow the task of '${name}' as ${why}`, { retryable: 'no' });
