import { oneLine } from '../../drawing/plain-text.ts';
import { select } from '../page-state.ts';
import type { Speaker } from './thread-item.ts';
import { initialOf, tintOf } from './tint-of.ts';

/** The badge of a speaker: its initial, in its tint. */
export const Badge = ({ name }: { readonly name: string }) => (
  <span class={`badge tint-${tintOf(name)}`} aria-hidden="true">
    {initialOf(name)}
  </span>
);

/** The name of a speaker; a click on that of an actor selects it. */
export const SpeakerName = ({ speaker: { name, actor } }: { readonly speaker: Speaker }) => {
  const words = <bdi>{oneLine(name, 40)}</bdi>;
  if (actor === undefined) return <span class="speaker">{words}</span>;
  return (
    <button
      type="button"
      class={`speaker link tint-${tintOf(name)}`}
      title="Select this actor"
      onClick={() => {
        select(actor);
      }}
    >
      {words}
    </button>
  );
};
