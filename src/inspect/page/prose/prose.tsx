import type { JSX } from 'preact';
import { h } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { brief } from '../../drawing/plain-text.ts';
import { countOf } from '../figures.ts';
import { isVerbatim } from '../page-state.ts';
import { Pieces, Text } from '../parts/text.tsx';
import { indentJson } from './indent-json.ts';
import type { Prose as Part, ProseElement } from './prose-of.ts';
import { proseOf } from './prose-of.ts';

/** The characters that are shown at first. */
const SHORT = 4_000;
/** Lines of JSON beyond which it is folded. */
const FEW = 12;

/** The words of a model or a person: Markdown and JSON as people read them, or the text as it is written. */
export const Prose = ({ text }: { readonly text: string }) => {
  const [length, setLength] = useState(SHORT);
  const isPlain = isVerbatim.value;
  const json = useMemo(() => (isPlain ? undefined : indentJson(text)), [text, isPlain]);
  const prose = useMemo(
    () => (isPlain || json !== undefined ? undefined : proseOf(text, length)),
    [text, json, isPlain, length],
  );
  if (json !== undefined) return <JsonProse text={text} json={json} />;
  if (prose === undefined)
    return (
      <div class="prose plain">
        <Text value={text} />
      </div>
    );
  return (
    <div class="prose text" dir="auto">
      <Parts parts={prose.parts} />
      {prose.rest > 0 && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setLength(length * 8);
          }}
        >
          show more ({countOf(prose.rest)} characters)
        </button>
      )}
    </div>
  );
};

const JsonProse = ({ text, json }: { readonly text: string; readonly json: string }) => {
  const whole = (
    <pre>
      <Text value={json} most={SHORT} />
    </pre>
  );
  if (json.split('\n', FEW + 1).length <= FEW) return <div class="prose json">{whole}</div>;
  return (
    <details class="prose json">
      <summary>{brief(text, 160)}</summary>
      {whole}
    </details>
  );
};

const Parts = ({ parts }: { readonly parts: readonly Part[] }): JSX.Element => (
  <>
    {parts.map((part, index) =>
      typeof part === 'string' ? <Pieces key={index} value={part} /> : draw(part, index),
    )}
  </>
);

const draw = (element: ProseElement, key: number): JSX.Element => {
  const { tag, children, href, start } = element;
  const content = <Parts parts={children} />;
  if (tag === 'hr') return <hr key={key} />;
  if (href !== undefined)
    return (
      <a key={key} href={href} title={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  if (tag === 'table')
    return (
      <div key={key} class="table scroll" role="group" aria-label="Table" tabIndex={0}>
        <table>{content}</table>
      </div>
    );
  return h(tag, { key, ...(start === undefined ? {} : { start }) }, content);
};
