import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ActorView } from '../../recording/tableau.ts';
import type { ChartDrawing } from '../../drawing/chart-drawing.ts';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { nameOf } from '../actor-tree.ts';
import type { ChartPlace } from './chart-places.ts';
import { isAtPlace, markOfArrow, placesAt, placesIn, placeText } from './chart-places.ts';
import type { SetBreakpoint } from '../held-places.ts';
import {
  actorOf,
  addBreakpoint,
  canHold,
  isAbout,
  keyOf,
  removeBreakpoint,
  setBreakpoints,
} from '../held-places.ts';
import { middleTab, selectedView, shown } from '../page-state.ts';
import { Icon } from '../parts/icon.tsx';

/** An open menu of breakpoints, at a point of the chart. */
interface Menu {
  readonly places: readonly ChartPlace[];
  readonly x: number;
  readonly y: number;
}

const menu = signal<Menu | undefined>(undefined);

/** Opens the menu of breakpoints for the state that the selected actor is in. */
export const openBreakMenu = (): void => {
  const id = selectedView.peek()?.states.at(-1);
  if (id === undefined || !canHold()) return;
  middleTab.value = 'chart';
  menu.value = { places: [{ kind: 'state', id }], x: 12, y: 12 };
};

interface DrawnProps {
  readonly drawing: ChartDrawing;
  readonly view: ActorView;
}

const RADIUS = 5;

/** The marks of breakpoints in the drawing of a chart. */
export const BreakMarks = ({ drawing, view }: DrawnProps) => {
  const set = setBreakpoints.value.filter(({ breakpoint }) => isAbout(breakpoint, view));
  const isHeldAt = (place: ChartPlace): boolean => set.some(({ breakpoint }) => isAtPlace(breakpoint, place));
  const isArrow = (id: string): boolean => isHeldAt({ kind: 'arrow', id });
  return (
    <g class={`breaks ${canHold() ? 'can' : ''}`}>
      {drawing.boxes
        .filter(
          ({ id, type, reactions }) =>
            (type !== 'anywhere' && isHeldAt({ kind: 'state', id })) ||
            reactions.some(({ ids }) => ids.some(isArrow)),
        )
        .map(({ id, x, y, width }) => (
          <circle key={id} data-break={id} cx={x + width - 9} cy={y + 9} r={RADIUS}>
            <title>{`Breakpoint at ${plain(id)}`}</title>
          </circle>
        ))}
      {drawing.arrows
        .filter(({ ids }) => ids.some(isArrow))
        .map((arrow) => {
          const { x, y } = markOfArrow(arrow);
          const held = arrow.ids.filter(isArrow).join(' | ');
          return (
            <circle key={held} data-break={held} cx={x} cy={y} r={RADIUS}>
              <title>{`Breakpoint at ${plain(held)}`}</title>
            </circle>
          );
        })}
    </g>
  );
};

/** A press that moves further than this drags the chart. */
const STILL = 4;
/** Distance within which a click is one on an arrow, in px. */
const REACH = 7;

interface MenuProps extends DrawnProps {
  readonly canvas: RefObject<HTMLDivElement | null>;
}

/** Opens a menu where a state or an arrow of the chart is clicked, in which breakpoints are set there. */
export const BreakMenu = ({ drawing, view, canvas }: MenuProps) => {
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    let pressed = { x: 0, y: 0 };
    const press = ({ clientX, clientY }: PointerEvent): void => {
      pressed = { x: clientX, y: clientY };
      menu.value = undefined;
    };
    const click = ({ clientX, clientY }: MouseEvent): void => {
      const matrix = element.querySelector<SVGGElement>('.breaks')?.getScreenCTM();
      if (matrix === null || matrix === undefined || !canHold()) return;
      if (Math.hypot(clientX - pressed.x, clientY - pressed.y) > STILL) return;
      const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
      const places = placesAt(drawing, point, REACH / matrix.a);
      const { left, top } = element.getBoundingClientRect();
      menu.value = places.length === 0 ? undefined : { places, x: clientX - left, y: clientY - top };
    };
    element.addEventListener('pointerdown', press);
    element.addEventListener('click', click);
    return () => {
      element.removeEventListener('pointerdown', press);
      element.removeEventListener('click', click);
    };
  }, [drawing]);
  useEffect(
    () => () => {
      menu.value = undefined;
    },
    [view.actor],
  );
  const open = menu.value;
  if (open === undefined || !canHold()) return null;
  const key = open.places.map(({ id }) => id).join();
  return (
    <Opened
      key={key}
      {...open}
      view={view}
      close={() => {
        menu.value = undefined;
        canvas.current?.focus();
      }}
    />
  );
};

interface OpenedProps extends Menu {
  readonly view: ActorView;
  readonly close: () => void;
}

const Opened = ({ places, x, y, view, close }: OpenedProps) => {
  const box = useRef<HTMLDivElement>(null);
  const path = view.actor.slice(view.run.length + 1);
  const placed = setBreakpoints.value.filter(({ breakpoint }) =>
    places.some((place) => isAtPlace(breakpoint, place) && isAbout(breakpoint, view)),
  );
  // One that is there already tells whom it is about.
  const [isOfOne, setIsOfOne] = useState(() =>
    placed.every(({ breakpoint }) => actorOf(breakpoint) !== undefined),
  );
  const [at, setAt] = useState({ x, y });
  useLayoutEffect(() => {
    const element = box.current;
    const around = element?.parentElement;
    if (element === null || around === null || around === undefined) return undefined;
    const place = (): void => {
      setAt({
        x: Math.max(8, Math.min(x, around.clientWidth - element.offsetWidth - 8)),
        y: Math.max(8, Math.min(y, around.clientHeight - element.offsetHeight - 8)),
      });
    };
    const observer = new ResizeObserver(place);
    observer.observe(around);
    place();
    element.querySelector('input')?.focus();
    return () => {
      observer.disconnect();
    };
  }, []);
  return (
    <div
      ref={box}
      class="break-menu"
      role="dialog"
      aria-label="Breakpoints here"
      style={{ left: `${at.x}px`, top: `${at.y}px` }}
      onKeyDown={(event) => {
        // The keys of the page are not those of a menu.
        event.stopPropagation();
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <b>Pause the run</b>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          <Icon name="close" size={12} />
        </button>
      </header>
      <ul>
        {places.map((place) => (
          <Toggle key={place.id} place={place} actor={isOfOne ? path : undefined} set={placed} />
        ))}
      </ul>
      <label>
        <span>of</span>
        <select
          aria-label="Of"
          value={isOfOne ? 'one' : 'any'}
          onChange={({ currentTarget }) => {
            setIsOfOne(currentTarget.value === 'one');
          }}
        >
          <option value="one">only {oneLine(nameOf(view), 40)}</option>
          <option value="any">any actor</option>
        </select>
      </label>
      <OtherPlace chart={view.chart} chosen={places} at={at} />
    </div>
  );
};

interface ToggleProps {
  readonly place: ChartPlace;
  readonly actor: string | undefined;
  readonly set: readonly SetBreakpoint[];
}

const Toggle = ({ place, actor, set }: ToggleProps) => {
  const here = set.filter(
    ({ breakpoint }) =>
      isAtPlace(breakpoint, place) && (actorOf(breakpoint) === undefined) === (actor === undefined),
  );
  return (
    <li>
      <label title={plain(place.id)}>
        <input
          type="checkbox"
          checked={here.length > 0}
          onChange={() => {
            if (here.length > 0) here.forEach(removeBreakpoint);
            else
              addBreakpoint({ kind: place.kind, value: place.id, ...(actor === undefined ? {} : { actor }) });
          }}
        />
        <span>
          {place.kind === 'state' ? 'in ' : 'at '}
          <bdi>{oneLine(placeText(place), 80)}</bdi>
          {here.some(({ isOfAll }) => isOfAll) && <small key={here.map(keyOf).join()}> of all runs</small>}
        </span>
      </label>
    </li>
  );
};

interface OtherProps {
  readonly chart: string | undefined;
  readonly chosen: readonly ChartPlace[];
  readonly at: { readonly x: number; readonly y: number };
}

/** Every place of the chart, for the keyboard. */
const OtherPlace = ({ chart, chosen, at }: OtherProps) => {
  const shape = shown.value.tableau.charts.get(chart ?? '');
  if (shape === undefined) return null;
  const [first] = chosen;
  const groups = [
    { kind: 'state', label: 'States' },
    { kind: 'arrow', label: 'Arrows' },
  ] as const;
  return (
    <label>
      <span>at</span>
      <select
        aria-label="Place"
        value={first === undefined ? '' : `${first.kind} ${first.id}`}
        onChange={({ currentTarget }) => {
          const [kind = '', ...id] = currentTarget.value.split(' ');
          const place: ChartPlace = { kind: kind === 'state' ? 'state' : 'arrow', id: id.join(' ') };
          menu.value = { places: [place], ...at };
        }}
      >
        {groups.map(({ kind, label }) => (
          <optgroup key={kind} label={label}>
            {placesIn(shape, kind).map((id) => (
              <option key={id} value={`${kind} ${id}`}>
                {oneLine(placeText({ kind, id }), 70)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
};
