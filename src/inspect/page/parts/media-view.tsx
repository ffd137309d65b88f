import { useEffect, useState } from 'preact/hooks';
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
  const at = `/api/content/${encodeURIComponent(run)}/${part.hash}`;
  const url = `${at}?type=${encodeURIComponent(part.mediaType)}`;
  const name = nameOf(part);
  const problem = useProblem(`${at}?check`);
  if (problem === undefined) return <Caption part={part} />;
  if (problem !== '') return <Caption part={part} problem={problem} />;
  return (
    <a href={url} download={name} title={`Save ${name}`}>
      {isDrawn(part.mediaType) && <img src={url} alt={name} loading="lazy" />}
      <Caption part={part} />
    </a>
  );
};

/** The reason why media cannot be shown: empty if they can, undefined until the server has said. */
const useProblem = (url: string): string | undefined => {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isShown = true;
    void problemAt(url).then((found) => {
      if (isShown) setProblem(found);
    });
    return () => {
      isShown = false;
    };
  }, [url]);
  return problem;
};

const problemAt = async (url: string): Promise<string> => {
  try {
    const answer: unknown = await (await fetch(url)).json();
    if (typeof answer !== 'object' || answer === null || !('error' in answer)) return '';
    const { message } = answer.error as { readonly message?: unknown };
    return typeof message === 'string' ? message : 'The server does not have them.';
  } catch {
    return 'The server does not answer.';
  }
};

const Caption = ({ part, problem }: { readonly part: MediaPart; readonly problem?: string }) => (
  <span>
    <bdi>{nameOf(part)}</bdi> · {bytesText(part.size)}
    {problem !== undefined && <em class="missing">{oneLine(problem, 400)}</em>}
  </span>
);

const nameOf = ({ name, mediaType, hash }: MediaPart): string => {
  const [ending = 'bin'] = /^[\w-]+/.exec(mediaType.slice(mediaType.indexOf('/') + 1)) ?? [];
  return oneLine(name ?? `${hash.slice(0, 8)}.${ending}`, 60);
};
