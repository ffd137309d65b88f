import { oneLine } from '../../drawing/plain-text.ts';
import type { ActorView } from '../../recording/tableau.ts';
import { nameOf, stateNames, taskOf } from '../actor-tree.ts';
import { several } from '../figures.ts';
import { Icon } from '../parts/icon.tsx';
import { VirtualList } from '../list/virtual-list.tsx';
import type { Work, WorkStatus } from '../../recording/work-of.ts';
import { statusWords } from './work-words.ts';

const ROW = 40;

interface Row {
  readonly name: string;
  readonly status: WorkStatus;
  /** Absent for a member that was not engaged yet. */
  readonly view: ActorView | undefined;
}

/** Those that need a look come first. */
const order: readonly WorkStatus[] = ['waits', 'failed', 'active', 'stopped', 'done', 'skipped', 'idle'];

const rowsOf = ({ actors, members }: Work): readonly Row[] => {
  const rows =
    members === undefined
      ? actors.map((view): Row => ({ name: nameOf(view), status: ownStatus(view), view }))
      : [...members].flatMap(([name, { status, actors: own }]): readonly Row[] => {
          const view = own.at(-1);
          return [{ name: view === undefined ? name : nameOf(view), status, view }];
        });
  return rows.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
};

const ownStatus = ({ status }: ActorView): WorkStatus => status;

interface MemberListProps {
  readonly work: Work;
  readonly onShow: (view: ActorView) => void;
  readonly onClose: () => void;
}

/** The members that stand in one box, or the times that a member was engaged. */
export const MemberList = ({ work, onShow, onClose }: MemberListProps) => {
  const rows = rowsOf(work);
  return (
    <section class="members" aria-label="Members">
      <header>
        {several(rows.length, 'member')}
        <button type="button" aria-label="Close the list" onClick={onClose}>
          <Icon name="close" size={14} />
        </button>
      </header>
      <VirtualList
        count={rows.length}
        rowHeight={ROW}
        role="list"
        label="Members in this box"
        render={(index) => {
          const row = rows[index];
          return row && <MemberLine key={row.view?.actor ?? row.name} row={row} onShow={onShow} />;
        }}
      />
    </section>
  );
};

const MemberLine = ({ row, onShow }: { readonly row: Row } & Pick<MemberListProps, 'onShow'>) => {
  const { name, status, view } = row;
  return (
    <div role="listitem" style={{ height: `${ROW}px` }}>
      <button
        type="button"
        class={`member ${status}`}
        disabled={view === undefined}
        onClick={() => {
          if (view !== undefined) onShow(view);
        }}
      >
        <bdi>{oneLine(name, 60)}</bdi>
        <span class="status">{statusWords[status]}</span>
        <span class="task">
          {view === undefined
            ? ''
            : oneLine([stateNames(view), taskOf(view)].filter(Boolean).join(' · '), 120)}
        </span>
      </button>
    </div>
  );
};
