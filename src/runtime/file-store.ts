// A few files that are each written once and read back whole, wherever they are kept.

export interface FileStore {
  /** In no order. */
  list(): Promise<string[]>;
  /** Resolves when the file is durable. It is there as a whole or not at all, and takes the place of one of that name. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Resolves when every name that is there now is durable: one that a crash left may not be. */
  settle(): Promise<void>;
  /** Rejects if there is none. */
  read(name: string): Promise<Uint8Array>;
}
