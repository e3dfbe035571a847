/** Output that mixes running text with whole lines. */
export interface LineSheet {
  /** Goes on with running text. */
  flow(text: string): void;
  /** Writes a whole line, on a new one. */
  line(text: string): void;
  /** Ends the running line, if there is one. */
  endLine(): void;
}

/** A sheet over a writer of text. */
export function createLineSheet(write: (text: string) => void): LineSheet {
  let atStart = true;
  const endLine = (): void => {
    if (!atStart) write('\n');
    atStart = true;
  };
  return {
    flow: text => {
      if (text === '') return;
      write(text);
      atStart = text.endsWith('\n');
    },
    line: text => {
      endLine();
      write(`${text}\n`);
    },
    endLine,
  };
}
