import { fitsJson } from '../../base/json/fits-json.ts';
import { toJson } from '../../base/json/json.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import { callName } from '../cassette.ts';
import type { RecordedEffects, Recording } from '../rehearsal/recorded-effects.ts';
import { requestDigest } from '../rehearsal/recorded-effects.ts';
import type { Intervention, ShadowCall, ShadowRequest } from '../rehearsal/shadow.ts';
import type { Alternatives } from './alternatives.ts';
import type { BlameOptions, RepairPoint } from './blame-options.ts';
import type { Point, Said } from './point.ts';
import { decisionKey } from './point.ts';
import { answerSaying, repairOf, resultSaying } from './repaired.ts';
import type { Given, TrialPlan } from './trial-plan.ts';

/** All that the forks of one run share. */
export interface Sources {
  readonly recording: Recording;
  /** Digests of the requests on record, by key. */
  readonly digests: ReadonlyMap<string, string>;
  readonly alternatives: Alternatives;
  readonly repair: BlameOptions['repair'];
  /** True if tools that only read are executed. */
  readonly mayRead: boolean;
  /** Tools whose calls run agents: they are executed again for what is changed within. */
  readonly callers: ReadonlySet<string>;
  /** Reasons why something was left as it was. */
  readonly left: Set<string>;
}

/** Says something else at the points of a plan; all else is as on record, or, where that has no answer, asked. */
export class ChangedEffects implements Intervention {
  readonly #plan: TrialPlan;
  readonly #sources: Sources;
  readonly #recorded: RecordedEffects;
  /** Checks whether models may be asked. */
  readonly #mayAsk: () => boolean;
  readonly #points: ReadonlyMap<string, Point>;
  /** Names of calls whose agents have a point within. */
  readonly #around: ReadonlySet<string>;
  /** Given so far, by key of the point. */
  readonly given = new Map<string, Given>();
  /** True if another attempt may say something else. */
  isOpen = false;
  /** The error of a caller's `repair`. */
  problem: { readonly thrown: unknown } | undefined;

  constructor(plan: TrialPlan, sources: Sources, recorded: RecordedEffects, mayAsk: () => boolean) {
    this.#mayAsk = mayAsk;
    this.#plan = plan;
    this.#sources = sources;
    this.#recorded = recorded;
    this.#points = new Map(plan.points.map((point) => [point.key, point]));
    this.#around = new Set(plan.points.flatMap(({ within }) => within));
  }

  answer(asked: ShadowRequest): ModelAnswer | Promise<ModelAnswer> {
    const { key, model, request } = asked;
    const point = this.#points.get(decisionKey(key));
    if (point === undefined) return this.#recorded.answer(model, request, key) ?? this.#ask(asked);
    const isFirst = this.#sources.digests.get(point.key) === requestDigest(model, request);
    const known = this.#plan.given?.get(point.key);
    if (known?.answer !== undefined) {
      this.given.set(point.key, { ...known, isFirst });
      return known.answer;
    }
    return this.#anew(asked, point, isFirst);
  }

  result(call: ShadowCall): { readonly play: () => unknown } | undefined {
    const { name, tool, input, facts, run } = call;
    const mayRun = facts.safety === 'read' && facts.undeclared !== true;
    const isCaller = this.#sources.callers.has(tool);
    // What its agents do is answered as anything else is.
    if (isCaller && mayRun && (this.#around.has(name) || !this.#recorded.has(tool, input)))
      return { play: run };
    const point = this.#points.get(name);
    if (point === undefined) return undefined;
    const known = this.#plan.given?.get(name);
    const isFirst = this.#isAsRecorded(call);
    if (known?.play !== undefined) {
      this.given.set(name, { ...known, isFirst });
      return { play: known.play };
    }
    return { play: () => this.#executeAnew(call, point, isFirst, mayRun) };
  }

  /** The text of a message from outside: one that is not repaired is sent as it was. */
  async message(point: Point): Promise<string> {
    const known = this.#plan.given?.get(point.key)?.text;
    const text = known ?? (await this.#repair(point, {}))?.text;
    if (text === undefined) return point.recorded.text;
    this.given.set(point.key, { origin: 'repair', isFirst: true, text });
    return text;
  }

  /** Says something else than the record, as far as anybody has it. */
  async #anew(asked: ShadowRequest, point: Point, isFirst: boolean): Promise<ModelAnswer> {
    const { key, model, request, ask } = asked;
    const { alternatives, left } = this.#sources;
    const mayAsk = this.#mayAsk();
    const { sample } = this.#plan;
    const give = (origin: Given['origin'], answer: ModelAnswer): ModelAnswer => {
      this.given.set(point.key, { origin, isFirst, answer });
      return answer;
    };
    const said = await this.#repair(point, { request });
    if (said !== undefined) return give('repair', answerSaying(said));
    const { text, calls = [] } = point.recorded;
    const others = alternatives.answers(requestDigest(model, request), answerSaying({ text, calls }));
    if (mayAsk || others.length > sample + 1) this.isOpen = true;
    const other = others[sample];
    if (other !== undefined) return give('record', other);
    if (mayAsk) {
      const answer = await ask();
      // What follows from a change is no change of its own: with the same change it is answered again.
      if (!isFirst) this.#plan.known.set(requestDigest(model, request), answer);
      return give('model', answer);
    }
    if (others.length === 0 && isFirst)
      left.add(`no other answer of '${point.agent}' is on record, and no model was asked`);
    return this.#recorded.answer(model, request, key) ?? this.#ask(asked);
  }

  async #executeAnew(call: ShadowCall, point: Point, isFirst: boolean, mayRun: boolean): Promise<unknown> {
    const { name, tool, input, run } = call;
    const { alternatives, mayRead, callers, left } = this.#sources;
    const { sample } = this.#plan;
    const give = (origin: Given['origin'], play: () => unknown): unknown => {
      this.given.set(name, { origin, isFirst, play });
      return play();
    };
    const said = await this.#repair(point, { input: toJson(input) });
    if (said !== undefined) return give('repair', () => resultSaying(said));
    const others = alternatives.results(tool, input, point.recorded.text);
    if (others.length > sample + 1) this.isOpen = true;
    const other = others[sample];
    if (other !== undefined) return give('record', other);
    if (mayRun && (mayRead || callers.has(tool))) {
      this.isOpen = true;
      const value = await run();
      return give('tool', () => value);
    }
    if (others.length === 0 && isFirst)
      left.add(
        mayRun
          ? `no other result of '${tool}' is on record, and it was not executed: \`live: { tools: 'read' }\` does`
          : `no other result of '${tool}' is on record, and it is not declared to only read`,
      );
    const recorded = this.#recorded.result(tool, input, nameOf(call));
    if (recorded !== undefined) return recorded.play();
    throw call.stop(`it calls '${tool}' with another input, which is not on record`);
  }

  /** Answers a request that is not on record of this run: as another run does, or else its model. */
  async #ask({ model, request, ask, stop }: ShadowRequest): Promise<ModelAnswer> {
    const digest = requestDigest(model, request);
    const known = this.#plan.known.get(digest) ?? this.#sources.alternatives.answers(digest)[0];
    if (known !== undefined) return known;
    if (!this.#mayAsk()) throw stop('it asks a model what is not on record');
    const answer = await ask();
    this.#plan.known.set(digest, answer);
    return answer;
  }

  /** Asks the caller; its error is one of all that is tried. */
  async #repair(point: Point, now: Pick<RepairPoint, 'request' | 'input'>): Promise<Said | undefined> {
    try {
      const said = await repairOf(point, this.#sources.repair, { ...now, sample: this.#plan.sample });
      if (said !== undefined) this.isOpen = true;
      return said;
    } catch (thrown) {
      this.problem ??= { thrown };
      throw thrown;
    }
  }

  #isAsRecorded(call: ShadowCall): boolean {
    const recorded = this.#sources.recording.cassette.calls.get(nameOf(call));
    return recorded?.tool === call.tool && fitsJson(recorded.input, toJson(call.input));
  }
}

const nameOf = ({ context: { path, step, callId, attempt } }: ShadowCall): string =>
  callName(path, step, callId, attempt);
