import { command } from './control.ts';
import { isExported, goLive, goTo, isHelpShown, isPlaying, middleTab, sideTab } from './page-state.ts';
import { opened } from './opened.ts';
import { changeableState, changeState } from './change/changeable-state.ts';
import { showChosen } from './compare/show-chosen.ts';
import { openBreakMenu } from './chart/chart-breaks.tsx';
import { isControlled } from './parts/controls.tsx';
import { canFork } from './state/forked-run.ts';
import { goToMarker, hold, play } from './playback.ts';
import { scope } from './run-scope.ts';
import type { HomeView } from './state/home.ts';
import { homeView, isHome, isRunShown } from './state/home.ts';
import { turnTheme } from './theme.ts';

const FAR = 100;

const by = (count: number) => (): void => {
  hold();
  const { at, lengthAt } = scope.peek();
  goTo(lengthAt(at + count));
};

/** An exported page has one run, and no server. */
const showAll = (view: HomeView): void => {
  if (isExported.peek()) return;
  homeView.value = view;
  isHome.value = true;
};

/** A keyboard action, with its description for the help. */
export interface KeyAction {
  readonly keys: readonly string[];
  readonly shownAs?: string;
  readonly means: string;
  /** True if it is of the whole page, not of a run. */
  readonly isAnywhere?: true;
  /** True if it needs control of runs. */
  readonly needsControl?: true;
  /** Checks whether what is shown can be controlled so. Default: that it is a live run. */
  readonly canAct?: () => boolean;
  readonly act: () => void;
}

export const keyActions: readonly KeyAction[] = [
  {
    keys: [' '],
    shownAs: 'space',
    means: 'Play, or hold',
    act: () => {
      if (isPlaying.peek()) hold();
      else play();
    },
  },
  { keys: ['ArrowLeft'], shownAs: '←', means: 'One entry back', act: by(-1) },
  { keys: ['ArrowRight'], shownAs: '→', means: 'One entry forth', act: by(1) },
  { keys: [','], means: `${FAR} entries back`, act: by(-FAR) },
  { keys: ['.'], means: `${FAR} entries forth`, act: by(FAR) },
  {
    keys: ['['],
    means: 'The error, approval or end before',
    act: () => {
      goToMarker(-1);
    },
  },
  {
    keys: [']'],
    means: 'The next error, approval or end',
    act: () => {
      goToMarker(1);
    },
  },
  {
    keys: ['Home'],
    means: 'To the start',
    act: () => {
      hold();
      const { first, lengthAt } = scope.peek();
      goTo(lengthAt(first));
    },
  },
  { keys: ['l', 'End'], shownAs: 'l', means: 'Back to live', act: goLive },
  {
    keys: ['/'],
    means: 'Find an actor, or a run',
    isAnywhere: true,
    act: () => {
      document.getElementById('search')?.focus();
    },
  },
  {
    keys: ['w'],
    means: 'Work',
    act: () => {
      middleTab.value = 'work';
    },
  },
  {
    keys: ['1'],
    means: 'Chart',
    act: () => {
      middleTab.value = 'chart';
    },
  },
  {
    keys: ['2'],
    means: 'Sequence',
    act: () => {
      middleTab.value = 'sequence';
    },
  },
  {
    keys: ['3'],
    means: 'Transcript',
    act: () => {
      sideTab.value = 'transcript';
    },
  },
  {
    keys: ['4'],
    means: 'Context',
    act: () => {
      sideTab.value = 'context';
    },
  },
  {
    keys: ['5'],
    means: 'Breakpoints',
    act: () => {
      sideTab.value = 'breakpoints';
    },
  },
  {
    keys: ['6'],
    means: 'Events',
    act: () => {
      middleTab.value = 'events';
    },
  },
  { keys: ['b'], means: 'Breakpoints in the chart', act: openBreakMenu },
  {
    keys: ['f'],
    means: 'Fork a run that is kept, from here',
    needsControl: true,
    canAct: canFork,
    act: () => {
      opened.value = 'fork';
    },
  },
  {
    keys: ['t'],
    means: "Change the selected agent's state, and fork from here",
    needsControl: true,
    canAct: () => changeableState() !== undefined,
    act: changeState,
  },
  ...(
    [
      ['7', 'Time', 'time'],
      ['8', 'Cost', 'cost'],
      ['9', 'Errors', 'errors'],
    ] as const
  ).map(([key, means, tab]) => ({
    keys: [key],
    means,
    act: () => {
      middleTab.value = tab;
    },
  })),
  {
    keys: ['h'],
    means: 'All runs',
    isAnywhere: true,
    act: () => {
      showAll('runs');
    },
  },
  {
    keys: ['o'],
    means: 'What is slow, dear, and fails in all runs',
    isAnywhere: true,
    act: () => {
      showAll('monitor');
    },
  },
  {
    keys: ['c'],
    means: 'Compare the two runs that are chosen in the table (space)',
    isAnywhere: true,
    act: showChosen,
  },
  { keys: ['d'], means: 'Light or dark', isAnywhere: true, act: turnTheme },
  {
    keys: ['?'],
    means: 'This list',
    isAnywhere: true,
    act: () => {
      isHelpShown.value = !isHelpShown.peek();
    },
  },
  {
    keys: ['p'],
    means: 'Pause the run',
    needsControl: true,
    act: () => {
      void command({ do: 'pause' });
    },
  },
  {
    keys: ['r'],
    means: 'Resume the run',
    needsControl: true,
    act: () => {
      void command({ do: 'resume' });
    },
  },
  {
    keys: ['s'],
    means: 'Step',
    needsControl: true,
    act: () => {
      void command({ do: 'step' });
    },
  },
  {
    keys: ['e'],
    means: 'Step by one effect',
    needsControl: true,
    act: () => {
      void command({ do: 'effect' });
    },
  },
  {
    keys: ['m'],
    means: 'Send a message',
    needsControl: true,
    act: () => {
      opened.value = 'message';
    },
  },
];

/** Checks whether a key belongs to the focused form element. */
const isBusy = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return false;
  if (target instanceof HTMLButtonElement || target.tagName === 'SUMMARY') return key === ' ';
  return ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
};

/** Listens to the keyboard for the whole page. */
export const listen = (): void => {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      isHelpShown.value = false;
      opened.value = undefined;
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isBusy(event.target, event.key)) return;
    const action = keyActions.find(({ keys }) => keys.includes(event.key));
    if (action === undefined || (!isRunShown.peek() && action.isAnywhere !== true)) return;
    if (action.needsControl === true && !(action.canAct ?? isControlled)()) return;
    event.preventDefault();
    action.act();
  });
};
