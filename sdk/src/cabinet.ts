// The client library of Cabinet: everything that it offers, re-exported. What is not used is left out by bundlers.

export * from './about.ts';
export * from './account.ts';
export * from './applications.ts';
export { openArchive, openSelection } from './archive.ts';
export { type Batch, type FileOfBatch, saveFiles } from './batch.ts';
export * from './changes.ts';
export {
  type Cabinet,
  type CallOptions,
  type ConnectOptions,
  connect,
  type Fetch,
  type FetchInit,
  type TokenAsked,
  type TokenSource,
} from './connect.ts';
export type { Content, Progress } from './content.ts';
export type {
  AccessLine,
  Account,
  AddedAppPassword,
  AddedSecondFactor,
  AddedUser,
  Application,
  AppPassword,
  Certificate,
  Entry,
  Envelope,
  Event,
  GivenConsent,
  GroupFields,
  Link,
  Lock,
  Operations,
  PasskeySetup,
  Properties,
  Quota,
  RegisteredApplication,
  SavedVersion,
  SearchResult,
  SecondFactor,
  SecondFactors,
  ServiceLimits,
  Session,
  Setting,
  SetupLink,
  SharedEntry,
  ShareFields,
  ShownEntry as EntryDetails,
  Space,
  TokenAnswer,
  TotpSetup,
  UploadState,
  Usage,
  User,
  Version,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from './description.ts';
export { beginDeviceSignIn, type DeviceSignIn, finishDeviceSignIn } from './device-sign-in.ts';
export {
  type Download,
  type DownloadOptions,
  openFile,
  type PreviewOptions,
  readFile,
  readPreview,
  readText,
  readThumbnail,
  type ThumbnailOptions,
} from './downloads.ts';
export * from './entries.ts';
export { CabinetError, type ErrorCode, hasCode } from './errors.ts';
export {
  type NewFile,
  type NewVersion,
  type SaveFileOptions,
  type SaveOptions,
  saveFile,
  saveFileWithFolder,
  saveVersion,
} from './files.ts';
export * from './folders.ts';
export * from './grants.ts';
export { createLink, endLinks, type LinkRequest } from './links.ts';
export * from './managing.ts';
export { compareNames } from './natural-order.ts';
export type { ListOptions, Paged, PageOptions } from './pages.ts';
export * from './search.ts';
export * from './second-factors.ts';
export {
  openSharedArchive,
  openSharedFile,
  type SharedLink,
  type SharedPageOptions,
  sendShared,
  sharedFolderPage,
  sharedPage,
} from './shared.ts';
export * from './shared-link.ts';
export * from './shares.ts';
export * from './sign-in.ts';
export * from './starred.ts';
export {
  type ApplicationCredentials,
  applicationToken,
  certificateToken,
  keepToken,
} from './tokens.ts';
export * from './trash.ts';
export { removeUpload, showUpload } from './uploads.ts';
export * from './versions.ts';
export * from './webhooks.ts';
