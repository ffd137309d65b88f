import * as z from 'zod/mini';
import { oneLine } from '../../drawing/plain-text.ts';
import type { RunsQuery } from './runs-query.ts';
import { columnNames, spareColumns } from './runs-query.ts';

/** A view of the table of runs that was saved by a name. */
export interface SavedView {
  readonly name: string;
  readonly query: RunsQuery;
}

/** The views that a browser keeps, and what could not be read of them. */
export interface KeptViews {
  readonly views: readonly SavedView[];
  readonly note: string | undefined;
}

export const LONGEST_NAME = 60;
export const MOST_VIEWS = 50;
const LONGEST_TEXT = 500;

const viewSchema = z.strictObject({
  name: z.string().check(
    z.refine((name) => name === nameOf(name), 'it is no name'),
    z.minLength(1),
  ),
  query: z.strictObject({
    find: z.string().check(z.maxLength(LONGEST_TEXT)),
    status: z.optional(z.string().check(z.maxLength(LONGEST_TEXT))),
    sort: z.enum(columnNames),
    isDescending: z.boolean(),
    hidden: z.array(z.enum(spareColumns)),
  }),
});

/** Version of the text. */
const VERSION = 1;

const keptSchema = z.object({ v: z.literal(VERSION), views: z.array(z.unknown()) });

/** The name that is kept of what was typed. */
export const nameOf = (typed: string): string => oneLine(typed, LONGEST_NAME).trim();

/** Reads what {@link viewsText} has written. What is damaged, or of another program or version, is left out, with a note. */
export const viewsIn = (text: string | null): KeptViews => {
  if (text === null || text === '') return { views: [], note: undefined };
  const kept = keptSchema.safeParse(parseJson(text)).data;
  if (kept === undefined)
    return { views: [], note: `Saved views that cannot be read are ignored: ${REPLACED}` };
  const views: SavedView[] = [];
  for (const each of kept.views) {
    const { data } = viewSchema.safeParse(each);
    if (data === undefined || views.length === MOST_VIEWS || isTaken(views, data.name)) continue;
    const { status, hidden, ...rest } = data.query;
    const inOrder = spareColumns.filter((name) => hidden.includes(name));
    views.push({ name: data.name, query: { ...rest, status, hidden: inOrder } });
  }
  const left = kept.views.length - views.length;
  if (left === 0) return { views, note: undefined };
  return {
    views,
    note: `${left} of ${kept.views.length} saved views cannot be read, and are ignored: ${REPLACED}`,
  };
};

const REPLACED = 'the next change replaces them';

export const viewsText = (views: readonly SavedView[]): string => JSON.stringify({ v: VERSION, views });

const isTaken = (views: readonly SavedView[], name: string): boolean =>
  views.some((each) => each.name === name);

/** A change of views, or why it cannot be made. */
export type Changed = { readonly views: readonly SavedView[] } | { readonly refusal: string };

/** The views with one more; one of the same name is replaced. */
export const withView = (views: readonly SavedView[], typed: string, query: RunsQuery): Changed => {
  const name = nameOf(typed);
  if (name === '') return { refusal: 'Cannot save the view as it has no name: write one' };
  if (Math.max(query.find.length, query.status?.length ?? 0) > LONGEST_TEXT)
    return {
      refusal: `Cannot save the view as it looks for more than ${LONGEST_TEXT} characters: shorten them`,
    };
  const view = { name, query };
  if (isTaken(views, name)) return { views: views.map((each) => (each.name === name ? view : each)) };
  if (views.length >= MOST_VIEWS)
    return { refusal: `Cannot save the view as there are ${MOST_VIEWS} already: remove one` };
  return { views: [...views, view].toSorted((one, other) => one.name.localeCompare(other.name)) };
};

/** The views with another name for one. */
export const renameView = (views: readonly SavedView[], before: string, typed: string): Changed => {
  const name = nameOf(typed);
  if (name === '') return { refusal: 'Cannot rename the view as it would have no name: write one' };
  if (name !== before && isTaken(views, name))
    return { refusal: `Cannot rename the view as there is another '${name}': choose another name` };
  const renamed = views.map((each) => (each.name === before ? { ...each, name } : each));
  return { views: renamed.toSorted((one, other) => one.name.localeCompare(other.name)) };
};

export const withoutView = (views: readonly SavedView[], name: string): readonly SavedView[] =>
  views.filter((each) => each.name !== name);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
