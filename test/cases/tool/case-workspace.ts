/** A file as a case looks at it. */
export interface FoundFile {
  readonly bytes: Buffer;
  /** Where a link points to; undefined for anything else. */
  readonly symlink: string | undefined;
  /** Permission bits in octal, such as "644". */
  readonly mode: string;
}

/** What a case may put somewhere. */
export type CaseEntry =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: string | undefined }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'fifo' };

/** The workspace of one session, reached behind the back of the tools. */
export interface CaseWorkspace {
  /** Its path as the tools see it. */
  readonly path: string;
  /** Paths are relative to the workspace; folders on the way are made. */
  put(path: string, entry: CaseEntry): Promise<void>;
  /** Undefined where there is nothing. */
  find(path: string): Promise<FoundFile | undefined>;
  /** Every file below the workspace, by relative path. */
  list(): Promise<string[]>;
  gitInit(): Promise<void>;
  /** Command lines of all processes beside the tools. */
  processes(): Promise<string[]>;
}
