import { useId } from 'preact/hooks';

interface ModelFieldProps {
  readonly label: string;
  readonly models: readonly string[];
  readonly value: string;
  readonly write: (value: string) => void;
  readonly placeholder?: string;
}

/** The name of a model in a form: one of those that are known, or any other. */
export const ModelField = ({ label, models, value, write, placeholder = '' }: ModelFieldProps) => {
  const list = useId();
  return (
    <>
      <label>
        {label}
        <input
          list={list}
          autocomplete="off"
          spellcheck={false}
          value={value}
          placeholder={placeholder}
          onInput={({ currentTarget }) => {
            write(currentTarget.value);
          }}
        />
      </label>
      <datalist id={list}>
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
};
