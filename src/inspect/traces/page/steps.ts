import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { StepView } from '../step-view.ts';
import { hasFailed, stepKeyOf } from '../step-view.ts';
import type { Markup, Shown } from './markup.ts';
import { block, dataBlock, grouped, markup, lasting } from './markup.ts';

/** What was said by a model in a step. */
type Answered = Extract<RuntimeEvent, { type: 'model.answered' }>;

/** Where each step begins and ends, by its key, and what models said in it. */
export interface StepPlaces {
  readonly first: ReadonlyMap<string, number>;
  readonly last: ReadonlyMap<string, number>;
  readonly said: ReadonlyMap<string, readonly Answered[]>;
}

/** The places of all steps among the events. */
export const placesOf = (events: readonly RuntimeEvent[]): StepPlaces => {
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  const said = new Map<string, Answered[]>();
  events.forEach((event, index) => {
    const key = stepKeyOf(event);
    if (key === undefined) return;
    if (!first.has(key)) first.set(key, index);
    last.set(key, index);
    if (event.type === 'model.answered') said.set(key, [...(said.get(key) ?? []), event]);
  });
  return { first, last, said };
};

/** A card for one step: what was seen, decided, done, judged and changed, and what it took. */
export const stepCard = (view: StepView, { first, said }: StepPlaces): Markup => {
  const { path, step, record } = view;
  const key = `${path} ${step}`;
  return markup`<details class="card step${hasFailed(view) ? ' bad' : ''}" data-at="${first.get(key) ?? 0}" open>
    <summary>
      <b>${path}</b> <span class="dim">step ${step}</span> ${deed(view)}
      <span class="dim cost">${cost(view)}</span>
    </summary>
    ${(said.get(key) ?? []).map(saying)}
    ${record === undefined ? unended(view) : parts(view)}
  </details>
  `;
};

const unended = ({ cutBy }: StepView): Markup => {
  if (cutBy === undefined) return markup`<p class="note">Under way when the trace ends</p>`;
  const { status, error } = cutBy;
  return markup`<section class="call ${status === 'failed' ? 'bad' : ''}">
    <h3>${status === 'failed' ? '✗' : '■'} The agent ended in this step: ${status}</h3>
    ${error === undefined ? undefined : block(`${error.code}: ${error.message}`)}
  </section>`;
};

const deed = ({ record, cutBy }: StepView): Shown => {
  if (cutBy !== undefined)
    return markup`<span class="tag ${cutBy.status === 'failed' ? 'bad' : ''}">${cutBy.status}</span>`;
  const decision = record?.decision;
  if (decision === undefined) return markup`<span class="tag">no decision</span>`;
  const names = decision.kind === 'act' ? decision.calls.map(({ name }) => name).join(', ') : '';
  return markup`<span class="tag ${decision.kind === 'answer' ? 'good' : ''}">${decision.kind}</span> ${names}`;
};

const cost = ({ modelCalls, tokens, costUsd, record }: StepView): string =>
  [
    ...(modelCalls === 0 ? [] : [`${grouped(tokens)} tokens`]),
    ...(modelCalls === 0 || costUsd === 0
      ? []
      : [costUsd === undefined ? 'cost unknown' : `$${costUsd.toPrecision(2)}`]),
    ...(record === undefined ? [] : [lasting(record.endedAt - record.startedAt)]),
  ].join(' · ');

const saying = ({ model, text, reasoning }: Answered): Markup =>
  markup`<section>
    <h3>${model} said</h3>
    ${
      reasoning === undefined
        ? undefined
        : markup`<details class="think">
            <summary>reasoning</summary>
            ${block(reasoning)}
          </details>`
    }
    ${text === '' ? markup`<p class="note">no text</p>` : block(text)}
  </section>`;

const parts = ({ record }: StepView): Shown => {
  if (record === undefined) return undefined;
  const { observation, decision, results, critiques, diff } = record;
  const inputs = decision?.kind === 'act' ? decision.calls.map(({ input }) => input) : [];
  return [
    observation === undefined ? undefined : section('Observed', dataBlock(observation)),
    decision === undefined || decision.kind === 'act' ? undefined : section('Decided', dataBlock(decision)),
    results.map(
      (result, index) =>
        markup`<section class="call ${result.ok ? '' : 'bad'}">
          <h3>
            ${result.ok ? '✓' : '✗'} ${result.tool} <span class="dim">${lasting(result.durationMs)}</span>
          </h3>
          ${inputs[index] === undefined ? undefined : dataBlock(result.input ?? inputs[index])}
          ${block(result.text)}
        </section>`,
    ),
    critiques.map(
      ({ critic, verdict, note = '' }) =>
        markup`<section>
          <h3>${critic}: <span class="tag ${verdict === 'accept' ? 'good' : 'bad'}">${verdict}</span></h3>
          ${note === '' ? undefined : block(note)}
        </section>`,
    ),
    Object.keys(diff).length === 0 ? undefined : section('Changed', dataBlock(diff)),
  ];
};

const section = (title: string, content: Markup): Markup =>
  markup`<section>
    <h3>${title}</h3>
    ${content}
  </section>`;
