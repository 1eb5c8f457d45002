// A store of a few files, each written once and read as a whole.

export interface FileStore {
  /** In no order. */
  list(): Promise<string[]>;
  /** Resolves when the file is durable. It exists as a whole or not at all, and replaces one of that name. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Resolves when the names of all existing files are durable: those that a crash left may not be. */
  settle(): Promise<void>;
  /** Rejects if it does not exist. */
  read(name: string): Promise<Uint8Array>;
}
