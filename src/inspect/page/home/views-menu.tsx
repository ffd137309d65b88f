import { useEffect, useState } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { Icon } from '../parts/icon.tsx';
import { runsQuery } from '../state/home.ts';
import { keepViews, keptViews, watchViews } from './kept-views.ts';
import { Menu } from './menu.tsx';
import { isSameQuery, openingQuery } from './runs-query.ts';
import type { Changed } from './saved-views.ts';
import { LONGEST_NAME, renameView, withoutView, withView } from './saved-views.ts';

/** The saved views: each is chosen, renamed and removed here, and the one that is shown is saved. */
export const ViewsMenu = () => {
  useEffect(watchViews, []);
  const [refusal, setRefusal] = useState<string>();
  const [renamed, setRenamed] = useState<string>();
  const { views, note } = keptViews.value;
  const query = runsQuery.value;
  const current = views.find((each) => isSameQuery(each.query, query))?.name;
  const change = (changed: Changed): boolean => {
    const isDone = 'views' in changed;
    if (isDone) keepViews(changed.views);
    setRefusal(isDone ? undefined : changed.refusal);
    return isDone;
  };
  return (
    <Menu name={current === undefined ? 'Views' : `View: ${oneLine(current, 24)}`} kind="views-menu">
      {(views.length > 0 || !isSameQuery(query, openingQuery)) && (
        <ul class="views" aria-label="Saved views">
          <li>
            <button
              type="button"
              class="plain name"
              onClick={() => {
                runsQuery.value = openingQuery;
              }}
            >
              All runs
            </button>
          </li>
          {views.map(({ name, query: saved }) =>
            renamed === name ? (
              <li key={name}>
                <NameForm
                  label="New name of the view"
                  verb="Rename"
                  name={name}
                  onName={(typed) => {
                    if (!change(renameView(views, name, typed))) return false;
                    setRenamed(undefined);
                    return true;
                  }}
                />
              </li>
            ) : (
              <li key={name}>
                <button
                  type="button"
                  class="plain name"
                  aria-current={name === current ? 'true' : undefined}
                  onClick={() => {
                    runsQuery.value = saved;
                  }}
                >
                  <bdi>{oneLine(name, LONGEST_NAME)}</bdi>
                </button>
                <button
                  type="button"
                  class="plain"
                  aria-label={`Rename the view ${oneLine(name, LONGEST_NAME)}`}
                  onClick={() => {
                    setRenamed(name);
                  }}
                >
                  Rename
                </button>
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove the view ${oneLine(name, LONGEST_NAME)}`}
                  onClick={({ currentTarget }) => {
                    // The focus stays in the menu.
                    currentTarget.closest('details')?.querySelector('summary')?.focus();
                    change({ views: withoutView(views, name) });
                  }}
                >
                  <Icon name="close" size={13} />
                </button>
              </li>
            ),
          )}
        </ul>
      )}
      <NameForm
        label="Name of this view"
        verb="Save"
        name=""
        onName={(typed) => change(withView(views, typed, query))}
      />
      {refusal !== undefined && (
        <p class="views-note" role="alert">
          {refusal}
        </p>
      )}
      {note !== undefined && <p class="views-note">{note}</p>}
    </Menu>
  );
};

interface NameFormProps {
  readonly label: string;
  readonly verb: string;
  readonly name: string;
  /** Returns true if the name was taken. */
  readonly onName: (typed: string) => boolean;
}

const NameForm = ({ label, verb, name, onName }: NameFormProps) => {
  const [typed, setTyped] = useState(name);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (onName(typed)) setTyped('');
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        maxLength={LONGEST_NAME}
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
        }}
      />
      <button type="submit">{verb}</button>
    </form>
  );
};
