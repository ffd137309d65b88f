interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly write: (value: string) => void;
  readonly field?: { readonly current: HTMLTextAreaElement | null };
}

/** A text of a form, as high as it is long. */
export const TextField = ({ label, value, write, field }: TextFieldProps) => (
  <label class="again-text">
    {label}
    <textarea
      {...(field === undefined ? {} : { ref: field })}
      rows={Math.min(8, Math.max(2, value.split('\n').length))}
      value={value}
      onInput={({ currentTarget }) => {
        write(currentTarget.value);
      }}
    />
  </label>
);
