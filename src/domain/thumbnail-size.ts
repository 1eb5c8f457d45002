// The sizes of thumbnails: the most pixels that one has in width and in height.

export const thumbnailSizes = [64, 256, 1024] as const;
export type ThumbnailSize = (typeof thumbnailSizes)[number];
