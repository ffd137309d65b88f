import type { Side, Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import { countOf, several } from '../figures.ts';
import { Text } from '../parts/text.tsx';
import type { AlignedPart } from './aligned-texts.ts';
import { alignTexts } from './aligned-texts.ts';
import { bothSides } from './compared-pair.ts';
import { sideNames } from './side-names.ts';

interface AlignedProps {
  readonly title: string;
  /** One of them, as a noun. */
  readonly one: string;
  readonly of: Sides<readonly string[]>;
}

/** Phases, messages or calls of two runs: beside each other where they are the same, and marked where only one run has them. */
export const AlignedView = ({ title, one, of: { left, right } }: AlignedProps) => {
  const { parts, same, omitted } = alignTexts(left, right);
  return (
    <section class="aligned" aria-label={title}>
      <h3>{title}</h3>
      <p class="hint">
        {left.length + right.length === 0
          ? `No ${one} of either.`
          : `${several(left.length, one)} of ${sideNames.left}, ${countOf(right.length)} of ${sideNames.right}, ${countOf(same)} the same.`}
      </p>
      {parts.map((part, index) => (
        <Part key={index} {...part} one={one} />
      ))}
      {omitted.left + omitted.right > 0 && (
        <p class="hint">
          Left out: {countOf(omitted.left)} of {sideNames.left} and {countOf(omitted.right)} of{' '}
          {sideNames.right}, after the first {several(left.length - omitted.left, one)} and{' '}
          {countOf(right.length - omitted.right)}.
        </p>
      )}
    </section>
  );
};

/** Equal texts beyond this number are folded. */
const MOST_EQUAL = 8;

const Part = ({ both, left, right, one }: AlignedPart & { readonly one: string }) => {
  if (both.length > MOST_EQUAL)
    return (
      <details class="equal">
        <summary>{several(both.length, `equal ${one}`)}</summary>
        <Texts texts={both} sign="=" means="both" />
      </details>
    );
  if (both.length > 0) return <Texts texts={both} sign="=" means="both" />;
  const sides: Sides<readonly string[]> = { left, right };
  return (
    <div class="sides">
      {bothSides.map((side) => (
        <div key={side} class={`only ${side}`}>
          {sides[side].length > 0 && (
            <Texts texts={sides[side]} sign={signs[side]} means={`only ${sideNames[side]}`} />
          )}
        </div>
      ))}
    </div>
  );
};

const signs: Readonly<Record<Side, string>> = { left: '−', right: '+' };

interface TextsProps {
  readonly texts: readonly string[];
  readonly sign: string;
  readonly means: string;
}

const Texts = ({ texts, sign, means }: TextsProps) => (
  <ul aria-label={means}>
    {texts.map((text, index) => (
      <li key={index}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <Text value={text} most={300} />
      </li>
    ))}
  </ul>
);
