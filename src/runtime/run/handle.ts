import type { Content } from '../../contracts/content/part.ts';
import type { Observable } from 'rxjs';
import type { ModelChoice } from '../../contracts/models/model.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { DeadLetter, Message, Terminated } from '../../contracts/messages/message.ts';
import { toJson } from '../../base/json/json.ts';
import type { ApprovalOptions } from '../../contracts/people/check-answer.ts';
import { byOf, checkApproval, checkDenial } from '../../contracts/people/check-answer.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { DeepPartial, OutputElement } from '../../contracts/runs/partial-output.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { AbortOptions, SuspendOptions } from '../../contracts/runs/run-control.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import type { PersonAnswer } from '../people/request-book.ts';
import type { Run } from './run.ts';
import { elementsSoFar, valuesSoFar } from './partial-output.ts';
import { deadLettersOf } from '../mail/dead-letters.ts';
import { terminationOf } from '../mail/watch.ts';
import { checkAbort, checkModel } from './control-checks.ts';
import { readReason } from './read-reason.ts';
import { SUSPEND_MS, suspend } from './suspend.ts';

/** The user's handle of a run. */
export class Handle<Output, State> implements RunHandle<Output, State> {
  readonly runId: string;
  readonly result: Promise<RunResult<Output, State>>;
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
    this.runId = run.runId;
    // The definition that types the handle also produces the result.
    this.result = run.result as Promise<RunResult<Output, State>>;
  }

  get events$(): Observable<LiveEvent> {
    return this.#run.log.stream.events$;
  }
  // The output that types the handle is that of the result.
  get partial$(): Observable<DeepPartial<Output>> {
    return valuesSoFar(this.#run) as Observable<DeepPartial<Output>>;
  }
  get element$(): Observable<OutputElement<Output>> {
    return elementsSoFar(this.#run) as Observable<OutputElement<Output>>;
  }
  [Symbol.asyncIterator](): AsyncIterator<LiveEvent> {
    return this.#run.log.stream.iterate();
  }
  pause(): void {
    this.#run.pause();
  }
  resume(): void {
    this.#run.resume();
  }
  step(unit: 'step' | 'effect' = 'step'): Promise<void> {
    if (this.#run.isOver) return Promise.resolve();
    this.#run.pause();
    return this.#run.gate.step(unit);
  }
  send(message: Content | Message, path?: string): boolean {
    return this.#run.mail.send(this.#run.content.messageOf(message), path);
  }
  async sendWhenRoom(message: Content | Message, path?: string): Promise<boolean> {
    return this.#run.mail.sendWhenRoom(this.#run.content.messageOf(message), path);
  }
  get deadLetters$(): Observable<DeadLetter> {
    return deadLettersOf(this.#run);
  }
  watch(path: string): Promise<Terminated> {
    return terminationOf(this.#run, path);
  }
  get requests(): readonly OpenRequest[] {
    return this.#run.person.requests;
  }
  approve(id: string, options: ApprovalOptions = {}): boolean {
    const { input, by } = checkApproval(options);
    return this.#said(id, {
      isApproved: true,
      ...(input === undefined ? {} : { input: toJson(input) }),
      ...byOf(by),
    });
  }
  deny(id: string, reason?: string, options: Pick<ApprovalOptions, 'by'> = {}): boolean {
    const { by } = checkDenial(options);
    return this.#said(id, {
      isApproved: false,
      ...(reason === undefined ? {} : { reason: readReason(reason, 'no reason was given') }),
      ...byOf(by),
    });
  }
  reply(text: string, id = this.#run.person.oldestQuestion): boolean {
    return this.#said(id, { text });
  }
  use(model: ModelChoice): void {
    checkModel(model);
    this.#run.use(model);
  }
  addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]> {
    return this.#run.addTools(tools, path);
  }
  removeTool(name: string, path?: string): boolean {
    return this.#run.removeTool(name, path);
  }
  stop(path: string, reason?: string): boolean {
    return this.#run.ending.stop(path, readReason(reason, 'stopped by hand'));
  }
  abort(given?: string, options: AbortOptions = {}): void {
    const reason = readReason(given, 'aborted');
    const { after } = checkAbort(options);
    if (after === 'step') this.#run.abortAfterStep(reason);
    else this.#run.abort(reason);
  }
  suspend({ withinMs = SUSPEND_MS }: SuspendOptions = {}): Promise<void> {
    return suspend(this.#run, withinMs);
  }

  #said(meant: string | undefined, said: PersonAnswer): boolean {
    const { person } = this.#run;
    const id = meant === undefined ? undefined : person.idOf(meant);
    if (id === undefined) return false;
    const forbidden = person.forbids(id, said);
    if (forbidden === undefined) return person.settle(id, { said }) === undefined;
    person.refuse(forbidden, id);
    throw new TroupeError('request.forbidden', `Cannot approve the call as ${forbidden}`, {
      runId: this.runId,
    });
  }
}
