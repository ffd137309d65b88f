import { useState } from 'preact/hooks';
import { piecesOf } from '../../drawing/plain-text.ts';
import { countOf } from '../figures.ts';

/** Shows untrusted text: verbatim, with marks for invisible characters, and truncated. */
export const Text = ({ value, most = 600 }: { readonly value: string; readonly most?: number }) => {
  const [length, setLength] = useState(most);
  const shown = value.length > length ? value.slice(0, length) : value;
  return (
    <bdi class="text">
      <Pieces value={shown} />
      {value.length > length && (
        <>
          {'… '}
          <button
            type="button"
            class="more"
            onClick={() => {
              setLength(length * 8);
            }}
          >
            show more ({countOf(value.length - length)} characters)
          </button>
        </>
      )}
    </bdi>
  );
};

/** Untrusted text, with marks for invisible characters. */
export const Pieces = ({ value }: { readonly value: string }) => (
  <>
    {piecesOf(value).map(({ text, means }, index) =>
      means === undefined ? (
        text
      ) : (
        <span key={index} class="mark" title={means} aria-label={means}>
          {text}
        </span>
      ),
    )}
  </>
);
