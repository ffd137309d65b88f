import { runsQuery } from '../state/home.ts';
import { Menu } from './menu.tsx';
import { columnHeads, spareColumns, turnColumn } from './runs-query.ts';

/** The columns of the table, to be left out and shown again. */
export const ColumnsMenu = () => (
  <Menu name="Columns">
    {spareColumns.map((name) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={!runsQuery.value.hidden.includes(name)}
          onChange={() => {
            runsQuery.value = turnColumn(runsQuery.peek(), name);
          }}
        />
        {columnHeads[name]}
      </label>
    ))}
  </Menu>
);
