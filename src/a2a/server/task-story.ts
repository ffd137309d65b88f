import type { Artifact, Message, Part, Task, TaskState, TaskStatus } from '@a2a-js/sdk';
import type { Json } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { requestOf } from '../../contracts/people/announced-request.ts';
import { activityOf } from '../../events/progress/activity.ts';
import { isTerminal, ROLE, STATE } from '../wire.ts';
import type { BytesAt } from '../wire-parts.ts';
import { dataPart, textPart, wireParts } from '../wire-parts.ts';
import { nextRequest } from './refusal-to-grant.ts';

/** The artifact that is the answer of a run. */
export const ANSWER = 'answer';

/** The facts of a task that its events do not tell. */
export interface TaskFacts {
  readonly taskId: string;
  readonly contextId: string;
  readonly bytesAt: BytesAt;
  /** True if the status of the task says what the agent does. */
  readonly showsActivity: boolean;
  /** The reason why a request is not the client's to grant; undefined if it is. */
  readonly refusalToGrant: (request: OpenRequest) => string | undefined;
}

type Ended = Extract<RuntimeEvent, { type: 'run.ended' }>;

/**
 * A task, as a fold of the events of its run: so it is the same for each process that has the journal, before a restart and after it.
 *
 * I1  A task is ended by the last event of its run alone, and changes no more.
 * I2  A task wants input as long as a request to a person is open that its client may grant. Where others are open alone, it wants authorization:
 *     somebody else gives that, by another way than the client's messages.
 */
export class TaskStory {
  readonly #facts: TaskFacts;
  readonly #open = new Map<string, OpenRequest>();
  readonly #said: (() => Promise<Message>)[] = [];
  #ended: Ended | undefined;
  #hasBegun = false;
  #activity: string | undefined;
  #isUndecided = false;
  #at = 0;
  /** The number of the last event that it knows. */
  seq = -1;

  constructor(facts: TaskFacts) {
    this.#facts = facts;
  }

  get state(): TaskState {
    if (this.#ended !== undefined) return endStateOf(this.#ended);
    const next = this.#nextRequest();
    if (next !== undefined)
      return this.#facts.refusalToGrant(next) === undefined ? STATE.inputRequired : STATE.authRequired;
    return this.#hasBegun ? STATE.working : STATE.submitted;
  }
  get contextId(): string {
    return this.#facts.contextId;
  }
  get isOver(): boolean {
    return isTerminal(this.state);
  }
  /** In ms since 1970; 0 before the first event. */
  get updatedAt(): number {
    return this.#at;
  }

  /** Takes in an event; true if the status may have changed. */
  hear(event: RuntimeEvent): boolean {
    const { state } = this;
    this.#isUndecided = false;
    this.seq = event.seq;
    this.#at = event.at;
    switch (event.type) {
      case 'run.started':
        this.#hasBegun = true;
        this.#say(ROLE.user, 'task', () => this.#parts(event.input));
        break;
      case 'tool.approval-requested':
      case 'tool.ambiguous':
      case 'person.asked': {
        const { at, path, agent } = event;
        const request = requestOf(event, { askedAt: at, path, agent });
        this.#open.set(event.id, request);
        this.#say(ROLE.agent, event.id, () => Promise.resolve(requestParts(request)));
        return true;
      }
      case 'person.answered':
        this.#settle(event.id, event.text);
        break;
      case 'tool.approved':
        this.#settle(event.id, 'yes');
        break;
      case 'tool.denied':
        if (event.id !== undefined) this.#settle(event.id, event.reason ?? 'no');
        break;
      case 'request.withdrawn':
        this.#open.delete(event.id);
        break;
      case 'run.ended':
        this.#ended = event;
        this.#open.clear();
        break;
      default:
        return this.#hearActivity(event);
    }
    return state !== this.state;
  }

  /** Takes in the requests that are open now: what was answered is not among them, though no event has said so yet. */
  keepOpen(requests: readonly OpenRequest[]): void {
    const now = new Map(requests.map((request) => [request.id, request]));
    for (const id of this.#open.keys()) {
      const request = now.get(id);
      if (request === undefined) this.#open.delete(id);
      else this.#open.set(id, request);
    }
  }

  /** Has its status say that the last answer was neither a yes nor a no. */
  expectDecision(): void {
    this.#isUndecided = true;
  }

  async task(): Promise<Task> {
    const artifact = await this.artifact();
    return {
      id: this.#facts.taskId,
      contextId: this.#facts.contextId,
      status: this.status(),
      artifacts: artifact === undefined ? [] : [artifact],
      history: await Promise.all(this.#said.map((made) => made())),
      metadata: undefined,
    };
  }

  status(): TaskStatus {
    const parts = this.#statusParts();
    return {
      state: this.state,
      message: parts === undefined ? undefined : this.#message(ROLE.agent, `status:${this.seq}`, parts),
      timestamp: new Date(this.#at).toISOString(),
    };
  }

  /** The answer; undefined where there is none. */
  async artifact(): Promise<Artifact | undefined> {
    const output = this.#ended?.output;
    return output === undefined ? undefined : artifactOf(await this.#parts(output));
  }

  #settle(id: string, text: string): void {
    this.#open.delete(id);
    this.#say(ROLE.user, `${id}:answer`, () => Promise.resolve([textPart(text)]));
  }

  #hearActivity(event: RuntimeEvent): boolean {
    if (!this.#facts.showsActivity) return false;
    const activity = activityOf(event);
    if (activity === undefined || activity.line === this.#activity) return false;
    this.#activity = activity.line;
    return this.state === STATE.working;
  }

  #statusParts(): readonly Part[] | undefined {
    if (this.#ended !== undefined) return endPartsOf(this.#ended);
    const request = this.#nextRequest();
    if (request !== undefined) {
      const parts = requestParts(request, this.#facts.refusalToGrant(request));
      return this.#isUndecided ? [textPart(UNDECIDED), ...parts] : parts;
    }
    return this.#activity === undefined ? undefined : [textPart(this.#activity)];
  }

  #nextRequest(): OpenRequest | undefined {
    return nextRequest([...this.#open.values()], this.#facts.refusalToGrant);
  }

  #parts(value: Json): Promise<Part[]> {
    return wireParts(value, this.#facts.bytesAt);
  }

  #say(role: Message['role'], id: string, parts: () => Promise<readonly Part[]>): void {
    this.#said.push(async () => this.#message(role, id, await parts()));
  }

  #message(role: Message['role'], id: string, parts: readonly Part[]): Message {
    const { taskId, contextId } = this.#facts;
    return {
      messageId: `${taskId}:${id}`,
      taskId,
      contextId,
      role,
      parts: [...parts],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

/** Parts as the artifact that is the answer. */
export const artifactOf = (parts: readonly Part[]): Artifact => ({
  artifactId: ANSWER,
  name: ANSWER,
  description: '',
  parts: [...parts],
  metadata: undefined,
  extensions: [],
});

const UNDECIDED =
  'Nothing is decided yet, as that was neither yes nor no: answer "yes", "no", or "no, " and the reason';

/** A request to a person in words, and as data that an answer can name; with the reason why it is not the client's to grant. */
const requestParts = (request: OpenRequest, barred?: string): readonly Part[] => {
  const { id, kind, expiresAt } = request;
  const until = expiresAt === undefined ? {} : { expiresAt };
  if (request.kind === 'question')
    return [textPart(request.question), dataPart({ request: id, kind, ...until })];
  const { description, tool, input } = request;
  const reason = barred === undefined ? '' : ` (${barred})`;
  return [
    textPart(`May it be done, yes or no? ${description}${reason}`),
    dataPart({ request: id, kind, tool, input, ...until }),
  ];
};

/** A run that was stopped has not done its task. Of a failed one, the input alone may be the reason: its task was never begun. */
const endStateOf = ({ status, error }: Ended): TaskState => {
  if (status === 'completed') return STATE.completed;
  if (status === 'aborted') return STATE.canceled;
  return error?.code === 'input.invalid' || error?.code === 'task.invalid' ? STATE.rejected : STATE.failed;
};

const endPartsOf = ({ status, stopReason, error }: Ended): readonly Part[] | undefined => {
  if (status === 'completed') return undefined;
  return [textPart(error?.message ?? `It ended without an answer: ${stopReason.kind}`)];
};
