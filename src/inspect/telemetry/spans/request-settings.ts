import type { Attributes } from '@opentelemetry/api';
import type { ModelSettings } from '../../../contracts/models/model.ts';
import type { Work } from '../work/work.ts';
import { attribute } from './conventions.ts';

/** The settings that the conventions have a name for. */
const settingNames = {
  temperature: attribute.temperature,
  topP: attribute.topP,
  topK: attribute.topK,
  maxOutputTokens: attribute.maxTokens,
  stop: attribute.stopSequences,
  seed: attribute.seed,
  presencePenalty: attribute.presencePenalty,
  frequencyPenalty: attribute.frequencyPenalty,
} as const satisfies Partial<Record<keyof ModelSettings, string>>;

type Named = keyof typeof settingNames;

const isNamed = (name: string): name is Named => Object.hasOwn(settingNames, name);

/**
 * The settings of requests, as attributes. They are known when a request is made, but only its answer says which of them the model does
 * not take, and only once in a run: those were never sent.
 */
export class RequestSettings {
  readonly #asked = new WeakMap<Work, ModelSettings>();
  /** Of the outermost work: what each model does not take. */
  readonly #omitted = new WeakMap<Work, Map<string, Set<string>>>();

  asked(work: Work, settings: ModelSettings | undefined): void {
    if (settings !== undefined) this.#asked.set(work, settings);
  }

  attributesOf(
    work: Work,
    omitted: Readonly<Record<string, string>> | undefined,
    redact: (text: string) => string,
  ): Attributes {
    const left = this.#leftOut(work, Object.keys(omitted ?? {}));
    const settings = Object.entries(this.#asked.get(work) ?? {});
    return Object.fromEntries(
      settings.flatMap(([name, value]: [string, unknown]): [string, number | string[]][] => {
        if (!isNamed(name) || left.has(name)) return [];
        if (typeof value === 'number') return [[settingNames[name], value]];
        const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
        return texts.length === 0 ? [] : [[settingNames[name], texts.map(redact)]];
      }),
    );
  }

  #leftOut(work: Work, names: readonly string[]): ReadonlySet<string> {
    const run = outermost(work);
    const models = this.#omitted.get(run) ?? new Map<string, Set<string>>();
    const known = models.get(work.name) ?? new Set<string>();
    for (const name of names) known.add(name);
    if (known.size > 0) this.#omitted.set(run, models.set(work.name, known));
    return known;
  }
}

const outermost = (work: Work): Work => {
  let outer = work;
  while (outer.parent !== undefined) outer = outer.parent;
  return outer;
};
