/** A value that stood at a field which its schema marks as secret. */
export interface FieldSecret {
  /** Where in the value the field is: `login.password`; empty for the value as a whole. */
  readonly name: string;
  /** The last part of the name. */
  readonly field: string;
  /** A number by its digits. */
  readonly value: string;
}
