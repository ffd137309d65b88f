/** The column that a table is ordered by. */
export interface TableOrder<Column extends string> {
  readonly sort: Column;
  readonly isDescending: boolean;
}

/** An order as a field of an address; `-cost` is descending. The opening one needs no words. */
export const orderText = <Column extends string>(
  { sort, isDescending }: TableOrder<Column>,
  opening: TableOrder<Column>,
): string | undefined =>
  sort === opening.sort && isDescending === opening.isDescending
    ? undefined
    : `${isDescending ? '-' : ''}${sort}`;

/** Reads what {@link orderText} has written; nothing for what is no order. */
export const readOrder = <Column extends string>(
  said: string | null,
  isColumn: (name: string) => name is Column,
): Partial<TableOrder<Column>> => {
  const [, minus = '', sort = ''] = /^(-?)(\w+)$/.exec(said ?? '') ?? [];
  return isColumn(sort) ? { sort, isDescending: minus === '-' } : {};
};
