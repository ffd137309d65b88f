import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CompanyNotice } from './company/company-notice.tsx';
import {
  connection,
  embedded,
  middleTab,
  place,
  recorded,
  selectedView,
  shown,
  sideTab,
  unshown,
} from './page-state.ts';
import { WorkView } from './graph/work-view.tsx';
import { ActorList } from './parts/actor-list.tsx';
import { BreakpointsView } from './parts/breakpoints-view.tsx';
import { ChartView } from './chart/chart-view.tsx';
import { ContextView } from './parts/context-view.tsx';
import { Composer } from './parts/controls.tsx';
import { EventsView } from './parts/events-view.tsx';
import { CompareView } from './compare/compare-view.tsx';
import { CostView } from './cost/cost-view.tsx';
import { ErrorsView } from './errors/errors-view.tsx';
import { Home } from './home/home.tsx';
import { Monitor } from './monitor/monitor.tsx';
import { Help } from './parts/help.tsx';
import { ChangeDialog } from './change/change-dialog.tsx';
import { ForkNotice } from './change/fork-notice.tsx';
import { HeldNotice, ProcessNotice, SessionNote } from './process/process-notice.tsx';
import { AgainDialog } from './trial/again-dialog.tsx';
import { Icon } from './parts/icon.tsx';
import { InterruptedNotice } from './parts/interrupted-notice.tsx';
import { UnfollowedNotice } from './parts/unfollowed-notice.tsx';
import { RequestsBanner } from './parts/requests-banner.tsx';
import { RunView } from './parts/run-view.tsx';
import { SchedulesView } from './schedules/schedules-view.tsx';
import { SequenceView } from './parts/sequence-view.tsx';
import { TimeView } from './time/time-view.tsx';
import { TimelineBar } from './parts/timeline-bar.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { TranscriptView } from './parts/transcript-view.tsx';
import { oneLine } from '../drawing/plain-text.ts';
import { nameOf, stateNames } from './actor-tree.ts';
import { comparedPair, homeView, isHome, isRunShown, missingFile, missingRun } from './state/home.ts';

/** The page. */
export const App = () => (
  <div class={`app ${place.value === undefined ? 'now' : 'past'}`}>
    <div class="above">
      <TopBar />
      <SessionNote />
      {isRunShown.value && <InterruptedNotice />}
      {isRunShown.value && <HeldNotice />}
      {isRunShown.value && <ProcessNotice />}
      {isRunShown.value && <UnfollowedNotice />}
      {isRunShown.value && <ForkNotice />}
      {isRunShown.value && <RequestsBanner />}
      <CompanyNotice />
      <Composer />
    </div>
    {connection.value === 'refused' ? (
      <Empty title="This page has no key">
        Access needs the address that the inspector printed; each start prints a new one.
      </Empty>
    ) : isHome.value ? (
      <AllRuns />
    ) : comparedPair.value !== undefined ? (
      <CompareView pair={comparedPair.value} />
    ) : missingFile.value !== undefined ? (
      <Empty title="This file is not open">
        The page forgets files when it is closed or loaded again: open the file of run{' '}
        <bdi>{oneLine(missingFile.value, 80)}</bdi> once more. <a href="#/runs">All runs</a>
      </Empty>
    ) : missingRun.value !== undefined ? (
      <Empty title="This run is not here">
        <bdi>{oneLine(missingRun.value, 80)}</bdi> is neither of this process nor in its store.{' '}
        <a href="#/runs">All runs</a>
      </Empty>
    ) : recorded.value.timeline.length === 0 && shown.value.tableau.actors.size === 0 ? (
      <Nothing />
    ) : (
      <main>
        <ActorList />
        <Middle />
        <Side />
      </main>
    )}
    {isRunShown.value && <TimelineBar />}
    <Help />
    <AgainDialog />
    <ChangeDialog />
  </div>
);

const homeViews = { runs: Home, monitor: Monitor, schedules: SchedulesView };

const AllRuns = () => {
  const View = homeViews[homeView.value];
  return <View />;
};

const Empty = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="nothing">
    <h2>{title}</h2>
    <p>{children}</p>
  </main>
);

const Nothing = () => {
  if (unshown.value !== undefined)
    return (
      <Empty title="This run cannot be shown">
        <bdi>{oneLine(unshown.value, 600)}</bdi>
        <br />
        <a href="#/runs">All runs</a>
      </Empty>
    );
  if (connection.value === 'open')
    return <Empty title="No run yet">Agents that run with this inspector appear here.</Empty>;
  return connection.value === 'lost' ? (
    <Empty title="Nobody answers">The inspector is not reachable. This page keeps trying.</Empty>
  ) : (
    <Empty title="One moment">Loading the recording.</Empty>
  );
};

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: Readonly<Record<Name, string>>;
  readonly order: readonly Name[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

const Tabs = <Name extends string>({ label, names, order, chosen, onChoose }: TabsProps<Name>) => (
  <div class="tabs" role="tablist" aria-label={label}>
    {order.map((name) => (
      <button
        key={name}
        type="button"
        role="tab"
        id={`tab-${name}`}
        aria-selected={chosen === name}
        aria-controls={`panel-${name}`}
        tabIndex={chosen === name ? 0 : -1}
        onClick={() => {
          onChoose(name);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          const next = order[(order.indexOf(name) + step + order.length) % order.length];
          if (step === 0 || next === undefined) return;
          event.preventDefault();
          onChoose(next);
          document.getElementById(`tab-${next}`)?.focus();
        }}
      >
        {names[name]}
      </button>
    ))}
  </div>
);

const middleNames = {
  work: 'Work',
  chart: 'Chart',
  sequence: 'Sequence',
  events: 'Events',
  time: 'Time',
  cost: 'Cost',
  errors: 'Errors',
};

const middleViews = {
  work: WorkView,
  chart: ChartView,
  sequence: SequenceView,
  events: EventsView,
  time: TimeView,
  cost: CostView,
  errors: ErrorsView,
};

/** Scrolls a pane into sight when another of its tabs is chosen, by a key or elsewhere: on a small screen it may be below. */
const useInSight = (chosen: string): RefObject<HTMLElement | null> => {
  const pane = useRef<HTMLElement>(null);
  const before = useRef(chosen);
  useLayoutEffect(() => {
    if (before.current !== chosen) pane.current?.scrollIntoView({ block: 'nearest' });
    before.current = chosen;
  }, [chosen]);
  return pane;
};

const Middle = () => {
  const view = selectedView.value;
  const View = middleViews[middleTab.value];
  const pane = useInSight(middleTab.value);
  return (
    <section ref={pane} class="pane middle" aria-label="Chart and messages">
      <div class="head">
        <Tabs
          label="View"
          names={middleNames}
          order={['work', 'chart', 'sequence', 'events', 'time', 'cost', 'errors']}
          chosen={middleTab.value}
          onChoose={(name) => {
            middleTab.value = name;
          }}
        />
        {view !== undefined && middleTab.value === 'chart' && (
          <p class="subject">
            <span class={`role ${view.role}`}>
              <Icon name={view.role} size={14} />
            </span>
            <bdi>{oneLine(nameOf(view), 40)}</bdi>
            <span class="state">{stateNames(view)}</span>
          </p>
        )}
      </div>
      <div
        class="panel"
        role="tabpanel"
        id={`panel-${middleTab.value}`}
        aria-labelledby={`tab-${middleTab.value}`}
      >
        <View />
      </div>
    </section>
  );
};

const Side = () => {
  const pane = useInSight(sideTab.value);
  return (
    <section ref={pane} class="pane side" aria-label="Transcript and context of the selected actor">
      <div class="head">
        <Tabs
          label="Of the selected actor"
          names={{ transcript: 'Transcript', context: 'Context', breakpoints: 'Breakpoints', run: 'Run' }}
          order={[
            'transcript',
            'context',
            'breakpoints',
            ...(embedded.value === undefined ? [] : (['run'] as const)),
          ]}
          chosen={sideTab.value}
          onChoose={(name) => {
            sideTab.value = name;
          }}
        />
      </div>
      <div
        class="panel"
        role="tabpanel"
        id={`panel-${sideTab.value}`}
        aria-labelledby={`tab-${sideTab.value}`}
      >
        {sideTab.value === 'transcript' ? (
          <TranscriptView />
        ) : sideTab.value === 'context' ? (
          <ContextView />
        ) : sideTab.value === 'run' ? (
          <RunView />
        ) : (
          <BreakpointsView />
        )}
      </div>
    </section>
  );
};
