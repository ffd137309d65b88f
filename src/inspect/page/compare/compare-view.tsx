import { useEffect } from 'preact/hooks';
import type { RunComparison, Side, Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { several } from '../figures.ts';
import { Text } from '../parts/text.tsx';
import type { RunKey } from '../state/route.ts';
import { hashOf, keyText, openingRoute } from '../state/route.ts';
import { AlignedView } from './aligned-view.tsx';
import { comparisonAddress } from './chosen-runs.ts';
import { bothSides } from './compared-pair.ts';
import { figureRows } from './figure-rows.ts';
import type { FollowedPair } from './follow-pair.ts';
import { followedPair, followPair } from './follow-pair.ts';
import { PartingView } from './parting-view.tsx';
import type { RunEvents } from './run-events.ts';
import { sideNames } from './side-names.ts';

/** Two runs side by side: their figures, where they part, and what each did after it. */
export const CompareView = ({ pair: { left, right } }: { readonly pair: Sides<RunKey> }) => {
  useEffect(() => followPair({ left, right }), [keyText(left), keyText(right)]);
  const followed = followedPair.value;
  return (
    <main class="compare scroll" tabIndex={0}>
      <div class="compare-head">
        <h2>Two runs side by side</h2>
        <a href={comparisonAddress(right, left)}>Swap</a>
        <a href="#/runs">All runs</a>
      </div>
      {followed === undefined ? <p class="empty">Loading both runs.</p> : <Both {...followed} />}
    </main>
  );
};

const Both = (followed: FollowedPair) => {
  const { pair, keys, refusals } = followed;
  const { sides } = pair;
  const isShown = bothSides.every((side) => sides[side].all.length > 0);
  return (
    <>
      <div class="sides">
        {bothSides.map((side) => (
          <SideHead key={side} side={side} of={keys[side]} events={sides[side]} refusal={refusals[side]} />
        ))}
      </div>
      {isShown && <Comparison {...followed} comparison={pair.comparison} />}
    </>
  );
};

interface SideHeadProps {
  readonly side: Side;
  readonly of: RunKey;
  readonly events: RunEvents;
  readonly refusal: string | undefined;
}

const SideHead = ({ side, of, events: { all, missing, tooLarge }, refusal }: SideHeadProps) => (
  <section class="side-head" aria-label={`Run ${sideNames[side]}`}>
    <h3>
      <b class="side-name">{sideNames[side]}</b>{' '}
      {all[0] !== undefined && (
        <>
          <bdi>{oneLine(all[0].agent, 60)}</bdi>
          {' · '}
        </>
      )}
      <a href={hashOf({ ...openingRoute, ...of })}>
        <bdi>{oneLine(of.run, 80)}</bdi>
      </a>
      {of.isFile && ' (file)'}
    </h3>
    {refusal !== undefined ? (
      <p role="alert">
        <bdi>{oneLine(refusal, 600)}</bdi>
      </p>
    ) : (
      all.length === 0 && <p class="hint">Loading.</p>
    )}
    {missing > 0 && (
      <p class="hint">
        The recording no longer has its first {several(missing, 'event')}: what is below leaves them out.
      </p>
    )}
    {tooLarge > 0 && <p class="hint">{several(tooLarge, 'event')} too large for the page: not compared.</p>}
  </section>
);

const Comparison = ({ comparison, ...followed }: FollowedPair & { readonly comparison: RunComparison }) => {
  const { left, right } = followed.pair.sides;
  const { totals, phases, messages, calls, parted } = comparison;
  const rows = figureRows({
    left: { totals: totals.left, events: left },
    right: { totals: totals.right, events: right },
  });
  return (
    <>
      <Verdict comparison={comparison} sides={followed.pair.sides} />
      <div class="compare-figures" role="table" aria-label="Figures of both runs">
        <div class="figure-row figure-heads" role="row">
          <span role="columnheader">
            <span class="unseen">Figure</span>
          </span>
          <span role="columnheader">{sideNames.left}</span>
          <span role="columnheader">{sideNames.right}</span>
          <span role="columnheader">
            {sideNames.right} against {sideNames.left}
          </span>
        </div>
        {rows.map(({ name, change, ...sides }) => (
          <div key={name} class={`figure-row ${change === 'same' ? '' : 'changed'}`} role="row">
            <span role="rowheader">{name}</span>
            {bothSides.map((side) => (
              <span key={side} class="figure-side" role="cell">
                <span class="side-name" aria-hidden="true">
                  {sideNames[side]}
                </span>
                <Text value={sides[side]} most={400} />
              </span>
            ))}
            <span class="figure-change" role="cell">
              {change}
            </span>
          </div>
        ))}
      </div>
      {parted !== undefined && (
        <>
          <PartingView followed={followed} parted={parted} />
          <AlignedView title="Path after that" one="phase" of={phases} />
          <AlignedView title="Messages after that" one="message" of={messages} />
          <AlignedView title="Tool calls after that" one="tool call" of={calls} />
        </>
      )}
    </>
  );
};

interface VerdictProps {
  readonly comparison: RunComparison;
  readonly sides: Sides<RunEvents>;
}

const Verdict = ({ comparison: { shared, parted }, sides }: VerdictProps) => {
  const goesOn = bothSides.filter((side) => sides[side].end === undefined);
  // A side without an event there may still get it.
  const behind = parted && goesOn.find((side) => parted[side] === undefined);
  const same = several(shared, 'event');
  return (
    <p class="verdict" role="status">
      {parted === undefined
        ? `The runs are the same${goesOn.length === 0 ? '' : ' so far'}: ${same}.`
        : behind === undefined
          ? `${same} of both are the same; then they part.`
          : `${same} of both are the same so far; then ${sideNames[behind]} has not come further.`}
    </p>
  );
};
