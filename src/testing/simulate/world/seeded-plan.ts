import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { ExecutableCall } from '../../../contracts/tools/executor.ts';
import type { Dependency, FaultKind, FaultPlan } from '../../resilience/fault.ts';
import { faultFacts } from '../../resilience/fault.ts';
import type { Choices } from './choices.ts';
import type { Temper } from './temper.ts';
import { drawnKinds } from './temper.ts';

/** Processes that one run may lose: after that its store and its processes work, so that it ends. */
const MOST_LOSSES = 4;

/** The place of a tool's call. */
export const placeOfCall = ({ context: { path, step, callId, attempt } }: ExecutableCall): string =>
  `tool ${path}#${step}.${callId}.${attempt}`;

/** A fault that has struck. */
interface Struck {
  readonly at: string;
  readonly kind: FaultKind;
  /** The address of the agent, or what it is about. */
  readonly path: string;
  /** The tool. */
  readonly of?: string | undefined;
}

/** The plan of a simulated run: several faults, one after the other and at once, each decided at its place; what lasts, lasts until the end. */
export class SeededPlan implements FaultPlan {
  readonly #choices: Choices;
  readonly #temper: Temper;
  readonly #runId: string;
  readonly #onFault: (struck: Struck) => void;
  /** By model or tool, the fault that lasts. */
  readonly #lasting = new Map<string, FaultKind>();
  #writes = 0;
  #losses = 0;
  #isDown = false;

  constructor(
    {
      choices,
      temper,
      runId,
    }: { readonly choices: Choices; readonly temper: Temper; readonly runId: string },
    onFault: (struck: Struck) => void,
  ) {
    this.#choices = choices;
    this.#temper = temper;
    this.#runId = runId;
    this.#onFault = onFault;
  }

  model(_count: number, of: string, key: string): FaultKind | undefined {
    const place = keyInRun({ key, runId: this.#runId });
    const path = place.slice(0, place.lastIndexOf('#'));
    return this.#call('model', { at: `model ${place}`, path }, of);
  }

  tool(_count: number, call: ExecutableCall): FaultKind | undefined {
    return this.#call('tool', { at: placeOfCall(call), path: call.context.path, of: call.tool }, call.tool);
  }

  /** Of all processes of the run together. */
  write(): FaultKind | undefined {
    this.#writes += 1;
    if (this.#isDown) return 'store-down';
    if (this.#losses >= MOST_LOSSES) return undefined;
    const at = `write ${this.#writes}`;
    const kind = this.#decide(['process', 'store'], at);
    if (kind === undefined) return undefined;
    this.#losses += 1;
    this.#isDown = kind === 'store-down';
    this.#onFault({ at, kind, path: at });
    return kind;
  }

  /** Another process has the run: its store works. */
  renew(): void {
    this.#isDown = false;
  }

  #call(dependency: 'model' | 'tool', place: Omit<Struck, 'kind'>, of: string): FaultKind | undefined {
    const lasting = this.#lasting.get(`${dependency} ${of}`);
    if (lasting !== undefined) return lasting;
    const kind = this.#decide([dependency], place.at);
    if (kind === undefined) return undefined;
    if (faultFacts(kind).lasts === 'always') this.#lasting.set(`${dependency} ${of}`, kind);
    this.#onFault({ ...place, kind });
    return kind;
  }

  #decide(dependencies: readonly Dependency[], at: string): FaultKind | undefined {
    return this.#choices.take(at, 'fault', (dice) => {
      const struck = dependencies.find((each) => dice.chance(this.#temper[each]));
      return struck === undefined ? undefined : dice.pick(drawnKinds(struck));
    });
  }
}
