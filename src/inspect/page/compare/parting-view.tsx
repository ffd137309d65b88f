import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Parted, Side } from '../../../runtime/journal/replay/compared-runs.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { eventSummary } from '../event-summary.ts';
import { several } from '../figures.ts';
import { Text } from '../parts/text.tsx';
import { hashOf, openingRoute } from '../state/route.ts';
import { valueText } from '../transcript.ts';
import { bothSides } from './compared-pair.ts';
import type { DifferingField } from './differing-fields.ts';
import { differingFields } from './differing-fields.ts';
import type { FollowedPair } from './follow-pair.ts';
import { sideNames } from './side-names.ts';

/** The most fields of an event that are shown. */
const MOST_FIELDS = 12;

interface PartingProps {
  readonly followed: FollowedPair;
  readonly parted: Parted;
}

/** The first event in which two runs differ, on both sides. */
export const PartingView = ({ followed, parted }: PartingProps) => {
  const { path, step, phase, left, right } = parted;
  const fields =
    left !== undefined && right !== undefined && left.type === right.type ? differingFields(left, right) : [];
  return (
    <section class="parting" aria-label="Where they part">
      <h3>Where they part</h3>
      <p>
        At <bdi>{oneLine(path, 200)}</bdi>
        {step !== undefined && `, step ${step}`}
        {phase !== undefined && `, ${oneLine(phase, 40)}`}
      </p>
      <div class="sides">
        {bothSides.map((side) => (
          <PartedSide key={side} side={side} event={parted[side]} followed={followed} fields={fields} />
        ))}
      </div>
    </section>
  );
};

interface PartedSideProps {
  readonly side: Side;
  readonly event: RuntimeEvent | undefined;
  readonly followed: FollowedPair;
  readonly fields: readonly DifferingField[];
}

const PartedSide = ({ side, event, followed, fields }: PartedSideProps) => {
  const name = sideNames[side];
  return (
    <article aria-label={`${name} at that moment`}>
      <p>
        <b class="side-name">{name}</b>{' '}
        {event === undefined ? (
          'has no further event there.'
        ) : (
          <>
            <code>{oneLine(event.type, 60)}</code>{' '}
            {fields.length === 0 && <bdi>{brief(eventSummary(event), 300)}</bdi>}
          </>
        )}
      </p>
      {fields.slice(0, MOST_FIELDS).map((field) => (
        <p key={field.name} class="field">
          <b>{oneLine(field.name, 40)}</b>{' '}
          <Text value={field[side] === undefined ? 'none' : valueText(field[side])} />
        </p>
      ))}
      {fields.length > MOST_FIELDS && (
        <p class="hint">{several(fields.length - MOST_FIELDS, 'further field')} left out</p>
      )}
      <p>
        <a href={addressOf(side, event, followed)}>
          {event === undefined ? `Show the end of ${name}` : `Show this moment in ${name}`}
        </a>
      </p>
    </article>
  );
};

/** The address of a run at an event, with the actor that it is about. */
const addressOf = (side: Side, event: RuntimeEvent | undefined, followed: FollowedPair): string => {
  const { pair, keys, slider } = followed;
  const place = event === undefined ? undefined : pair.sides[side].placeOf(event);
  return hashOf({
    ...openingRoute,
    ...keys[side],
    n: place === undefined ? undefined : slider[side](place),
    actor: event === undefined ? undefined : `${event.runId}/${event.path}`,
  });
};
