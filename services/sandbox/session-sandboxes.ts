import { isDeepStrictEqual } from 'node:util';
import { Code, ConnectError } from '@connectrpc/connect';
import type { SandboxSettings } from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import type { Logger } from '#kit/logger.ts';
import type { Sandbox, SandboxProvider } from '#sandbox/sandbox.ts';
import { type BoundedConfig, type EffectiveSettings, effectiveSettings } from '#sandbox/sandbox-bounds.ts';
import type { SessionSettings } from '#sandbox/session-settings.ts';

/** What the sandboxes are made with. */
export interface SessionSandboxesOptions {
  readonly provider: SandboxProvider;
  readonly config: BoundedConfig;
  readonly settings: SessionSettings;
  readonly maxSandboxes: number;
  readonly logger: Logger;
}

interface Entry {
  readonly settings: EffectiveSettings;
  readonly sandbox: Promise<Sandbox>;
  /** Ends an attempt to create it. */
  readonly giveUp: AbortController;
}

/** One sandbox a session: made on first use, replaced after a loss, gone when the session closes. */
export class SessionSandboxes implements AsyncDisposable {
  readonly #options: SessionSandboxesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(options: SessionSandboxesOptions) {
    this.#options = options;
  }

  /** The session's sandbox; callers that come while it is being made share it. Rejects with a ConnectError. */
  async acquire(sessionId: string): Promise<Sandbox> {
    await this.#closing.get(sessionId);
    const entry = this.#entries.get(sessionId) ?? this.#create(sessionId);
    return entry.sandbox;
  }

  /** Sets what the session's sandboxes are made with, and returns it in full. Rejects with a ConnectError. */
  async configure(sessionId: string, chosen: SandboxSettings): Promise<EffectiveSettings> {
    await this.#closing.get(sessionId);
    const settings = effectiveSettings(this.#options.config, chosen);
    const entry = this.#entries.get(sessionId);
    if (entry !== undefined && !isDeepStrictEqual(entry.settings, settings)) {
      throw new ConnectError(
        "the session's sandbox exists already with other settings; set them before the first call",
        Code.FailedPrecondition,
      );
    }
    this.#options.settings.set(sessionId, chosen);
    return settings;
  }

  /** The sandboxes there are, also those that are being made. */
  list(): { sessionId: string; settings: EffectiveSettings }[] {
    return [...this.#entries].map(([sessionId, { settings }]) => ({ sessionId, settings }));
  }

  /** Removes the session's sandbox and workspace. Idempotent, also after a restart. */
  close(sessionId: string): Promise<void> {
    const running = this.#closing.get(sessionId);
    if (running !== undefined) return running;
    const closed = this.#close(sessionId).finally(() => this.#closing.delete(sessionId));
    this.#closing.set(sessionId, closed);
    return closed;
  }

  /** Removes all sandboxes; workspaces stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#entries.keys()];
    await Promise.all(sessions.map(sessionId => this.#removeSandbox(sessionId)));
  }

  #create(sessionId: string): Entry {
    const { provider, maxSandboxes, logger } = this.#options;
    if (this.#entries.size >= maxSandboxes) {
      throw new ConnectError(`all ${maxSandboxes} sandboxes are in use; nothing ran`, Code.ResourceExhausted);
    }
    const settings = effectiveSettings(this.#options.config, this.#options.settings.get(sessionId));
    const giveUp = new AbortController();
    const startedAtMs = performance.now();
    const entry: Entry = { sandbox: provider.create(sessionId, settings, giveUp.signal), settings, giveUp };
    this.#entries.set(sessionId, entry);
    entry.sandbox.then(
      sandbox => {
        logger.info({ sessionId, ms: Math.round(performance.now() - startedAtMs) }, 'sandbox made');
        void sandbox.ended.then(end => this.#forget(sessionId, entry, sandbox, end.detail));
      },
      () => this.#drop(sessionId, entry),
    );
    return entry;
  }

  #forget(sessionId: string, entry: Entry, sandbox: Sandbox, detail: string): void {
    this.#options.logger.info({ sessionId, detail }, 'sandbox ended');
    this.#drop(sessionId, entry);
    sandbox.remove().catch((error: unknown) => {
      this.#options.logger.warn({ err: error, sessionId }, 'a sandbox that ended could not be removed');
    });
  }

  #drop(sessionId: string, entry: Entry): void {
    if (this.#entries.get(sessionId) === entry) this.#entries.delete(sessionId);
  }

  async #close(sessionId: string): Promise<void> {
    await this.#removeSandbox(sessionId);
    this.#options.settings.remove(sessionId);
    await this.#options.provider.removeWorkspace(sessionId, new AbortController().signal);
  }

  async #removeSandbox(sessionId: string): Promise<void> {
    const entry = this.#entries.get(sessionId);
    if (entry === undefined) return;
    this.#entries.delete(sessionId);
    entry.giveUp.abort(new ConnectError('the session was closed', Code.Canceled));
    const sandbox = await entry.sandbox.catch(() => undefined);
    await sandbox?.remove();
  }
}
