// The client library of Cabinet: everything that it offers, re-exported. What is not used is left out by bundlers.

export { type Cabinet, type CallOptions, type ConnectOptions, connect, type Fetch, type FetchInit } from './connect.ts';
export type { Content, Progress } from './content.ts';
export type {
  Application,
  Certificate,
  Entry,
  Envelope,
  Event,
  Link,
  Properties,
  Quota,
  SavedVersion,
  SearchResult,
  ServiceLimits,
  ShownEntry as EntryDetails,
  Space,
  Usage,
  User,
  Version,
} from './description.ts';
export { type Download, type DownloadOptions, openFile, readFile, readText } from './downloads.ts';
export {
  type ChangeRequest,
  type CopyRequest,
  changeEntry,
  copyEntry,
  type DeleteRequest,
  deleteEntry,
  findFile,
  showEntry,
} from './entries.ts';
export { CabinetError, type ErrorCode, hasCode } from './errors.ts';
export { type NewFile, type NewVersion, type SaveOptions, saveFile, saveVersion } from './files.ts';
export {
  createFolder,
  findFolder,
  type ListChildrenOptions,
  listChildren,
  type NewFolder,
  type Order,
  rootFolder,
  type ShowFolderOptions,
  showFolder,
} from './folders.ts';
export type { ListOptions, Paged, PageOptions } from './pages.ts';
export { type ApplicationCredentials, applicationToken, certificateToken, type TokenSource } from './tokens.ts';
