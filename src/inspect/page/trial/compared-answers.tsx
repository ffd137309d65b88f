import { brief, oneLine } from '../../drawing/plain-text.ts';
import { countOf, moneyOf, several, spanOf } from '../figures.ts';
import { Text } from '../parts/text.tsx';
import { lineChanges } from './line-changes.ts';
import type { TrialAnswer, TriedCall } from './trial.ts';

/** Lines of a difference that are shown. */
const MOST_LINES = 400;

type Answer = { readonly [Name in keyof TrialAnswer]?: TrialAnswer[Name] | undefined };

interface ComparedProps {
  readonly call: TriedCall;
  readonly answer: TrialAnswer;
}

/** The recorded answer of a model beside that of the call that was made again, with their figures and their difference. */
export const ComparedAnswers = ({ call, answer }: ComparedProps) => {
  const recorded = answerOnRecord(call);
  return (
    <section class="compared" aria-label="Both answers">
      <div class="answers">
        <AnswerPart title="Recorded" answer={recorded} />
        <AnswerPart title="Now" answer={answer} />
      </div>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Recorded</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <bdi>{of(recorded)}</bdi>
              </td>
              <td>
                <bdi>{of(answer)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {answer.omitted !== undefined && (
        <p class="hint">Not taken by the model: {brief(answer.omitted, 400)}</p>
      )}
      <Difference left={recorded.text ?? ''} right={answer.text} />
    </section>
  );
};

/** The recorded answer of a call, as far as there is one. */
const answerOnRecord = ({ item, attempt }: TriedCall): Answer => {
  const { model, finish, tokens, costUsd, firstMs, durationMs, raw, status } = attempt;
  const { text, reasoning } = status === 'answered' || status === 'waiting' ? item : {};
  const { calls, refusal } = raw ?? {};
  return { model, text, reasoning, calls, refusal, finish, tokens, costUsd, firstMs, durationMs };
};

const UNKNOWN = '—';

/** The figures of an answer, by name. */
const rows: readonly (readonly [name: string, of: (answer: Answer) => string])[] = [
  ['Model', ({ model }) => oneLine(model ?? UNKNOWN, 80)],
  ['Stop reason', ({ finish }) => oneLine(finish ?? UNKNOWN, 40)],
  [
    'Tokens',
    ({ tokens }) =>
      tokens === undefined
        ? UNKNOWN
        : `${countOf(tokens.input)} → ${countOf(tokens.output)}${tokens.isEstimate === true ? ' (estimated)' : ''}`,
  ],
  ['Cost', ({ costUsd }) => (costUsd === undefined ? UNKNOWN : moneyOf(costUsd))],
  ['First token', ({ firstMs }) => (firstMs === undefined ? UNKNOWN : spanOf(firstMs))],
  ['Time', ({ durationMs }) => (durationMs === undefined ? UNKNOWN : spanOf(durationMs))],
];

const AnswerPart = ({ title, answer }: { readonly title: string; readonly answer: Answer }) => {
  const { text, reasoning = '', calls = [], refusal } = answer;
  return (
    <article>
      <h3>{title}</h3>
      {reasoning !== '' && (
        <details class="reasoning">
          <summary>reasoning</summary>
          <Text value={reasoning} />
        </details>
      )}
      {text === undefined ? (
        <p class="hint">It has no answer.</p>
      ) : (
        <p class="prose">{text === '' ? UNKNOWN : <Text value={text} />}</p>
      )}
      {refusal !== undefined && (
        <p class="misfit">
          <Text value={refusal} />
        </p>
      )}
      {calls.length > 0 && (
        <>
          <p class="hint">{several(calls.length, 'call')} of tools</p>
          <ul>
            {calls.map(({ name, input }, index) => (
              <li key={index}>
                <code>
                  <bdi>{oneLine(name, 60)}</bdi> <bdi>{brief(input, 300)}</bdi>
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
    </article>
  );
};

const Difference = ({ left, right }: { readonly left: string; readonly right: string }) => {
  const lines = lineChanges(left, right);
  const changed = lines.filter(({ side }) => side !== 'both');
  if (changed.length === 0) return <p class="hint">The texts are the same.</p>;
  return (
    <>
      <h3>
        Difference: {several(changed.filter(({ side }) => side === 'left').length, 'line')} only recorded,{' '}
        {several(changed.filter(({ side }) => side === 'right').length, 'line')} only now
      </h3>
      <ul class="difference" aria-label="Difference">
        {lines.slice(0, MOST_LINES).map(({ text, side }, index) => (
          <li key={index} class={side}>
            <span class="side">
              {signs[side].sign}
              <span class="unseen">{signs[side].means}</span>
            </span>
            <Text value={text} />
          </li>
        ))}
      </ul>
      {lines.length > MOST_LINES && (
        <p class="hint">{several(lines.length - MOST_LINES, 'further line')} left out</p>
      )}
    </>
  );
};

const signs = {
  both: { sign: ' ', means: '' },
  left: { sign: '−', means: 'only recorded: ' },
  right: { sign: '+', means: 'only now: ' },
} as const;
