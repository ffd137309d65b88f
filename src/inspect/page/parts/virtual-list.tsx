import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly render: (index: number) => ComponentChildren;
  readonly label: string;
  readonly role: 'tree' | 'list' | 'listbox';
  /** The row that is to be in sight. */
  readonly inSight?: number | undefined;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
  readonly activeId?: string | undefined;
}

const AROUND = 6;

/** A list of rows of one height: only those in sight are there. */
export const VirtualList = ({
  count,
  rowHeight,
  render,
  label,
  role,
  inSight,
  onKeyDown,
  activeId,
}: VirtualListProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
    });
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => {
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || inSight === undefined || inSight < 0) return;
    const from = inSight * rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = from + rowHeight - element.clientHeight;
  }, [inSight, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + AROUND);
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
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
      }}
    >
      <div style={{ height: `${count * rowHeight}px` }} role="presentation">
        <div style={{ transform: `translateY(${first * rowHeight}px)` }} role="presentation">
          {rows}
        </div>
      </div>
    </div>
  );
};
