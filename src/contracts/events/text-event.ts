/** Events of the texts in a conversation. */
export interface TextEvents {
  /** A text of the model or of a tool was too long for the conversation. */
  'text.spilled': {
    /** Its name in the conversation, by which `read_result` finds it. */
    readonly artifact: string;
    readonly characters: number;
    /** The SHA-256 of its UTF-8, under which the blob store has it; absent in runs of 0.1, where it was an artifact of the run. */
    readonly hash?: string | undefined;
  };
}
