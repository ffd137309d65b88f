import type { Json } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Model, ModelAnswer } from '../../contracts/models/model.ts';
import { modelAnswer } from '../../contracts/models/model.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { ToolExecutor } from '../../contracts/tools/executor.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { memoryStore } from '../../persistence/memory-store.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { startRun } from '../../runtime/run/start-run.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { virtualClock } from '../virtual-clock.ts';
import type { Move } from './environment.ts';
import { RUN } from './audience.ts';
import type { ProofOptions } from './verify-options.ts';
import type { CallEnd } from './call-end.ts';
import { FAILED } from './call-end.ts';

/** A promise that the story settles. */
interface Waiting<Value> {
  resolve(value: Value): void;
  reject(reason: Error): void;
}

/** The reason why a genuine run could not do what a story says. */
export interface Deviation {
  readonly kind: 'not tried' | 'otherwise';
  readonly why: string;
}

/**
 * Runs an agent or a team for real, with an environment that does what a story says: its models and tools are asked by the runtime, and answer
 * in the order of the moves. No model is called, no tool executed; the time is virtual.
 */
export class GenuineRun {
  readonly events: RuntimeEvent[] = [];
  readonly store: JournalStore = memoryStore();
  readonly #definition: Definition;
  readonly #clock: VirtualClock = virtualClock();
  readonly #models = new Map<string, Waiting<ModelAnswer>>();
  readonly #tools = new Map<string, Waiting<unknown>>();
  readonly #handle: RunHandle<unknown, unknown>;

  constructor(definition: Definition, input: Json, { safety }: ProofOptions) {
    this.#definition = definition;
    const options = {
      runId: RUN,
      store: this.store,
      clock: this.#clock,
      model: this.#model,
      executor: this.#executor,
      ...(safety === undefined ? {} : { safety }),
    };
    this.#handle = startRun(definition, input, options, { isAttended: true, random: () => 0.5 });
    this.#handle.result.catch(() => undefined);
    this.#handle.events$.subscribe((event) => {
      if (event.type !== 'model.delta' && event.type !== 'observer.dropped') this.events.push(event);
    });
  }

  /** Makes the moves in their order; a deviation if one cannot be made. */
  async follow(moves: readonly Move[]): Promise<Deviation | undefined> {
    for (const move of moves) {
      let deviation: Deviation | undefined;
      // What is loaded when it is first needed takes some turns of the event loop.
      for (let turns = 0; turns < PATIENCE; turns += 1) {
        await this.#settle();
        deviation = await this.#make(move);
        if (deviation?.kind !== 'otherwise') break;
      }
      if (deviation !== undefined) return deviation;
    }
    await this.#settle();
    return undefined;
  }

  /** Ends what is left of it. */
  async end(): Promise<void> {
    this.#handle.abort('the story is over');
    await this.#settle();
    await this.#handle.result.catch(() => undefined);
  }

  async #make({ path, does, said }: Move): Promise<Deviation | undefined> {
    switch (said.kind) {
      case 'calls':
      case 'answers':
      case 'refuses':
        return this.#decide(path, does, answerOf(said));
      case 'fails':
        return this.#decide(
          path,
          does,
          new TroupeError('model.unavailable', 'Cannot answer as the model is unavailable'),
        );
      case 'finishes':
        return this.#finish(
          placeOf(path, said.callId),
          placeOf(ownerOf(path), said.callId),
          does,
          said.result,
        );
      case 'yes':
      case 'no':
        return this.#approve(path, does, said.kind === 'yes');
      case 'abort':
        this.#handle.abort('it was aborted');
        return undefined;
      case 'time':
        await this.#clock.advance(Math.max(0, said.at - this.#clock.now()));
        return undefined;
      case 'limit':
      case 'other':
        return { kind: 'not tried', why: `a genuine run cannot be made to: ${does}` };
    }
  }

  #decide(path: string, does: string, answer: ModelAnswer | Error): Deviation | undefined {
    const waiting = this.#models.get(path);
    if (waiting === undefined) return this.#decidesItself(path) ? undefined : astray(path, does);
    this.#models.delete(path);
    if (answer instanceof Error) waiting.reject(answer);
    else waiting.resolve(answer);
    return undefined;
  }

  #finish(key: string, ownerKey: string, does: string, result: CallEnd): Deviation | undefined {
    const found = this.#tools.has(key) ? key : ownerKey;
    const waiting = this.#tools.get(found);
    if (waiting === undefined) return astray(key, does);
    this.#tools.delete(found);
    if (result === FAILED) waiting.reject(new TroupeError('tool.failed', 'it failed'));
    else waiting.resolve(result);
    return undefined;
  }

  #approve(path: string, does: string, isApproved: boolean): Deviation | undefined {
    const request = this.#handle.requests.find(
      (each) => each.kind === 'approval' && each.path === ownerOf(path),
    );
    if (request === undefined) return astray(path, does);
    if (isApproved) this.#handle.approve(request.id);
    else this.#handle.deny(request.id);
    return undefined;
  }

  /** An agent with a `decide` of its own did by itself what it does: the rest of the story tells whether it was that. */
  #decidesItself(path: string): boolean {
    const names = new Set([this.#definition.name]);
    const find = (definition: Definition): boolean => {
      names.add(definition.name);
      if (definition.agent?.decide !== undefined && isOf(path, definition.name)) return true;
      return [...definition.members.values()].some((member) => !names.has(member.name) && find(member));
    };
    return find(this.#definition);
  }

  async #settle(): Promise<void> {
    await this.#clock.advance(0);
    await this.#clock.advance(0);
  }

  get #model(): Model {
    return {
      provider: 'any',
      id: 'model',
      isLanguageModel: false,
      answer: (_request, { key }) =>
        new Promise((resolve, reject) => {
          this.#models.set(key.slice(RUN.length + 1, key.lastIndexOf('#')), { resolve, reject });
        }),
    };
  }

  get #executor(): ToolExecutor {
    return ({ context: { path, callId } }) =>
      new Promise((resolve, reject) => {
        this.#tools.set(placeOf(path, callId), { resolve, reject });
      });
  }
}

/** Turns of the event loop after which a move that cannot be made will never be. */
const PATIENCE = 200;

const astray = (path: string, does: string): Deviation => ({
  kind: 'otherwise',
  why: `the genuine run did not come to where '${path}' ${does}`,
});

/** The place of a call among those of its agent: a proof does not tell steps apart, so its story may have the id of another step's call. */
const placeOf = (path: string, callId: string): string => `${path} ${callId.replace(/^call_\d+_/, 'call_')}`;

/** The agent of a call's actor, whose name begins with `~`. */
const ownerOf = (path: string): string => path.replace(/\/~[^/]*$/, '');

/** A member's part of an address is its role, with a number. */
const isOf = (path: string, name: string): boolean => {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === name || last.replace(/-[\d.]+$/, '') === name;
};

const answerOf = (said: Extract<Move['said'], { kind: 'calls' | 'answers' | 'refuses' }>): ModelAnswer => {
  const usage = { input: 0, output: 0 };
  switch (said.kind) {
    case 'calls':
      return modelAnswer({
        usage,
        calls: said.calls.map(({ name, input }, index) => ({ id: `c${index}`, name, input })),
      });
    case 'answers':
      return modelAnswer({
        usage,
        text: typeof said.answer === 'string' ? said.answer : JSON.stringify(said.answer),
      });
    default:
      return modelAnswer({ usage, refusal: 'I will not.' });
  }
};
