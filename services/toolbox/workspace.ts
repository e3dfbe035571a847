import { isAbsolute, relative } from 'node:path';
import type { BoundPath } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CommandUser } from '#toolbox/command-user.ts';
import { explainErrors } from '#toolbox/files/file-errors.ts';
import { isWithin, type RealPath, resolveRealPath } from '#toolbox/files/real-path.ts';
import { ToolFailure } from '#toolbox/tool-failure.ts';

/** A path a call named, resolved and found to lie where calls may work. */
export interface LocatedPath extends RealPath {
  /** As the call named it, for messages. */
  readonly asked: string;
}

/** What a workspace is made of. */
export interface WorkspaceOptions {
  readonly root: string;
  /** A second folder the file tools may use; undefined for none. */
  readonly scratch: string | undefined;
  readonly home: string;
  readonly user: CommandUser;
}

/** The session's folder, the working directory its commands left, and what lies inside. */
export class Workspace {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly home: string;
  readonly user: CommandUser;
  readonly #folders: readonly string[];
  #workingDirectory: string;

  constructor(options: WorkspaceOptions) {
    this.user = options.user;
    this.home = options.home;
    this.root = resolveRealPath(options.root).realPath;
    const scratch = options.scratch === undefined ? [] : [resolveRealPath(options.scratch).realPath];
    this.#folders = [this.root, ...scratch];
    this.#workingDirectory = this.root;
  }

  /** Where relative paths start and the next command begins. */
  get workingDirectory(): string {
    return this.#workingDirectory;
  }

  /** Follows a command to the directory it says it ended in; if that is gone later, the next command finds out. */
  moveTo(directory: string): void {
    if (isAbsolute(directory)) this.#workingDirectory = directory;
  }

  /** Resolves a path with no opinion on where it lies. Call it inside `user.run`. */
  resolve(path: string): RealPath {
    if (path.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character.');
    return explainErrors(path, () => resolveRealPath(this.absolute(path)));
  }

  /** Resolves a path and refuses what lies outside the workspace. Call it inside `user.run`. */
  locate(path: string): LocatedPath {
    const real = this.resolve(path);
    if (!this.#folders.some(folder => isWithin(real.realPath, folder))) {
      const leads = real.realPath === path ? '' : ` (it leads to ${real.realPath})`;
      throw new ToolFailure(
        `${path} lies outside the workspace${leads}. Use a path below ${this.#folders.join(' or ')}.`,
      );
    }
    return { asked: path, ...real };
  }

  /** Refuses the call when a path its permission was decided on now leads elsewhere. Call it inside `user.run`. */
  requireUnchanged(boundPaths: readonly BoundPath[]): void {
    for (const bound of boundPaths) {
      const { realPath } = this.resolve(bound.path);
      if (realPath === bound.realPath) continue;
      throw new ToolFailure(
        `${bound.path} led to ${bound.realPath} when this call was decided and leads to ${realPath} now. Nothing ran; call again.`,
        OutcomeReason.FACTS_CHANGED,
      );
    }
  }

  /** Absolute path of a path as a call names it, links and `..` left in. */
  absolute(path: string): string {
    return isAbsolute(path) ? path : `${this.#workingDirectory}/${path}`;
  }

  /** Shortest honest name of a real path: relative below the working directory, else absolute. */
  display(realPath: string): string {
    if (!isWithin(realPath, this.#workingDirectory)) return realPath;
    return relative(this.#workingDirectory, realPath) || '.';
  }
}
