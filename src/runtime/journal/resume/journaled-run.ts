import type { TroupeError } from '../../../contracts/errors/error.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { EventBody } from '../../../contracts/events/event.ts';
import type { Arrival } from '../../../contracts/journals/journal-record.ts';
import type { MemoryRecord } from '../../../contracts/conversations/memory.ts';
import type { Message } from '../../../contracts/messages/message.ts';
import type { Usage } from '../../../contracts/models/usage.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import type { Artifact } from '../../../contracts/tools/tool-result.ts';
import type { Job } from '../../actors/actor.ts';
import type { EventPlace } from '../../people/request-book.ts';
import type { Run } from '../../run/run.ts';

/** Makes a tool of one that a client runs. */
export type MakeClientTool = (given: ClientTool) => Tool;

/** The run as its journal drives it: applies recorded arrivals and events to it. */
export class JournaledRun {
  /** Given by {@link attach}, before anything is applied to it. */
  #run!: Run;
  readonly #makeTool: MakeClientTool | undefined;

  /** With `makeTool`, it has the tools again that its clients run. */
  constructor(makeTool?: MakeClientTool) {
    this.#makeTool = makeTool;
  }

  /** Connects the run, which is constructed after its journal. */
  attach(run: Run): void {
    this.#run = run;
  }

  get runId(): string {
    return this.#run.runId;
  }
  redact(text: string): string {
    return this.#run.secrets.text(text);
  }
  get log() {
    return this.#run.log;
  }
  get effects() {
    return this.#run.effects;
  }
  get deadlines() {
    return this.#run.deadlines;
  }
  get actors() {
    return this.#run.actors;
  }
  get isBusy(): boolean {
    return this.#run.isBusy;
  }
  /** Status of the ended run, once its last event is written. */
  get ending(): RunStatus | undefined {
    const { events } = this.#run.log;
    const last = events.length === 0 ? undefined : events.at(events.length - 1);
    return last?.type === 'run.ended' ? last.status : undefined;
  }

  enqueue(job: Job): void {
    this.#run.enqueue(job);
  }
  work(job: Job): void {
    this.#run.work(job);
  }
  /** Registers a message that arrived in another scope: it is delivered when that scope is replayed. */
  noteMessage(message: Message, path: string): void {
    this.#run.mail.note(message, path);
  }
  subscribed(path: string, topic: string, isOn: boolean): void {
    const actor = this.#run.actors.at(path);
    if (actor !== undefined) this.#run.mail.topics.set(actor, topic, isOn);
  }
  post(message: Message, path: string): void {
    this.#run.mail.post(message, path);
  }
  deliverAbort(reason: string, at: number): void {
    this.#run.deliverAbort(reason, at);
  }
  close(): void {
    this.#run.ending.close();
  }
  lose(error: TroupeError): void {
    this.#run.ending.lose(error);
  }
  /** Restores the recorded request or response of a model call. */
  sent(arrival: Arrival): void {
    const { log, runId } = this.#run;
    if (arrival.type === 'sent') log.sent.restore(`${runId}/${arrival.key}`, arrival.request);
    else if (arrival.type === 'heard') log.sent.answered(`${runId}/${arrival.key}`, arrival.answer);
  }
  keep(path: string, artifacts: readonly Artifact[]): void {
    this.#run.artifacts.push(...artifacts.map((artifact) => ({ path, artifact })));
  }

  /** True if another process has the run, or the store failed. */
  get isLost(): boolean {
    return this.#run.ending.isLost;
  }

  /** Writes the records that an effect had to remember. */
  remember(path: string, key: string, records: readonly MemoryRecord[]): void {
    this.#run.actors.at(path)?.memory?.rememberAs(`${this.runId}/${key}`, records);
  }

  /** Charges the usage of an effect's child, which has no event of its own. */
  charged(path: string, model: string, usage: Usage, costUsd: number | undefined): void {
    for (const counter of this.#run.actors.at(path)?.counters ?? []) counter.charge(model, usage, costUsd);
  }

  /** Applies the side effects of a recorded event. */
  heard(body: EventBody, place: EventPlace): void {
    this.#run.person.heard(body, place);
    const actor = this.#run.actors.at(place.path);
    switch (body.type) {
      case 'member.engaged':
        this.#run.actors.size.count(place.path);
        break;
      case 'run.paused':
        this.#run.gate.pause();
        break;
      case 'run.resumed':
        this.#run.gate.resume();
        break;
      case 'model.swapped':
        this.#swap(body.to);
        break;
      case 'tool.added':
        if (body.client !== undefined && this.#makeTool !== undefined)
          actor?.tools.add(this.#makeTool({ name: body.tool, ...body.client }));
        break;
      case 'tool.removed':
        actor?.tools.remove(body.tool);
        break;
      default:
        if ('usage' in body) for (const counter of actor?.counters ?? []) counter.count(body);
    }
  }

  /** A model object is not recorded by name: the caller who resumes the run has to pass it again. */
  #swap(to: string): void {
    try {
      this.#run.choose(to);
    } catch (thrown) {
      if (!isTroupeError(thrown)) throw thrown;
    }
  }
}
