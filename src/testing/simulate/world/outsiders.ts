import type { ApprovalTerms, Approver } from '../../../contracts/people/approval-terms.ts';
import type { ApprovalRequest, OpenRequest, QuestionRequest } from '../../../contracts/people/request.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { Choices } from './choices.ts';
import { callersDo, peopleSay } from '../decision.ts';
import type { SimulatedWorld } from './simulated-world.ts';
import type { Temper } from './temper.ts';
import { delays, peoplesDelays } from './temper.ts';

/** Acts of a caller in one run, at most. */
const MOST_ACTS = 2;

/** Time after which a paused run is resumed, and an answer tried again while no process has the run, in ms. */
const LATER_MS = 60_000;

/** People who approve one call, at most. */
const MOST_APPROVERS = 5;

type AnyHandle = RunHandle<unknown, unknown>;

/** The people and the caller of a simulated run: they outlive its processes, and answer whichever has it. */
export class Outsiders {
  readonly #world: SimulatedWorld;
  readonly #choices: Choices;
  readonly #temper: Temper;
  readonly #known = new Set<string>();
  /** By the call or the agent that asks, the number of its requests. */
  readonly #asked = new Map<string, number>();
  #handle: AnyHandle | undefined;
  #hasPeople = true;
  /** True once the caller has had a paused run continue. */
  #isUnpaused = false;

  constructor(
    world: SimulatedWorld,
    { choices, temper }: { readonly choices: Choices; readonly temper: Temper },
  ) {
    this.#world = world;
    this.#choices = choices;
    this.#temper = temper;
  }

  /** Has requests answered by the run's own `person`. */
  leavePeople(): void {
    this.#hasPeople = false;
  }

  /** Another process has the run, or none. */
  follow(handle: AnyHandle | undefined): void {
    this.#handle = handle;
    // What they said to a process that was killed may be lost with it: who is asked again answers again.
    this.#known.clear();
    if (this.#isUnpaused) handle?.resume();
  }

  /** Decides what the caller does, and when. */
  call(): void {
    for (let count = 1; count <= MOST_ACTS; count += 1) {
      const at = `caller ${count}`;
      const does = this.#choices.take(at, 'does', (dice) =>
        dice.chance(this.#temper.caller) ? dice.pick(callersDo) : undefined,
      );
      if (does === undefined) continue;
      const afterMs = this.#choices.take(at, 'afterMs', (dice) => dice.pick([...delays, 3_600_000])) ?? 0;
      this.#when(at, afterMs, (handle) => {
        this.#act(handle, does, at);
      });
    }
  }

  /** Looks for requests that are new. */
  look(): void {
    if (!this.#hasPeople) return;
    for (const request of this.#handle?.requests ?? []) {
      if (this.#known.has(request.id)) continue;
      this.#known.add(request.id);
      this.#take(request);
    }
  }

  get isAsked(): boolean {
    return (this.#handle?.requests.length ?? 0) > 0;
  }

  /** The subject of the oldest open request. */
  get waitsFor(): string | undefined {
    const request = this.#handle?.requests[0];
    if (request === undefined) return undefined;
    return request.kind === 'question'
      ? `the answer to ${request.path}`
      : `the approval of ${request.tool} of ${request.path}`;
  }

  #act(handle: AnyHandle, does: (typeof callersDo)[number], at: string): void {
    const path = 'the run';
    switch (does) {
      case 'abort':
        this.#world.tell({ by: 'caller', path, does: 'aborts it' }, at);
        handle.abort('the caller aborted it');
        break;
      case 'message':
        this.#world.tell({ by: 'caller', path, does: 'sends a message' }, at);
        handle.send('A message of the caller.');
        break;
      case 'pause':
        this.#world.tell({ by: 'caller', path, does: 'pauses it for a minute' }, at);
        handle.pause();
        this.#isUnpaused = false;
        this.#when(`${at} resumes`, LATER_MS, (later) => {
          this.#isUnpaused = true;
          later.resume();
        });
    }
  }

  #take(request: OpenRequest): void {
    const who = `${request.path}#${request.step ?? 0}.${request.callId ?? 'question'}`;
    const count = (this.#asked.get(who) ?? 0) + 1;
    this.#asked.set(who, count);
    const at = `person ${who}.${count}`;
    const share = this.#temper.person;
    const says = this.#choices.take(at, 'says', (dice) =>
      dice.chance(share)
        ? dice.pick(request.kind === 'approval' ? peopleSay : ['never', 'twice'])
        : undefined,
    );
    if (says === 'never') {
      this.#world.tell({ by: 'person', path: request.path, does: 'never answers' }, at);
      return;
    }
    const afterMs =
      this.#choices.take(at, 'afterMs', (dice) =>
        dice.chance(share) ? dice.pick(peoplesDelays) : undefined,
      ) ?? 0;
    this.#when(at, afterMs, (handle) => {
      for (let time = says === 'twice' ? 2 : 1; time > 0; time -= 1)
        if (request.kind === 'question') this.#reply(handle, request, at);
        else this.#decide(handle, request, says === 'no', at);
    });
  }

  #reply(handle: AnyHandle, { id, path }: QuestionRequest, at: string): void {
    const answer = this.#choices.take(at, 'answer', (dice) =>
      dice.chance(this.#temper.answers) ? dice.pick(['', 'no', 'I do not know.']) : undefined,
    );
    const text = typeof answer === 'string' ? answer : 'yes';
    this.#world.tell({ by: 'person', path, does: `answers "${text}"` }, at);
    handle.reply(text, id);
  }

  #decide(handle: AnyHandle, request: ApprovalRequest, isNo: boolean, at: string): void {
    const { id, path, tool, kind, step = 0, callId } = request;
    // A person who is asked what became of a call looks it up.
    const isDenied = kind === 'ambiguous' ? this.#world.wasExecuted(`${path}#${step}.${callId}`) : isNo;
    this.#world.tell({ by: 'person', path, does: `${isDenied ? 'denies' : 'approves'} ${tool}` }, at);
    if (isDenied) {
      handle.deny(id);
      return;
    }
    const roles = rolesIn(request);
    for (let person = 1; person <= MOST_APPROVERS; person += 1) {
      if (!handle.requests.some((each) => each.id === id)) return;
      const by: Approver = { name: `person ${person}`, roles };
      handle.approve(id, { by });
    }
  }

  /** Does something after a time, as soon as a process has the run. */
  #when(at: string, afterMs: number, act: (handle: AnyHandle) => void): void {
    this.#world.outside.setTimeout(
      () => {
        if (this.#handle === undefined) this.#when(at, LATER_MS, act);
        else act(this.#handle);
      },
      afterMs,
      at,
    );
  }
}

const rolesIn = ({ by, also = [] }: ApprovalTerms): readonly string[] => [
  ...(by === undefined ? [] : [by]),
  ...also.flatMap(rolesIn),
];
