import type { MediaPart } from '../../../contracts/content/part.ts';
import { isDrawn } from '../../drawing/drawn-pictures.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { bytesText } from '../figures.ts';
import { embedded, recorded } from '../page-state.ts';

/** Media, each as a picture or a name: a click saves it. A page without a server has the names only. */
export const MediaView = ({
  media = [],
  actor,
}: {
  readonly media?: readonly MediaPart[] | undefined;
  readonly actor: string;
}) => {
  if (media.length === 0) return null;
  const run = embedded.value === undefined ? recorded.value.timeline.head.actors.get(actor)?.run : undefined;
  return (
    <ul class="media">
      {media.map((part) => (
        <li key={part.hash}>
          {run === undefined ? <Caption part={part} /> : <Saved part={part} run={run} />}
        </li>
      ))}
    </ul>
  );
};

const Saved = ({ part, run }: { readonly part: MediaPart; readonly run: string }) => {
  const url = `/api/content/${encodeURIComponent(run)}/${part.hash}?type=${encodeURIComponent(part.mediaType)}`;
  const name = nameOf(part);
  return (
    <a href={url} download={name} title={`Save ${name}`}>
      {isDrawn(part.mediaType) && <img src={url} alt={name} loading="lazy" />}
      <Caption part={part} />
    </a>
  );
};

const Caption = ({ part }: { readonly part: MediaPart }) => (
  <span>
    <bdi>{nameOf(part)}</bdi> · {bytesText(part.size)}
  </span>
);

const nameOf = ({ name, mediaType, hash }: MediaPart): string => {
  const [ending = 'bin'] = /^[\w-]+/.exec(mediaType.slice(mediaType.indexOf('/') + 1)) ?? [];
  return oneLine(name ?? `${hash.slice(0, 8)}.${ending}`, 60);
};
