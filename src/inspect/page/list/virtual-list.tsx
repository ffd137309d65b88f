import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Heights } from './heights.ts';

interface VirtualListProps {
  readonly count: number;
  /** The height of a row; of rows of any height, a guess. */
  readonly rowHeight: number;
  readonly render: (index: number) => ComponentChildren;
  readonly label: string;
  readonly role: 'tree' | 'list' | 'listbox';
  /** True if rows have any height: each is measured when it is shown. */
  readonly isMeasured?: boolean | undefined;
  /** True if it stays at its end as rows are added, until somebody scrolls back. */
  readonly isFollowing?: boolean | undefined;
  /** The row that is to be in sight. */
  readonly inSight?: number | undefined;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
  readonly activeId?: string | undefined;
}

const AROUND = 6;
/** The distance from the end, in pixels, at which a list is still at it. */
const NEAR_END = 40;

/** A list of rows: only those in sight are there. */
export const VirtualList = ({
  count,
  rowHeight,
  render,
  label,
  role,
  isMeasured = false,
  isFollowing = false,
  inSight,
  onKeyDown,
  activeId,
}: VirtualListProps) => {
  const box = useRef<HTMLDivElement>(null);
  const rowBox = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [, setMeasured] = useState(0);
  const heights = useMemo(() => new Heights(rowHeight), [rowHeight]);
  // Rows at the end are in sight once it has scrolled there: others would be made for nothing.
  const from = isFollowing && isAtEnd.current ? Math.max(0, heights.top(count) - height) : top;
  const first = Math.max(0, heights.rowAt(from, count) - AROUND);
  const last = Math.min(count, heights.rowAt(from + height, count) + 1 + AROUND);
  /** Measures the rows that are there; those above the sight do not move what is in it. */
  const measure = (): void => {
    const [element, rows] = [box.current, rowBox.current];
    if (!isMeasured || element === null || rows === null) return;
    let changed = 0;
    let above = 0;
    [...rows.children].forEach((row, place) => {
      const isAbove = heights.top(first + place) < element.scrollTop + above;
      // With the part of a pixel, as many of them are more than one.
      const change = heights.set(first + place, row.getBoundingClientRect().height);
      changed += Math.abs(change);
      if (isAbove) above += change;
    });
    if (changed < 1) return;
    if (!isAtEnd.current || !isFollowing) element.scrollTop += above;
    setMeasured((times) => times + 1);
  };
  const measureNow = useRef(measure);
  measureNow.current = measure;
  useLayoutEffect(() => {
    const [element, rows] = [box.current, rowBox.current];
    if (element === null || rows === null) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
      measureNow.current();
    });
    observer.observe(element);
    observer.observe(rows);
    setHeight(element.clientHeight);
    return () => {
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    measure();
    const element = box.current;
    if (element === null || !isFollowing || !isAtEnd.current) return;
    element.scrollTop = element.scrollHeight;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || inSight === undefined || inSight < 0) return;
    const [from, to] = [heights.top(inSight), heights.top(inSight + 1)];
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + element.clientHeight) element.scrollTop = to - element.clientHeight;
  }, [inSight, heights]);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index += 1) rows.push(render(index));
  return (
    <div
      ref={box}
      class="scroll"
      role={role}
      aria-label={label}
      aria-activedescendant={activeId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        // Nobody has scrolled where its size has changed.
        if (clientHeight === height) isAtEnd.current = scrollTop + clientHeight > scrollHeight - NEAR_END;
        setTop(scrollTop);
      }}
    >
      <div style={{ height: `${heights.top(count)}px` }} role="presentation">
        <div ref={rowBox} style={{ transform: `translateY(${heights.top(first)}px)` }} role="presentation">
          {rows}
        </div>
      </div>
    </div>
  );
};
