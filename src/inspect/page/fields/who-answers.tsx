import { signal } from '@preact/signals';

/** The name and the roles of the person at this page, as they wrote them. */
const name = signal('');
const roles = signal('');

/** The person who answers, for calls that need a role or several people; undefined while they have not said. */
export const whoAnswers = (): { readonly name: string; readonly roles: readonly string[] } | undefined => {
  const who = name.value.trim();
  if (who === '') return undefined;
  const words = roles.value.split(',').map((role) => role.trim());
  return { name: who, roles: words.filter((role) => role !== '') };
};

/** The name of the person at this page; undefined while they have not said. */
export const yourName = (): string | undefined => {
  const said = name.value.trim();
  return said === '' ? undefined : said;
};

/** The field of a form for the person who fills it in. */
export const YourName = () => (
  <label>
    Your name, for the record
    <input
      maxLength={200}
      autocomplete="off"
      value={name.value}
      placeholder="None"
      onInput={({ currentTarget }) => {
        name.value = currentTarget.value;
      }}
    />
  </label>
);

/** The fields for the person who answers. */
export const WhoAnswers = () => (
  <div class="approver">
    <Field label="Your name" value={name.value} onWrite={(next) => (name.value = next)} />
    <Field label="Your roles" value={roles.value} onWrite={(next) => (roles.value = next)} />
  </div>
);

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onWrite: (next: string) => void;
}

const Field = ({ label, value, onWrite }: FieldProps) => (
  <input
    aria-label={label}
    placeholder={label}
    size={12}
    maxLength={200}
    autocomplete="off"
    value={value}
    onInput={({ currentTarget }) => {
      onWrite(currentTarget.value);
    }}
  />
);
