/** A value of a field that its schema marks as secret. */
export interface FieldSecret {
  /** Path of the field in the value: `login.password`; empty for the value as a whole. */
  readonly name: string;
  /** The last part of the name. */
  readonly field: string;
  /** A number by its digits. */
  readonly value: string;
}
